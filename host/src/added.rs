//! `plugin add`, `upgrade` and `remove`: plugins, packs and backends in the user's own folder.
//!
//! Nothing is started. A plugin is copied to a private folder and judged there, and then put in place by one rename. The record of
//! what was added names the new plugin before and the old one after that rename, so that it is right whenever the process ends.

mod archive;
mod built_for;
mod candidate;
mod changes;
mod copying;
mod disk;
mod given;
mod home;
mod known;
mod members;
mod origins;
mod put;
mod record;
mod sum;

use std::path::Path;

use bot_cli_sdk::cancel::Cancel;
use bot_cli_sdk::failure::{Exit, Failure};
use bot_cli_sdk::outcome::Reply;
use bot_cli_sdk::question::{Answer, Question, QuestionKind};
use bot_cli_sdk::terminal::{Terminal, one_line, table};
use bot_cli_sdk::ui::{Level, Ui};
use serde_json::{Value, json};

use crate::arguments::{AddArguments, RemoveArguments, UpgradeArguments};
use crate::environment::Environment;
use candidate::{Candidate, Standing};
use changes::{Changes, Installed};
pub use given::word;
use home::{Home, Turn};
pub use known::gone;
use known::{check_form, check_unchanged, known, recording, source};
pub use origins::Origins;
use put::{Found, Replace};
use record::{Entry, Record};

/// What a command needs beside its arguments.
struct Context<'a> {
    environment: &'a Environment,
    terminal: Terminal,
    cancel: Cancel,
    home: Home,
    /// Nothing is changed without it.
    turn: Option<Turn>,
    record: Record,
}

impl<'a> Context<'a> {
    fn new(
        environment: &'a Environment,
        terminal: &Terminal,
        dry_run: DryRun,
    ) -> Result<Self, Failure> {
        let cancel = Cancel::on_signals()?;
        let terminal = terminal.clone().watching(&cancel);
        let home = Home::find(environment)?;
        let turn = match dry_run {
            DryRun::Yes => None,
            DryRun::No => Some(home.take_turn(&terminal, &cancel)?),
        };
        Ok(Self {
            environment,
            record: Record::read(&home)?,
            terminal,
            cancel,
            home,
            turn,
        })
    }

    /// Whether there is something in the place of a plugin that was added.
    fn is_there(&self, entry: &Entry) -> bool {
        let place = self.home.place(&entry.name, entry.form);
        std::fs::symlink_metadata(place).is_ok()
    }

    fn stage(&self, given: &Path, sum: Option<&str>) -> Result<Candidate, Failure> {
        let staging = match self.turn {
            None => put::staging_elsewhere()?,
            Some(_) => put::staging(&self.home)?,
        };
        let request = given::Request::parse(given, sum)?;
        Candidate::judge(request, staging, self.environment, &self.cancel)
    }

    /// Puts a candidate in place; without a turn, nothing is changed.
    fn put(
        &mut self,
        candidate: &Candidate,
        entry: &Entry,
        replace: Replace,
    ) -> Result<(), Failure> {
        let Some(turn) = &self.turn else {
            return Ok(());
        };
        let (record, staged) = (&mut self.record, candidate.staged());
        put::put(&self.home, turn, record, staged, entry.clone(), replace)
    }

