//! `bot-cli init DIR --update`: a project that is there already.

mod branches;
mod found;
mod report;

use std::cell::OnceCell;
use std::path::Path;

use bot_cli_protocol::failure::{Exit, Failure, Field};
use bot_cli_protocol::outcome::Format;
use bot_cli_sdk::plugin::Reply;
use bot_cli_sdk::session::{Level, Session};

use super::job::{unplanned, unrecorded, warn_of_deprecated};
use super::next::{self, Needs, NextStep};
use super::{file, note_name, recovery, resolved};
use crate::catalogue::Catalogue;
use crate::config::{Config, FromFile};
use crate::draft::Draft;
use crate::guides::{self, Guide, Path as GuidePath};
use crate::options::{Conflicts, Options};
use crate::plan::{self, Existing, PlannedFile};
use crate::record;
use crate::target::Target;
use crate::target::compare::{Comparison, Guides, compare};
use crate::transaction::{self, BEFORE, Change, Old, Recovered, Work};
use crate::update::committed::uncommitted;
use crate::update::differences::{self, Difference};
use crate::update::{Update, overlay};
use found::{Found, UNRESOLVED};
use report::Report;

pub(super) fn run(options: &Options, session: &mut Session) -> Result<Reply, Failure> {
    let done = started(options, session);
    if !options.check {
        return done;
    }
    // Its status 1 is that there is something to do.
    done.map_err(|mut failure| {
        if failure.exit == Exit::Failed && failure.code != UNRESOLVED {
            failure.exit = Exit::Usage;
        }
        failure
    })
}

fn started(options: &Options, session: &mut Session) -> Result<Reply, Failure> {
    let given = options.target_dir.as_deref().unwrap_or(Path::new("."));
    let target = Target::find(given, session.cwd())?;
    let read = options
        .config
        .as_deref()
        .map_or_else(|| Ok(FromFile::default()), |path| file::read(path, session))?;
    if options.dry_run || options.check {
        refuse_unfinished(&target)?;
        let recovered =
            transaction::begun(&target.path).map_or(Recovered::Nothing, |_| Recovered::Update);
        return update(options, read, &target, &recovered, session);
    }
    recovery::then(&target, session, |recovered, session| {
        update(options, read, &target, recovered, session)
    })
}

fn update(
    options: &Options,
    read: FromFile,
    target: &Target,
    recovered: &Recovered,
    session: &mut Session,
) -> Result<Reply, Failure> {
    let asked = options.draft.clone().over(read.draft);
    let merged = branches::merged(target, &asked)?;
    let mut found = Found::read(target, merged.as_ref(), session)?;
    found.refuse_markers(target)?;
    let catalogue = OnceCell::new();
    let config = new_config(asked, read.problems, &found, target, &catalogue, session)?;
    found.complete(target, catalogue.get().unwrap_or(Catalogue::built_in()));
    let changes = Changes::plan(options, target, &found, &config)?;
    if !options.check && !options.dry_run {
        changes.told_of_guides(session);
    }
    finish(
        options, &found, &config, &changes, recovered, target, session,
    )
}

/// The configuration that is recorded, with the file's and the options' over it.
fn new_config<'c>(
    asked: Draft,
    problems: Vec<Field>,
    found: &Found,
    target: &Target,
    catalogue: &'c OnceCell<Catalogue>,
    session: &mut Session,
) -> Result<Config<'c>, Failure> {
    let recorded = found.begun.as_ref().unwrap_or(&found.recorded.config.draft);
    let (draft, told) = overlay::over(recorded.clone(), asked);
    for given_way in told {
        session.log(Level::Warn, &given_way);
    }
    let config = resolved(&draft, problems, target, catalogue)?;
    note_name(&config, session);
    Ok(config)
}

/// The file that explains the variables of a bot.
const EXPLAINED: &str = "server/.env.example";

/// Everything that an update does.
struct Changes {
    update: Update,
    /// The guides and the record.
    beside: Comparison,
    differences: Vec<Difference>,
    /// The names of the variables that the bot needs now, and did not before.
    new_variables: Vec<String>,
}

