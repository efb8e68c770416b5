//! `plugin add`, `upgrade` and `remove`: plugins, packs and backends in the user's own folder.
//!
//! Nothing is started. A plugin is copied to a private folder and judged there, then recorded, then put in place. Where the command was
//! killed in between, the record says what was there before, and the same command goes on.

mod archive;
mod candidate;
mod change;
mod changes;
mod home;
mod record;
mod refusal;
mod source;
mod sum;

use std::path::{Path, PathBuf};

use bot_cli_engine::discovery::{Discovery, PREFIX, PluginName};
use bot_cli_protocol::Role;
use bot_cli_protocol::failure::{ChangeState, Exit, Failure};
use bot_cli_protocol::outcome::Reply;
use bot_cli_protocol::question::Question;
use bot_cli_protocol::suggest;
use bot_cli_sdk::session::{Level, Session};
use bot_cli_terminal::{one_line, table};
use serde_json::{Value, json};

use crate::options::{Add, Remove, Upgrade};
use crate::roles::{self, effect_rows};
use candidate::{Candidate, Found, is_usable, judge};
use changes::{Changes, Installed};
use home::{Form, Home, Turn, is_there};
use record::{Entry, Record};
use refusal::word;
use source::Source;

pub use record::Origins;

/// What a command needs beside its arguments.
struct Context<'a> {
    discovery: &'a Discovery,
    session: &'a mut Session,
    home: Home,
    /// Nothing is changed without it.
    turn: Option<Turn>,
    record: Record,
}

impl<'a> Context<'a> {
    fn new(
        discovery: &'a Discovery,
        session: &'a mut Session,
        is_dry_run: bool,
    ) -> Result<Self, Failure> {
        let home = Home::find(discovery)?;
        let turn = if is_dry_run {
            None
        } else {
            Some(home.take_turn(session)?)
        };
        Ok(Self {
            discovery,
            session,
            record: Record::read(&home)?,
            home,
            turn,
        })
    }

    fn stage(&self, source: Source) -> Result<Candidate, Failure> {
        // What is copied does not stay behind.
        let _guard = self.session.guard();
        let staging = self.home.staging(self.turn.as_ref())?;
        let candidate = Candidate::judge(source, staging, self.discovery)?;
        if self.session.cancelled() {
            return Err(home::cancelled(self.session));
        }
        Ok(candidate)
    }

    /// Puts a candidate in place and into the record, or only there; without a turn, nothing is changed.
    fn put(&mut self, candidate: &Candidate, entry: &Entry, is_kept: bool) -> Result<(), Failure> {
        let Some(turn) = &self.turn else {
            return Ok(());
        };
        let _guard = self.session.guard();
        if is_kept {
            return change::write_down(&self.home, turn, &mut self.record, entry.clone());
        }
        let staged = &candidate.staged.place;
        change::put(&self.home, turn, &mut self.record, staged, entry.clone())
    }

    /// Whether a candidate is used now, and the warnings about that, which were shown.
    fn standing(&mut self, candidate: &Candidate) -> (bool, Vec<String>) {
        let staged = &candidate.staged;
        let place = self.home.place(staged.name.as_str(), staged.form);
        let (is_used, warnings) = candidate.standing(&place, self.discovery);
        for warning in &warnings {
            self.session.log(Level::Warn, warning);
        }
        (is_used, warnings)
    }
}