    /// Returns whether a candidate is used now, after a warning about what somebody should know.
    fn standing(&mut self, candidate: &Candidate) -> Standing {
        let place = self.home.place(candidate.name.as_str(), candidate.form);
        let standing = candidate.standing(&place, self.environment);
        for warning in &standing.warnings {
            self.terminal.log(Level::Warn, warning);
        }
        standing
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum DryRun {
    Yes,
    No,
}

impl DryRun {
    fn new(wanted: bool) -> Self {
        if wanted { Self::Yes } else { Self::No }
    }
}

/// Adds a plugin.
pub fn add(
    arguments: &AddArguments,
    environment: &Environment,
    terminal: &Terminal,
) -> Result<Reply, Failure> {
    let given = Path::new(&arguments.plugin);
    given::check_local(given, "add")?;
    let dry_run = DryRun::new(arguments.dry_run);
    let mut context = Context::new(environment, terminal, dry_run)?;
    let candidate = context.stage(given, arguments.sha256.as_deref())?;
    let name = candidate.name.as_str();
    let place = context.home.place(name, candidate.form);
    let old = context.record.entry(name);
    let old = old.filter(|entry| context.is_there(entry));
    if let Some(entry) = old {
        check_form(entry, &candidate, given)?;
        let message = format!(
            "the {} `{name}` {} was added already, from `{}`",
            entry.kind(),
            one_line(&entry.version),
            one_line(&entry.from)
        );
        let upgrade = format!("bot-cli plugin upgrade {name} {}", word(given));
        return Err(Failure::new(Exit::Failed, "exists", message).hint(upgrade));
    }
    let mut entry = candidate.entry();
    let title = candidate.title();
    let (would, did, replace) = match candidate.found(&place, environment) {
        Found::Nothing => (
            format!("Would add {title}"),
            format!("Added {title}"),
            Replace::Nothing,
        ),
        Found::Same(sum, replace) => {
            entry.sha256 = sum;
            (
                format!("Would record {title}, which is in place already"),
                format!("Recorded {title}, which was in place already"),
                replace,
            )
        }
        Found::Other(_) => {
            let message = format!(
                "`{}` is already there, and `plugin add` did not put it there",
                place.display()
            );
            let failure = Failure::new(Exit::Failed, "exists", message);
            let failure = recording(failure, &candidate.name, candidate.form, &context);
            return Err(failure.hint(format!("if it is not needed: rm -r {}", word(&place))));
        }
    };
    if context.turn.is_none() {
        return Ok(reply(&would, &entry, &place, json!({ "dry_run": true })));
    }
    context.put(&candidate, &entry, replace)?;
    let standing = context.standing(&candidate);
    let data = json!({ "dry_run": false, "warnings": standing.warnings });
    Ok(reply(&did, &entry, &place, data).next(candidate.next_command(&standing)))
}

/// Puts another version in the place of a plugin that was added.
pub fn upgrade(
    arguments: &UpgradeArguments,
    environment: &Environment,
    terminal: &Terminal,
) -> Result<Reply, Failure> {
    if let Some(given) = &arguments.plugin {
        let command = format!("upgrade {}", one_line(&arguments.name));
        given::check_local(Path::new(given), &command)?;
    }
    let dry_run = DryRun::new(arguments.dry_run);
    let mut context = Context::new(environment, terminal, dry_run)?;
    let old = known(&arguments.name, &context)?.clone();
    let given = match &arguments.plugin {
        Some(given) => given.into(),
        None => source(&old)?,
    };
    let candidate = context.stage(&given, arguments.sha256.as_deref())?;
    let name = candidate.name.as_str();
    if name != old.name {
        let message = format!(
            "`{}` is {}, not `{}`",
            given.display(),
            candidate.title(),
            old.name
        );
        let hint = format!("bot-cli plugin add {}", word(&given));
        return Err(Failure::new(Exit::Usage, "other_name", message).hint(hint));
    }
    check_form(&old, &candidate, &given)?;
    let place = context.home.place(name, old.form);
    let mut entry = candidate.entry();
    let replace = match candidate.found(&place, environment) {
        Found::Nothing => Replace::Nothing,
        Found::Same(sum, replace) => {
            entry.sha256 = sum;
            return renew(&mut context, &candidate, &entry, replace);
        }
        Found::Other(now) => {
            if !arguments.force {
                check_unchanged(&old, now.as_deref(), &place, "upgrade")?;
            }
            Replace::Old
        }
    };
    let changes = Changes::between(
        &Installed::find(&old, &place, environment),
        &candidate.installed(),
    );
    let mut data =
        json!({ "changed": true, "changes": changes.data(), "dry_run": arguments.dry_run });
    if context.turn.is_none() {
        let title = format!("Would upgrade {}", candidate.title());
        return Ok(reply_with(&title, changes.rows(), &entry, &place, data));
    }
    if !arguments.skip {
        let question = format!("Upgrade the {} `{name}`?", candidate.kind());
        confirm(&mut context.terminal, &question, &table(&changes.rows()))?;
    }
    context.put(&candidate, &entry, replace)?;
    let standing = context.standing(&candidate);
    data["warnings"] = standing.warnings.into();
    let title = format!("Upgraded {}", candidate.title());
    Ok(reply_with(&title, changes.rows(), &entry, &place, data))
}

/// Mends the record of a plugin that is in place already, and its rights.
fn renew(
    context: &mut Context<'_>,
    candidate: &Candidate,
    entry: &Entry,
    replace: Replace,
) -> Result<Reply, Failure> {
    let place = context.home.place(&entry.name, entry.form);
    let is_recorded = context.record.entry(&entry.name) == Some(entry);
    let is_usable =
        || candidate::is_usable(&candidate.name, entry.form, &place, context.environment);
    let is_dry_run = context.turn.is_none();
    let what = if is_recorded && is_usable() {
        "nothing was changed"
    } else if is_dry_run {
        "would renew its record and rights"
    } else {
        context.put(candidate, entry, replace)?;
        "renewed its record and rights"
    };
    let standing = context.standing(candidate);
    let title = format!("{} is the same; {what}", candidate.title());
    let data = json!({
        "changed": false,
        "dry_run": is_dry_run,
        "warnings": standing.warnings,
    });
    Ok(reply(&title, entry, &place, data))
}

/// Removes a plugin that was added.
pub fn remove(
    arguments: &RemoveArguments,
    environment: &Environment,
    terminal: &Terminal,
) -> Result<Reply, Failure> {
    let dry_run = DryRun::new(arguments.dry_run);
    let mut context = Context::new(environment, terminal, dry_run)?;
    let entry = known(&arguments.name, &context)?.clone();
    let place = context.home.place(&entry.name, entry.form);
    let is_there = context.is_there(&entry);
    if is_there && !arguments.force {
        check_unchanged(&entry, sum::of(&place).ok().as_deref(), &place, "remove")?;
    }
    let title = match (&context.turn, is_there) {
        (None, true) => format!("Would remove the {} `{}`", entry.kind(), entry.name),
        (None, false) => format!("`{}` is gone; would forget it", place.display()),
        (Some(turn), is_there) => {
            put::remove(&context.home, turn, &mut context.record, &entry)?;
            if is_there {
                format!("Removed the {} `{}`", entry.kind(), entry.name)
            } else {
                format!("`{}` was gone already; forgot it", place.display())
            }
        }
    };
    Ok(reply(
        &title,
        &entry,
        &place,
        json!({ "dry_run": arguments.dry_run }),
    ))
}

/// The names of what was added, for completion.
pub fn names(environment: &Environment) -> Vec<(String, String)> {
    let record = Home::find(environment).and_then(|home| Record::read(&home));
    let entries = record.map(|record| record.entries).unwrap_or_default();
    entries
        .into_iter()
        .map(|entry| {
            let about = format!("{} {}", entry.kind(), entry.version);
            (entry.name, about)
        })
        .collect()
}

fn confirm(terminal: &mut Terminal, message: &str, details: &str) -> Result<(), Failure> {
    let question = Question::confirm("confirm", message)
        .details(details)
        .flag("--skip");
    if !terminal.capabilities().ask.contains(&QuestionKind::Confirm) {
        let message = "nobody can be asked here, so that nothing was changed";
        return Err(Failure::new(Exit::Usage, "input_required", message)
            .field("skip", Some("--skip"), "required without a terminal")
            .hint("`--skip` upgrades without a question, `--dry-run` shows what changes")
            .with_inputs(vec![question]));
    }
    if terminal.ask(&question.default(false))? == Answer::Confirm(true) {
        return Ok(());
    }
    let message = "nothing was changed";
    Err(Failure::new(Exit::Failed, "declined", message))
}

fn reply(title: &str, entry: &Entry, place: &Path, more: Value) -> Reply {
    reply_with(title, Vec::new(), entry, place, more)
}

fn reply_with(
    title: &str,
    mut rows: Vec<Vec<String>>,
    entry: &Entry,
    place: &Path,
    more: Value,
) -> Reply {
    rows.extend([
        vec!["  file".to_owned(), place.display().to_string()],
        vec!["  from".to_owned(), one_line(&entry.from)],
        vec!["  sha256".to_owned(), entry.sha256.clone()],
    ]);
    let mut data = json!({
        "name": entry.name,
        "role": entry.role,
        "version": entry.version,
        "file": place.to_string_lossy(),
        "from": entry.from,
        "from_sha256": entry.from_sha256,
        "sha256": entry.sha256,
    });
    if let (Value::Object(data), Value::Object(more)) = (&mut data, more) {
        data.extend(more);
    }
    Reply::text(format!("{title}\n{}", table(&rows))).data(data)
}
