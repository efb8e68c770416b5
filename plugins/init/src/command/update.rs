//! Implements `bot-cli init DIR --update`, which updates a project while preserving the user's edits.

mod found;
mod report;

pub(super) use found::recorded;

use std::cell::OnceCell;
use std::path::Path;

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_sdk::plugin::Reply;
use bot_cli_sdk::session::Session;

use super::job::{unplanned, unrecorded, warn_of_deprecated, warn_of_stale};
use super::next::strangers;
use super::origins::Origins;
use super::{file, note_name, recovery, resolved};
use crate::catalogue::Catalogue;
use crate::config::Config;
use crate::draft::{Draft, NONE};
use crate::guides::{self, Guide, Path as GuidePath};
use crate::option_table::Setting;
use crate::options::{Conflicts, Options};
use crate::plan::{self, Existing, PlannedFile};
use crate::record;
use crate::target::Target;
use crate::target::compare::compare;
use crate::transaction::{self, ABOUT_TO_BE_KEPT, BEFORE, Change, Old};
use crate::update::committed::uncommitted;
use crate::update::markers::{self, UNRESOLVED};
use crate::update::{About, Base, Note, Update, brought, is_recorded, overlay};
use found::Found;
use report::Report;

pub(super) fn run(options: &Options, session: &Session) -> Result<Reply, Failure> {
    started(options, session).map_err(|mut failure| {
        // With `--check`, status 1 means that an update is needed.
        if options.check && failure.exit == Exit::Failed && failure.code != UNRESOLVED {
            failure.exit = Exit::Usage;
        }
        failure
    })
}

fn started(options: &Options, session: &Session) -> Result<Reply, Failure> {
    let given = options.target_dir.as_deref().unwrap_or(Path::new("."));
    let target = &Target::find(given, session.cwd())?;
    let read = file::read(options.config.as_deref(), session)?;
    if !options.dry_run && !options.check {
        recovery::recover(target, session)?;
    }
    recovery::refuse_unfinished(target, None)?;
    let asked = options.draft.clone().over(read.draft.clone());
    let origins = Origins {
        options: options.draft.clone(),
        file: read,
        below: None,
    };
    let mut found = Found::read(target, session)?;
    markers::refuse(&target.path, found.base.hashes.keys())?;
    let catalogue = OnceCell::new();
    let config = new_config(asked, origins, &found, target, &catalogue, session)?;
    let before = found.resolved(target, catalogue.get().unwrap_or(Catalogue::built_in()));
    let update = planned(options, target, &found, before.as_ref(), &config, session)?;
    let blocks = update.about(About::Obstacle).next().is_some()
        || !update.conflicts.is_empty() && options.conflicts == Conflicts::Refuse;
    let is_wanted = !blocks && !options.check && !update.changes.is_empty();
    let mut old = Old::Given;
    if is_wanted {
        match self::old(options, target, &found, &update.changes) {
            Err(failure) if options.dry_run => warn_of_uncommitted(&failure, session),
            decided => old = decided?,
        }
    }
    let written = is_wanted && !options.dry_run;
    if written {
        let cancelled = || session.cancelled();
        transaction::write(&target.path, &update.changes, old, &cancelled)?;
        warn_of_deprecated(&config, session);
    }
    let report = Report {
        options,
        target,
        found: &found,
        config: &config,
        update: &update,
        written,
        old,
        quiet: session.context().quiet,
    };
    report.reply(session)
}

/// Resolves the recorded configuration, overridden by the configuration file and the command-line options.
fn new_config<'c>(
    mut asked: Draft,
    mut origins: Origins,
    found: &Found,
    target: &Target,
    catalogue: &'c OnceCell<Catalogue>,
    session: &Session,
) -> Result<Config<'c>, Failure> {
    let recorded = found.begun.as_ref().unwrap_or(&found.recorded.config.draft);
    origins.below = Some((recorded.clone(), format!("`{}`", record::PROJECT)));
    let environments = Setting::Environments;
    let added = origins.options.said(environments).unwrap_or_default();
    if !added.is_empty() && !added.contains(&NONE.to_owned()) {
        let of_file = origins.file.draft.said(environments);
        let known = of_file.or(recorded.said(environments)).unwrap_or_default();
        asked.put(environments, [known, added].concat());
    }
    let (draft, told) = overlay::over(recorded.clone(), asked);
    for given_way in told {
        session.warn(&given_way);
    }
    let config = resolved(&draft, &mut origins, target, catalogue)?;
    note_name(&config, session);
    Ok(config)
}