/// Adds a plugin.
pub fn add(options: &Add, discovery: &Discovery, session: &mut Session) -> Result<Reply, Failure> {
    let given = Path::new(&options.plugin);
    let source = Source::read(given, options.sha256.as_deref(), "add", session.cwd())?;
    let mut context = Context::new(discovery, session, options.dry_run)?;
    let candidate = context.stage(source)?;
    let name = candidate.staged.name.as_str();
    let place = context.home.place(name, candidate.staged.form);
    let old = context.record.entry(name);
    let old = old.filter(|old| is_there(&context.home.place(name, old.form)));
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
    let (would, did, is_kept) = match candidate.found(&place, discovery) {
        Found::Nothing => (
            format!("Would add {title}"),
            format!("Added {title}"),
            false,
        ),
        Found::Same { is_kept, sha256 } => {
            entry.sha256 = sha256;
            (
                format!("Would record {title}, which is in place already"),
                format!("Recorded {title}, which was in place already"),
                is_kept,
            )
        }
        Found::Other(_) => {
            let message = format!(
                "`{}` is already there, and `plugin add` did not put it there",
                place.display()
            );
            let failure = Failure::new(Exit::Failed, "exists", message);
            let failure = recording(failure, &candidate.staged.name, &place, &context);
            return Err(failure.hint(format!("if it is not needed: rm -r {}", word(&place))));
        }
    };
    let effects = &candidate.judged.effects;
    let rows = effect_rows(effects, "  ");
    if options.dry_run {
        let data = json!({ "dry_run": true, "effects": effects });
        return Ok(reply(&would, rows, &entry, &place, data));
    }
    context.put(&candidate, &entry, is_kept)?;
    let (is_used, warnings) = context.standing(&candidate);
    let data = json!({ "dry_run": false, "effects": effects, "warnings": warnings });
    let next = if is_used && candidate.judged.manifest.role == Role::Command {
        format!("bot-cli {name} --help")
    } else {
        format!("bot-cli plugin info {name}")
    };
    Ok(reply(&did, rows, &entry, &place, data).next(next))
}

/// Puts another version in the place of a plugin that was added.
pub fn upgrade(
    options: &Upgrade,
    discovery: &Discovery,
    session: &mut Session,
) -> Result<Reply, Failure> {
    let cwd = session.cwd().to_owned();
    let sum = options.sha256.as_deref();
    let command = format!("upgrade {}", one_line(&options.added));
    let read = |given: &Path| Source::read(given, sum, &command, &cwd);
    let given = options.plugin.as_ref().map(PathBuf::from);
    let source = given.as_deref().map(read).transpose()?;
    let mut context = Context::new(discovery, session, options.dry_run)?;
    let old = known(&options.added, &context)?.clone();
    let (given, source) = match (given, source) {
        (Some(given), Some(source)) => (given, source),
        _ => (PathBuf::from(&old.from), read(origin(&old)?)?),
    };
    let candidate = context.stage(source)?;
    let name = candidate.staged.name.as_str();
    if name != old.name {
        let (given, title, old) = (given.display(), candidate.title(), &old.name);
        let message = format!("`{given}` is {title}, not `{old}`");
        let hint = format!("bot-cli plugin add {}", word(&candidate.source.path));
        return Err(Failure::new(Exit::Usage, "other_name", message).hint(hint));
    }
    check_form(&old, &candidate, &given)?;
    let place = context.home.place(name, old.form);
    let mut entry = candidate.entry();
    match candidate.found(&place, discovery) {
        Found::Nothing => {}
        Found::Same { is_kept, sha256 } => {
            entry.sha256 = sha256;
            entry.replaces.clone_from(&old.replaces);
            return renew(&mut context, &candidate, &entry, is_kept);
        }
        Found::Other(now) => {
            if !options.force {
                check_unchanged(&old, now.as_deref(), &place, "upgrade")?;
            }
            entry.replaces = now;
        }
    }
    let installed = PluginName::parse(name)
        .and_then(|name| judge(&name, old.form, &place, &place, discovery).ok())
        .map_or_else(
            || Installed::unknown(&old),
            |judged| Installed::new(&judged.manifest, judged.services),
        );
    let judged = &candidate.judged;
    let new = Installed::new(&judged.manifest, judged.services.clone());
    let changes = Changes::between(&installed, &new);
    let rows = [changes.rows(), effect_rows(&judged.effects, "  ")].concat();
    let mut data = json!({
        "changed": true,
        "changes": changes.data(),
        "dry_run": options.dry_run,
        "effects": judged.effects,
    });
    if options.dry_run {
        let title = format!("Would upgrade {}", candidate.title());
        return Ok(reply(&title, rows, &entry, &place, data));
    }
    if !options.skip {
        let question = format!("Upgrade the {} `{name}`?", candidate.kind());
        confirm(context.session, &question, &table(&rows))?;
    }
    context.put(&candidate, &entry, false)?;
    data["warnings"] = context.standing(&candidate).1.into();
    let title = format!("Upgraded {}", candidate.title());
    Ok(reply(&title, rows, &entry, &place, data))
}