impl Changes {
    fn plan(
        options: &Options,
        target: &Target,
        found: &Found,
        config: &Config,
    ) -> Result<Self, Failure> {
        let generated = plan::scaffold(config).map_err(unplanned)?;
        let framework = &found.recorded.framework;
        let mut update = Update::plan(&target.path, &found.base, &generated.files, framework)?;
        let differences = differences::between(&found.config, config);
        let record = record::files(config, &generated.files).map_err(unrecorded)?;
        let record = if found.is_recorded(&record) {
            Vec::new()
        } else {
            record.into()
        };
        let treatment = if options.overwrite_guide {
            Guides::Overwrite
        } else {
            Guides::Keep
        };
        let mut beside = compare(&target.path, &guide_files()?, record, treatment)?;
        beside.refresh_unedited();
        for conflict in beside.conflicts.drain(..) {
            update.stuck(&conflict.path, conflict.reason);
        }
        let new_variables = if update.changes.is_empty() {
            Vec::new()
        } else {
            next::new_variables(config, &found.variables)
        };
        if options.check {
            update.look_for(&target.path, config, &generated.files);
        }
        if options.check || !found.is_merged {
            let disagreement = found.disagrees(target, &differences);
            update.missing.extend(disagreement);
        }
        update.name_variables(&target.path, EXPLAINED, &new_variables);
        Ok(Self {
            update,
            beside,
            differences,
            new_variables,
        })
    }

    /// Returns what is written, with the guides and the record, in the order of the paths.
    fn all(&self) -> Vec<Change> {
        let (update, beside) = (&self.update.changes, &self.beside.changes);
        let mut all: Vec<Change> = update.iter().chain(beside).cloned().collect();
        all.sort_by(|one, other| one.path.cmp(&other.path));
        all
    }

    /// Tells whether there is nothing to do.
    fn is_empty(&self) -> bool {
        self.update.changes.is_empty()
            && self.beside.changes.is_empty()
            && !self.update.has_conflicts()
    }

    /// Tells whether neither a file of the user's nor an option changes. The record alone is no affair of theirs.
    fn is_up_to_date(&self) -> bool {
        self.update.changes.is_empty()
            && !self.update.has_conflicts()
            && self.beside.changes.iter().all(report::is_record)
            && self.differences.is_empty()
            && self.update.missing.is_empty()
    }

    fn told_of_guides(&self, session: &mut Session) {
        let stale: Vec<String> = self
            .beside
            .stale()
            .map(|kept| format!("`{}` ({})", kept.path, kept.guide.words()))
            .collect();
        if !stale.is_empty() {
            let message = format!(
                "kept: {}; to refresh, add `--overwrite-guide` to the command",
                stale.join(", ")
            );
            session.log(Level::Warn, &message);
        }
    }
}

/// The guides, which are kept up to date where they are.
fn guide_files() -> Result<Vec<PlannedFile>, Failure> {
    let mut files = guides::planned(GuidePath::CodingAgent)?;
    for file in &mut files {
        file.existing = Existing::GuideIfThere;
    }
    Ok(files)
}

fn finish(
    options: &Options,
    found: &Found,
    config: &Config,
    changes: &Changes,
    recovered: &Recovered,
    target: &Target,
    session: &mut Session,
) -> Result<Reply, Failure> {
    let conflicts = changes.update.conflicts.len();
    let blocks = !changes.update.obstacles.is_empty()
        || conflicts > 0 && options.conflicts == Conflicts::Refuse;
    let writes = !blocks && !options.dry_run && !options.check && !changes.is_empty();
    let mut old = Old::Given;
    if options.dry_run
        && !blocks
        && let Err(failure) = self::old(options, target, found, &changes.all())
    {
        let paths = failure
            .fields
            .iter()
            .map(|field| format!("`{}`", field.field));
        let paths = paths.collect::<Vec<_>>().join(", ");
        let message = format!(
            "{}, so without `--force` the update would write nothing: {paths}",
            failure.message
        );
        session.log(Level::Warn, &message);
    }
    if writes {
        old = write(options, target, found, changes, session)?;
        warn_of_deprecated(config, session);
    }
    let steps = if writes {
        steps(target, found, changes)
    } else {
        Vec::new()
    };
    let report = Report {
        target,
        config,
        changes,
        written: writes,
        old,
        recovered,
        quiet: session.context().quiet,
        steps: &steps,
    };
    if options.check {
        session.exit_with(u8::from(!report.is_up_to_date()));
        return Ok(report.checked());
    }
    let failure = report.failure(options);
    match failure {
        None => Ok(report.reply()),
        Some(failure) if session.context().format == Format::Json => {
            session.exit_with(failure.exit.status());
            Ok(report.reply_of(&failure))
        }
        Some(failure) => {
            session.output(&report.text());
            Err(failure)
        }
    }
}