/// Plans the update from `before`, the recorded configuration, to `config`.
fn planned(
    options: &Options,
    target: &Target,
    found: &Found,
    before: Option<&Config>,
    config: &Config,
    session: &Session,
) -> Result<Update, Failure> {
    let files = plan::scaffold(config).map_err(unplanned)?.files;
    let mut update = Update::plan(&target.path, &found.base, &files, &found.recorded.framework)?;
    let new = new_variables(&found.base, &files);
    let new = (!new.is_empty()).then(|| format!("new variables to set: {}", new.join(", ")));
    let known: Vec<String> = before.into_iter().flat_map(strangers).collect();
    let strange = strangers(config).filter(|it| !known.contains(it));
    for text in new.into_iter().chain(strange) {
        if !update.changes.is_empty() {
            update.notes.push(Note {
                about: About::Review,
                path: None,
                line: None,
                text,
            });
        }
    }
    let mut record = Vec::new();
    if !found.is_current(config, &files) {
        record.extend(record::files(config, &files).map_err(unrecorded)?);
    }
    let mut guides = guides::planned(GuidePath::CodingAgent)?;
    for guide in &mut guides {
        guide.existing = Existing::GuideIfThere;
    }
    let mut beside = compare(&target.path, &guides, record, options.guides())?;
    beside.refresh(|guide| matches!(guide, Guide::Older { edited: false, .. }));
    let stale = beside.stale();
    if !stale.is_empty() && !options.check && !options.dry_run {
        warn_of_stale(&stale, session);
    }
    update.add(beside);
    if options.check {
        for (path, what) in brought::missing(&target.path, config, &files) {
            update.note(About::Disagreement, &path, what);
        }
    }
    if let Some(before) = before
        && let Some(what) = found.disagrees(target, before, config)
    {
        update.note(About::Disagreement, record::PROJECT, what);
    }
    Ok(update)
}

fn new_variables(base: &Base, files: &[PlannedFile]) -> Vec<String> {
    const EXPLAINED: &str = "server/.env.example";
    let names = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let names = lines.filter_map(|line| Some(line.split_once('=')?.0.to_owned()));
        names.collect()
    };
    let new = files.iter().find(|file| file.path == EXPLAINED);
    let (Some(old), Some(new)) = (base.texts.get(EXPLAINED), new) else {
        return Vec::new();
    };
    let (old, mut new) = (names(old), names(&new.text));
    new.retain(|name| !old.contains(name));
    new
}

/// Decides how to back up the replaced files. Returns an error if uncommitted edits would be lost.
fn old(
    options: &Options,
    target: &Target,
    found: &Found,
    changes: &[Change],
) -> Result<Old, Failure> {
    let is_users = |change: &&Change| {
        let is_unedited =
            |old: &Vec<u8>| matches!(guides::recognise(old), Guide::Older { edited: false, .. });
        let replaced = change.replaces.as_ref();
        !change.is_of_record()
            && replaced.is_some_and(|old| !is_unedited(old))
            && !is_recorded(&found.base, change)
    };
    let users: Vec<&Change> = changes.iter().filter(is_users).collect();
    let uncommitted = uncommitted(&target.path, &users);
    let is_given =
        uncommitted.is_some() && !options.force || changes.iter().all(Change::is_of_record);
    // An interrupted update has copies of the files that it was about to replace.
    let kept = target.path.join(ABOUT_TO_BE_KEPT);
    let is_kept = |path: &String| {
        let read = |folder: &Path| std::fs::read(folder.join(path)).ok();
        read(&kept).is_some_and(|kept| Some(kept) == read(&target.path))
    };
    let mut lost = uncommitted.unwrap_or_default();
    lost.retain(|path| !is_kept(path));
    if !lost.is_empty() && !options.force {
        let message = "uncommitted changes in files that the update changes";
        let failure = Failure::new(Exit::Failed, "uncommitted", message).hint(format!(
            "nothing was changed; commit them first, or add `--force` to the command, which keeps the files as they are in `{BEFORE}`"
        ));
        return Err(lost.iter().fold(failure, |failure, path| {
            failure.field(path, None, "is not in the newest commit as it is")
        }));
    }
    Ok(if is_given && !kept.exists() {
        Old::Given
    } else {
        Old::Kept
    })
}

fn warn_of_uncommitted(failure: &Failure, session: &Session) {
    let paths = failure.fields.iter().map(|it| format!("`{}`", it.field));
    let paths = paths.collect::<Vec<_>>().join(", ");
    let message = format!(
        "{}, so without `--force` it would write nothing: {paths}",
        failure.message
    );
    session.warn(&message);
}