/// Mends the record of a plugin that is in place already, and its rights.
fn renew(
    context: &mut Context<'_>,
    candidate: &Candidate,
    entry: &Entry,
    is_kept: bool,
) -> Result<Reply, Failure> {
    let place = context.home.place(&entry.name, entry.form);
    let name = &candidate.staged.name;
    let is_recorded = context.record.entry(&entry.name) == Some(entry);
    let is_dry_run = context.turn.is_none();
    let what = if is_recorded && is_usable(name, entry.form, &place, context.discovery) {
        "nothing was changed"
    } else if is_dry_run {
        "would renew its record and rights"
    } else {
        context.put(candidate, entry, is_kept)?;
        "renewed its record and rights"
    };
    let (_, warnings) = context.standing(candidate);
    let title = format!("{} is the same; {what}", candidate.title());
    let data = json!({ "changed": false, "dry_run": is_dry_run, "warnings": warnings });
    Ok(reply(&title, Vec::new(), entry, &place, data))
}

/// Removes a plugin that was added.
pub fn remove(
    options: &Remove,
    discovery: &Discovery,
    session: &mut Session,
) -> Result<Reply, Failure> {
    let mut context = Context::new(discovery, session, options.dry_run)?;
    let entry = known(&options.added, &context)?.clone();
    let place = context.home.place(&entry.name, entry.form);
    let is_there = is_there(&place) || is_there(&context.home.old(&place));
    if is_there && !options.force {
        check_unchanged(&entry, sum::of(&place).ok().as_deref(), &place, "remove")?;
    }
    if let Some(turn) = &context.turn {
        let _guard = context.session.guard();
        change::remove(&context.home, turn, &mut context.record, &entry)?;
    }
    let (kind, name, shown) = (entry.kind(), &entry.name, place.display());
    let title = match (options.dry_run, is_there) {
        (true, true) => format!("Would remove the {kind} `{name}`"),
        (true, false) => format!("`{shown}` is gone; would forget it"),
        (false, true) => format!("Removed the {kind} `{name}`"),
        (false, false) => format!("`{shown}` was gone already; forgot it"),
    };
    let data = json!({ "dry_run": options.dry_run });
    Ok(reply(&title, Vec::new(), &entry, &place, data))
}

/// The names of what was added, for completion.
pub fn names(discovery: &Discovery) -> Vec<(String, String)> {
    let record = Home::find(discovery).and_then(|home| Record::read(&home));
    let entries = record.map(|record| record.entries).unwrap_or_default();
    entries
        .into_iter()
        .map(|entry| {
            let about = format!("{} {}", entry.kind(), entry.version);
            (entry.name, about)
        })
        .collect()
}

/// The failure for a plugin that was added, and is not in its place any more.
pub fn gone(name: &str, discovery: &Discovery) -> Option<Failure> {
    let home = Home::find(discovery).ok()?;
    let record = Record::read(&home).ok()?;
    let entry = record.entry(name)?;
    let place = home.place(name, entry.form);
    let message = format!("`{}`, which was added, is gone", place.display());
    let file = if origin(entry).is_ok() { "" } else { " FILE" };
    Some(
        Failure::new(Exit::Failed, "not_found", message)
            .hint(format!(
                "to have it back: bot-cli plugin upgrade {name}{file}"
            ))
            .hint(format!("to forget it: bot-cli plugin remove {name}")),
    )
}

/// The hints of a failure about the unknown name `name`: the known ones that it may mean. Packs and backends are known by their short
/// names elsewhere.
pub fn meant<'a>(
    failure: Failure,
    name: &str,
    known: impl Iterator<Item = &'a str> + Clone,
) -> Failure {
    let mut near = suggest::near(name, known.clone());
    for known in known {
        let short = known.split_once('-').map(|(_, short)| short);
        if short == Some(name) && !near.contains(&known) {
            near.push(known);
        }
    }
    if near.is_empty() {
        failure
    } else {
        failure.hint(suggest::did_you_mean(&near))
    }
}