fn write(
    options: &Options,
    target: &Target,
    found: &Found,
    changes: &Changes,
    session: &mut Session,
) -> Result<Old, Failure> {
    let all = changes.all();
    let old = old(options, target, found, &all)?;
    let cancel = session.cancel().clone();
    let work = Work::Update(old);
    transaction::write(&target.path, &all, work, &|| cancel.requested())?;
    Ok(old)
}

/// Decides what becomes of what the changes replace, unless that would be lost.
fn old(
    options: &Options,
    target: &Target,
    found: &Found,
    changes: &[Change],
) -> Result<Old, Failure> {
    let is_users = |change: &&Change| {
        let there = change.replaces.as_deref();
        let is_unedited = |there: &[u8]| {
            Update::is_recorded(&found.base, change)
                || matches!(guides::recognise(there), Guide::Older { edited: false, .. })
        };
        !report::is_record(change) && there.is_some_and(|there| !is_unedited(there))
    };
    let users: Vec<&Change> = changes.iter().filter(is_users).collect();
    let uncommitted = uncommitted(&target.path, &users);
    let goes_on = found.begun.is_some() && target.path.join(BEFORE).exists();
    // The update that this one goes on with has kept what it was about to replace.
    let is_kept = |path: &String| {
        let there = |folder: &Path| std::fs::read(folder.join(path)).ok();
        goes_on && there(&target.path.join(BEFORE).join("files")) == there(&target.path)
    };
    let lost = uncommitted.map(|mut paths| {
        paths.retain(|path| !is_kept(path));
        paths
    });
    match lost {
        Some(paths) if !paths.is_empty() && !options.force => Err(not_committed(&paths)),
        _ if goes_on => Ok(Old::Added),
        _ if changes.iter().all(report::is_record) => Ok(Old::Given),
        Some(_) if !options.force => Ok(Old::Given),
        Some(_) | None => Ok(Old::Kept),
    }
}

fn not_committed(paths: &[String]) -> Failure {
    let has = match paths.len() {
        1 => "1 file that the update changes has".to_owned(),
        several => format!("{several} files that the update changes have"),
    };
    let message = format!("{has} uncommitted changes");
    let failure = Failure::new(Exit::Failed, "uncommitted", message).hint(format!(
        "nothing was changed; commit them first, or add `--force` to the command, which keeps the files as they are in `{BEFORE}`"
    ));
    paths.iter().fold(failure, |failure, path| {
        failure.field(path, None, "is not in the newest commit as it is")
    })
}

fn steps(target: &Target, found: &Found, changes: &Changes) -> Vec<NextStep> {
    let needs = |path: &'static str| {
        let mut changes = changes.update.changes.iter();
        Needs {
            folder: path.rfind('/').map_or("", |end| &path[..end]),
            has_changed: changes.any(|one| one.path == path && one.bytes.is_some()),
        }
    };
    let is_explained = target.path.join(EXPLAINED).is_file();
    next::of_update(
        target,
        needs("server/pyproject.toml"),
        needs("client/package.json"),
        is_explained.then_some(EXPLAINED),
        &changes.new_variables,
        found.is_merged.then_some(record::FOLDER),
    )
}

fn refuse_unfinished(target: &Target) -> Result<(), Failure> {
    if transaction::is_unfinished(&target.path)? {
        return Err(Failure::new(
            Exit::Failed,
            "interrupted",
            "an earlier run was interrupted while it wrote the project",
        )
        .hint("without `--dry-run` and `--check`, the same command completes it first"));
    }
    Ok(())
}
