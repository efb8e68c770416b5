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
mod members;
mod origins;
mod put;
mod record;
mod sum;

use std::path::Path;

use bot_cli_sdk::cancel::Cancel;
use bot_cli_sdk::discovery::{PREFIX, PluginName};
use bot_cli_sdk::failure::{Exit, Failure};
use bot_cli_sdk::outcome::Reply;
use bot_cli_sdk::question::{Answer, Question, QuestionKind};
use bot_cli_sdk::suggest;
use bot_cli_sdk::terminal::{Terminal, one_line, table};
use bot_cli_sdk::ui::{Level, Ui};
use serde_json::{Value, json};

use crate::arguments::{AddArguments, RemoveArguments, UpgradeArguments};
use crate::environment::Environment;
use crate::roles;
use candidate::{Candidate, Standing};
use changes::{Changes, Installed};
pub use given::word;
use home::{Form, Home, Turn};
pub use origins::Origins;
use put::{Found, Replace};
use record::{Entry, Record};

/// What a command needs beside its arguments.
struct Context<'a> {
    environment: &'a Environment,
    terminal: Terminal,
    cancel: Cancel,
    home: Home,
}

impl<'a> Context<'a> {
    fn new(environment: &'a Environment, terminal: &Terminal) -> Result<Self, Failure> {
        let cancel = Cancel::on_signals()?;
        Ok(Self {
            environment,
            terminal: terminal.clone().watching(&cancel),
            cancel,
            home: Home::find(environment)?,
        })
    }

    /// Whether there is something in the place of a plugin that was added.
    fn is_there(&self, entry: &Entry) -> bool {
        let place = self.home.place(&entry.name, entry.form);
        std::fs::symlink_metadata(place).is_ok()
    }

    /// Adds to the failure for what is in a place, but not in the record, how it is recorded.
    fn recording(&self, failure: Failure, name: &PluginName, form: Form) -> Failure {
        let place = self.home.place(name.as_str(), form);
        if candidate::is_usable(name, form, &place, self.environment) {
            let add = format!("bot-cli plugin add {}", word(&place));
            return failure.hint(format!("to have it recorded as it is: {add}"));
        }
        failure
    }

    fn stage(
        &self,
        given: &Path,
        sum: Option<&str>,
        dry_run: DryRun,
    ) -> Result<Candidate, Failure> {
        let staging = match dry_run {
            DryRun::Yes => put::staging_elsewhere()?,
            DryRun::No => put::staging(&self.home)?,
        };
        let request = given::Request::parse(given, sum)?;
        Candidate::judge(request, staging, self.environment, &self.cancel)
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
    let context = Context::new(environment, terminal)?;
    let dry_run = DryRun::new(arguments.dry_run);
    let turn = (dry_run == DryRun::No)
        .then(|| context.home.take_turn(&context.terminal, &context.cancel))
        .transpose()?;
    let mut record = Record::read(&context.home)?;
    let candidate = context.stage(given, arguments.sha256.as_deref(), dry_run)?;
    let name = candidate.name.as_str();
    let place = context.home.place(name, candidate.form);
    let old = record.entry(name).filter(|entry| context.is_there(entry));
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
            let failure = context.recording(failure, &candidate.name, candidate.form);
            return Err(failure.hint(format!("if it is not needed: rm -r {}", word(&place))));
        }
    };
    let Some(turn) = &turn else {
        return Ok(reply(&would, &entry, &place, json!({ "dry_run": true })));
    };
    put::put(
        &context.home,
        turn,
        &mut record,
        candidate.staged(),
        entry.clone(),
        replace,
    )?;
    let standing = after(&candidate, &place, environment, &context.terminal);
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
    let mut context = Context::new(environment, terminal)?;
    let dry_run = DryRun::new(arguments.dry_run);
    let turn = (dry_run == DryRun::No)
        .then(|| context.home.take_turn(&context.terminal, &context.cancel))
        .transpose()?;
    let mut record = Record::read(&context.home)?;
    let old = known(&record, &arguments.name, &context)?.clone();
    let given = match &arguments.plugin {
        Some(given) => given.into(),
        None => source(&old)?,
    };
    let candidate = context.stage(&given, arguments.sha256.as_deref(), dry_run)?;
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
            return renew(
                &context,
                turn.as_ref(),
                &mut record,
                &candidate,
                &entry,
                replace,
            );
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
    let Some(turn) = &turn else {
        let title = format!("Would upgrade {}", candidate.title());
        return Ok(reply_with(&title, changes.rows(), &entry, &place, data));
    };
    if !arguments.skip {
        let question = format!("Upgrade the {} `{name}`?", candidate.kind());
        confirm(&mut context.terminal, &question, &table(&changes.rows()))?;
    }
    put::put(
        &context.home,
        turn,
        &mut record,
        candidate.staged(),
        entry.clone(),
        replace,
    )?;
    let standing = after(&candidate, &place, environment, &context.terminal);
    data["warnings"] = standing.warnings.into();
    let title = format!("Upgraded {}", candidate.title());
    Ok(reply_with(&title, changes.rows(), &entry, &place, data))
}