/// The entry of the plugin that somebody means by `name`.
fn known<'a>(name: &str, context: &'a Context<'_>) -> Result<&'a Entry, Failure> {
    let record = &context.record;
    let name = name.strip_prefix(PREFIX).unwrap_or(name);
    if let Some(entry) = record.entry(name) {
        return Ok(entry);
    }
    if let Some(failure) = PluginName::parse(name).and_then(|name| not_added(&name, context)) {
        return Err(failure);
    }
    let message = if suggest::is_plain(name) {
        format!("no plugin `{name}` was added")
    } else {
        "no such plugin was added".to_owned()
    };
    let failure = Failure::new(Exit::Failed, "not_found", message);
    let names = record.entries.iter().map(|entry| entry.name.as_str());
    let failure = meant(failure, name, names);
    Err(if failure.hints.is_empty() {
        failure.hint("bot-cli plugin list")
    } else {
        failure
    })
}

/// The failure for a plugin that is there, but not in the record.
fn not_added(name: &PluginName, context: &Context<'_>) -> Option<Failure> {
    let failure = |place: &Path| {
        let place = place.display();
        let message = format!("`{place}` was not added by `bot-cli plugin add`");
        Failure::new(Exit::Failed, "not_added", message)
    };
    if let Some((_, place)) = context.home.find_place(name) {
        return Some(recording(failure(&place), name, &place, context));
    }
    let discovery = context.discovery;
    let file = discovery.by_name(name).plugin.map(|plugin| plugin.file);
    let place = file.or_else(|| roles::folder(name.as_str(), discovery).map(|pack| pack.place))?;
    Some(
        failure(&place)
            .hint("change it with the tool that installed it")
            .hint("`bot-cli plugin add FILE` puts a version of your own before it"),
    )
}

/// Adds to the failure for what is in a place, but not in the record, how it is recorded.
fn recording(failure: Failure, name: &PluginName, place: &Path, context: &Context<'_>) -> Failure {
    let form = if place.is_dir() {
        Form::Folder
    } else {
        Form::File
    };
    if is_usable(name, form, place, context.discovery) {
        let add = format!("bot-cli plugin add {}", word(place));
        return failure.hint(format!("to have it recorded as it is: {add}"));
    }
    failure
}

/// Refuses a plugin in another form than that in which it was added: the old one would stay, and nobody would know of it.
fn check_form(old: &Entry, candidate: &Candidate, given: &Path) -> Result<(), Failure> {
    if candidate.staged.form == old.form {
        return Ok(());
    }
    let name = &old.name;
    let message = format!(
        "`{name}` was added as a {}, and `{}` is a {}",
        old.form.words(),
        given.display(),
        candidate.staged.form.words()
    );
    let given = word(given);
    let hint = format!("bot-cli plugin remove {name} && bot-cli plugin add {given}");
    Err(Failure::new(Exit::Failed, "other_form", message).hint(hint))
}

/// Refuses to change a plugin that somebody else has changed since it was added.
fn check_unchanged(
    entry: &Entry,
    now: Option<&str>,
    place: &Path,
    command: &str,
) -> Result<(), Failure> {
    if entry.is_unchanged(now) {
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

/// The file or folder from which a plugin was added, if it is still there.
fn origin(entry: &Entry) -> Result<&Path, Failure> {
    let path = Path::new(&entry.from);
    if path.exists() {
        return Ok(path);
    }
    let (from, name) = (&entry.from, &entry.name);
    let message = format!("`{from}`, from which `{name}` was added, is gone");
    let hint = format!("bot-cli plugin upgrade {name} FILE");
    Err(Failure::new(Exit::Failed, "no_source", message).hint(hint))
}

fn confirm(session: &mut Session, message: &str, details: &str) -> Result<(), Failure> {
    let mut question = Question::confirm("confirm", message)
        .details(details)
        .flag("--skip");
    // Without anybody there a default would be an answer.
    if session.interactive() {
        question = question.default(false);
    }
    if session.confirm(&question)? {
        return Ok(());
    }
    Err(Failure::cancelled().outcome(ChangeState::NotDone))
}

fn reply(
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