/// Mends the record of a plugin that is in place already, and its rights.
fn renew(
    context: &Context<'_>,
    turn: Option<&Turn>,
    record: &mut Record,
    candidate: &Candidate,
    entry: &Entry,
    replace: Replace,
) -> Result<Reply, Failure> {
    let place = context.home.place(&entry.name, entry.form);
    let is_recorded = record.entry(&entry.name) == Some(entry);
    let is_usable =
        || candidate::is_usable(&candidate.name, entry.form, &place, context.environment);
    let what = if is_recorded && is_usable() {
        "nothing was changed"
    } else if let Some(turn) = turn {
        put::put(
            &context.home,
            turn,
            record,
            candidate.staged(),
            entry.clone(),
            replace,
        )?;
        "renewed its record and rights"
    } else {
        "would renew its record and rights"
    };
    let title = format!("{} is the same; {what}", candidate.title());
    let standing = after(candidate, &place, context.environment, &context.terminal);
    let data = json!({
        "changed": false,
        "dry_run": turn.is_none(),
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
    let context = Context::new(environment, terminal)?;
    let dry_run = DryRun::new(arguments.dry_run);
    let turn = (dry_run == DryRun::No)
        .then(|| context.home.take_turn(&context.terminal, &context.cancel))
        .transpose()?;
    let mut record = Record::read(&context.home)?;
    let entry = known(&record, &arguments.name, &context)?.clone();
    let place = context.home.place(&entry.name, entry.form);
    let is_there = context.is_there(&entry);
    if is_there && !arguments.force {
        check_unchanged(&entry, sum::of(&place).ok().as_deref(), &place, "remove")?;
    }
    let title = match (&turn, is_there) {
        (None, true) => format!("Would remove the {} `{}`", entry.kind(), entry.name),
        (None, false) => format!("`{}` is gone; would forget it", place.display()),
        (Some(turn), is_there) => {
            put::remove(&context.home, turn, &mut record, &entry)?;
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

/// The entry of the plugin that somebody means by `name`.
fn known<'a>(record: &'a Record, name: &str, context: &Context<'_>) -> Result<&'a Entry, Failure> {
    let name = name.strip_prefix(PREFIX).unwrap_or(name);
    if let Some(entry) = record.entry(name) {
        return Ok(entry);
    }
    let names = record.entries.iter().map(|entry| entry.name.as_str());
    if let Some(failure) = PluginName::parse(name).and_then(|name| not_added(&name, context)) {
        return Err(failure);
    }
    let failure = match name {
        _ if suggest::is_plain(name) => Failure::new(
            Exit::NotFound,
            "not_found",
            format!("no plugin `{name}` was added"),
        ),
        _ => Failure::new(Exit::NotFound, "not_found", "no such plugin was added"),
    };
    let mut near: Vec<&str> = suggest::near(name, names.clone());
    // Packs and backends are known by their short names elsewhere.
    for known in names {
        let short = known.split_once('-').map(|(_, short)| short);
        if short == Some(name) && !near.contains(&known) {
            near.push(known);
        }
    }
    Err(if near.is_empty() {
        failure.hint("bot-cli plugin list")
    } else {
        failure.hint(suggest::did_you_mean(&near))
    })
}

/// The failure for a plugin that is there, but not in the record.
fn not_added(name: &PluginName, context: &Context<'_>) -> Option<Failure> {
    let failure = |place: &Path| {
        let message = format!(
            "`{}` was not added by `bot-cli plugin add`",
            place.display()
        );
        Failure::new(Exit::Failed, "not_added", message)
    };
    if let Some((form, place)) = context.home.find_place(name) {
        return Some(context.recording(failure(&place), name, form));
    }
    let environment = context.environment;
    let file = environment.discovery.by_name(name).plugin.map(|it| it.file);
    let place =
        file.or_else(|| roles::folder(name.as_str(), environment).map(|pack| pack.place))?;
    Some(
        failure(&place)
            .hint("change it with the tool that installed it")
            .hint("`bot-cli plugin add FILE` puts a version of your own before it"),
    )
}

/// Refuses a plugin in another form than that in which it was added: the old one would stay, and nobody would know of it.
fn check_form(old: &Entry, candidate: &Candidate, given: &Path) -> Result<(), Failure> {
    if candidate.form == old.form {
        return Ok(());
    }
    let name = &old.name;
    let message = format!(
        "`{name}` was added as a {}, and `{}` is a {}",
        old.form.words(),
        given.display(),
        candidate.form.words()
    );
    let hint = format!(
        "bot-cli plugin remove {name} && bot-cli plugin add {}",
        word(given)
    );
    Err(Failure::new(Exit::Failed, "other_form", message).hint(hint))
}

/// The file or folder from which a plugin was added, if it is still there.
fn source(entry: &Entry) -> Result<std::path::PathBuf, Failure> {
    let path = Path::new(&entry.from);
    if path.exists() {
        return Ok(path.to_owned());
    }
    let message = format!(
        "`{}`, from which `{}` was added, is gone",
        entry.from, entry.name
    );
    Err(Failure::new(Exit::Failed, "no_source", message)
        .hint(format!("bot-cli plugin upgrade {} FILE", entry.name)))
}

fn check_unchanged(
    entry: &Entry,
    now: Option<&str>,
    place: &Path,
    command: &str,
) -> Result<(), Failure> {
    if now == Some(entry.sha256.as_str()) {
        return Ok(());
    }
    let message = format!(
        "`{}` was changed since it was added, and is kept: its sha256 is {}, not {}",
        place.display(),
        now.unwrap_or("unknown"),
        entry.sha256
    );
    let hint = format!("bot-cli plugin {command} {} --force", entry.name);
    Err(Failure::new(Exit::Failed, "changed", message).hint(hint))
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

/// Whether a plugin that is in place now is used. Warns about what somebody should know, too.
fn after(
    candidate: &Candidate,
    place: &Path,
    environment: &Environment,
    terminal: &Terminal,
) -> Standing {
    let standing = candidate.standing(place, environment);
    for warning in &standing.warnings {
        terminal.clone().log(Level::Warn, warning);
    }
    standing
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
