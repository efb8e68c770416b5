//! `plugin add`, `upgrade` and `remove`: plugins, packs and backends in the user's own folder.
//!
//! Nothing is started. A plugin is copied to a private folder and judged there, then recorded, then renamed to its place. If a command was
//! killed in between, the record has the sum of the old file, too, and the same command completes the change.

mod archive;
mod candidate;
mod home;
mod refusal;
mod sum;

use std::collections::BTreeSet;
use std::path::Path;

use bot_cli_engine::discovery::{Discovery, PREFIX};
use bot_cli_protocol::failure::{ChangeState, Exit, Failure};
use bot_cli_protocol::outcome::Reply;
use bot_cli_protocol::question::Question;
use bot_cli_protocol::{ArgumentKind, CommandSpec, Role};
use bot_cli_sdk::session::{Level, Session};
use bot_cli_terminal::shell::quoted;
use bot_cli_terminal::{one_line, table};
use serde_json::{Value, json};

use crate::inventory::{self, Row, effect_rows};
use crate::options::{Add, Remove, Upgrade};
use candidate::{Candidate, is_usable, judge};
pub use home::Home;
use home::{Entry, is_there};

/// Adds a plugin.
pub fn add(options: &Add, discovery: &Discovery, session: &mut Session) -> Result<Reply, Failure> {
    let given = Path::new(&options.plugin);
    let mut home = home(discovery, session, options.dry_run)?;
    let sum = options.sha256.as_deref();
    let candidate = stage(given, sum, &home, discovery, session)?;
    let entry = &candidate.entry;
    let name = &entry.name;
    let place = home.place(name, entry.form);
    if let Some(old) = home.entry(name)
        && is_there(&home.place(name, old.form))
    {
        let (title, from) = (old.title(), one_line(&old.from));
        let message = format!("{title} was added already, from `{from}`");
        let upgrade = format!("bot-cli plugin upgrade {name} {}", word(given));
        return Err(Failure::new(Exit::Failed, "exists", message).hint(upgrade));
    }
    if sum_in(&place).is_some_and(|now| now != entry.sha256) {
        let message = format!(
            "`{}` is already there, and `plugin add` did not put it there",
            place.display()
        );
        return Err(Failure::new(Exit::Failed, "exists", message)
            .hint(recorded_by(&place))
            .hint(format!("if it is not needed: rm -r {}", word(&place))));
    }
    let effects = &candidate.judged.effects;
    let rows = effect_rows(effects, "  ");
    let mut data = json!({ "dry_run": options.dry_run, "effects": effects });
    if options.dry_run {
        let title = format!("Would add {}", entry.title());
        return Ok(reply(&title, rows, entry, &place, data));
    }
    put(&mut home, &candidate, session)?;
    let (is_used, warnings) = standing(&candidate, &place, discovery, session);
    data["warnings"] = json!(warnings);
    let next = if is_used && entry.role == Role::Command {
        format!("bot-cli {name} --help")
    } else {
        format!("bot-cli plugin info {name}")
    };
    let title = format!("Added {}", entry.title());
    Ok(reply(&title, rows, entry, &place, data).next(next))
}

/// Replaces a plugin that was added by another version of it.
pub fn upgrade(
    options: &Upgrade,
    discovery: &Discovery,
    session: &mut Session,
) -> Result<Reply, Failure> {
    let mut home = home(discovery, session, options.dry_run)?;
    let old = known(&options.added, &home, discovery)?;
    let given = options.plugin.as_deref().unwrap_or(old.from.as_ref());
    let sum = options.sha256.as_deref();
    let mut candidate = stage(Path::new(given), sum, &home, discovery, session)?;
    check_same_plugin(&old, &candidate.entry)?;
    let place = home.place(&old.name, old.form);
    let now = sum_in(&place);
    let is_same = now.as_ref() == Some(&candidate.entry.sha256);
    if is_same && old.is_like(&candidate.entry) && is_usable(&old, &place, discovery) {
        let title = format!("{} is the same; nothing was changed", old.title());
        let data = json!({ "changed": false, "dry_run": options.dry_run });
        return Ok(reply(&title, Vec::new(), &old, &place, data));
    }
    if !is_same && !options.force {
        check_unchanged(&old, now.as_deref(), &place, "upgrade")?;
    }
    candidate.entry.replaces = now;
    let judged = &candidate.judged;
    let installed = judge(&old, &place, &place, discovery).ok();
    let version = installed
        .as_ref()
        .and_then(|row| row.entry["version"].as_str());
    let versions = (version.unwrap_or(&old.version), &*candidate.entry.version);
    let (mut rows, changes) = changes(versions, installed.as_ref(), judged);
    rows.extend(effect_rows(&judged.effects, "  "));
    let mut data = json!({
        "changed": true,
        "changes": changes,
        "dry_run": options.dry_run,
        "effects": judged.effects,
    });
    let title = candidate.entry.title();
    if options.dry_run {
        let title = format!("Would upgrade {title}");
        return Ok(reply(&title, rows, &candidate.entry, &place, data));
    }
    if !options.skip {
        confirm(session, &title, &table(&rows))?;
    }
    put(&mut home, &candidate, session)?;
    data["warnings"] = json!(standing(&candidate, &place, discovery, session).1);
    let title = format!("Upgraded {title}");
    Ok(reply(&title, rows, &candidate.entry, &place, data))
}

/// Removes a plugin that was added.
pub fn remove(
    options: &Remove,
    discovery: &Discovery,
    session: &mut Session,
) -> Result<Reply, Failure> {
    let mut home = home(discovery, session, options.dry_run)?;
    let entry = known(&options.added, &home, discovery)?;
    let place = home.place(&entry.name, entry.form);
    if !options.force {
        check_unchanged(&entry, sum_in(&place).as_deref(), &place, "remove")?;
    }
    let done = if options.dry_run {
        "Would remove"
    } else {
        let _guard = session.guard();
        home.remove(&entry)?;
        "Removed"
    };
    let title = format!("{done} {}", entry.title());
    let data = json!({ "dry_run": options.dry_run });
    Ok(reply(&title, Vec::new(), &entry, &place, data))
}

/// Returns the names of what was added, and what they are, for completion.
pub fn names(discovery: &Discovery) -> Vec<(String, String)> {
    let entries = Home::read(discovery).map(|home| home.entries);
    let entries = entries.unwrap_or_default().into_iter();
    entries
        .map(|entry| {
            let about = format!("{} {}", entry.kind(), entry.version);
            (entry.name, about)
        })
        .collect()
}

/// Quotes a path for a shell, so that no command takes it for an option.
fn word(path: &Path) -> String {
    let text = path.display().to_string();
    if text.starts_with('-') {
        return quoted(&format!("./{text}"));
    }
    quoted(&text)
}

fn home(discovery: &Discovery, session: &mut Session, is_dry_run: bool) -> Result<Home, Failure> {
    if is_dry_run {
        Home::read(discovery)
    } else {
        Home::lock(discovery, session)
    }
}

fn stage(
    given: &Path,
    sum: Option<&str>,
    home: &Home,
    discovery: &Discovery,
    session: &Session,
) -> Result<Candidate, Failure> {
    // Copies do not stay behind.
    let _guard = session.guard();
    let from = std::path::absolute(session.cwd().join(given))?;
    candidate::check_local(given)?;
    let mut candidate = Candidate::stage(&from, sum, home.staging()?, discovery)?;
    let entry = &candidate.entry;
    candidate.keep(&home.place(&entry.name, entry.form), discovery);
    if session.cancelled() {
        return Err(home::cancelled(session));
    }
    Ok(candidate)
}

fn put(home: &mut Home, candidate: &Candidate, session: &Session) -> Result<(), Failure> {
    let _guard = session.guard();
    home.put(candidate.staged.as_deref(), candidate.entry.clone())
}

/// Whether a plugin is used now that it is in `place`, and the warnings about that, which are shown.
fn standing(
    candidate: &Candidate,
    place: &Path,
    discovery: &Discovery,
    session: &mut Session,
) -> (bool, Vec<String>) {
    let mut warnings = candidate.judged.left_out.clone();
    let mut is_used = true;
    // The cache knows nothing of a folder that this command made.
    let discovery = Discovery {
        cache: None,
        ..discovery.clone()
    };
    for row in inventory::rows(&discovery) {
        let text = |key: &str| one_line(row.entry[key].as_str().unwrap_or_default());
        let status = text("status");
        if row.entry["name"] != *candidate.entry.name {
            continue;
        }
        if row.place() != place {
            if status == "shadowed" {
                warnings.push(format!("it comes before `{}`", text("file")));
            }
        } else if ["refused", "unused", "shadowed"].contains(&&*status) {
            is_used = false;
            let (name, reason) = (&candidate.entry.name, text("reason"));
            warnings.push(format!("`{name}` is not used: {reason}"));
        }
    }
    for warning in &warnings {
        session.log(Level::Warn, warning);
    }
    (is_used, warnings)
}

/// Finds the entry of the plugin `name`.
fn known(name: &str, home: &Home, discovery: &Discovery) -> Result<Entry, Failure> {
    let name = name.strip_prefix(PREFIX).unwrap_or(name);
    if let Some(entry) = home.entry(name) {
        return Ok(entry.clone());
    }
    let rows = inventory::rows(discovery);
    let Some(row) = rows.iter().find(|row| row.entry["name"] == name) else {
        let names = home.entries.iter().map(|entry| entry.name.as_str());
        return Err(inventory::unknown(name, names));
    };
    let place = row.place();
    let message = format!(
        "`{}` was not added by `bot-cli plugin add`",
        place.display()
    );
    let hint = if home.contains(place) {
        recorded_by(place)
    } else {
        "change it with the tool that installed it".to_owned()
    };
    Err(Failure::new(Exit::Failed, "not_added", message).hint(hint))
}

fn recorded_by(place: &Path) -> String {
    format!(
        "if it can be used, this records it as it is: bot-cli plugin add {}",
        word(place)
    )
}

fn check_same_plugin(old: &Entry, new: &Entry) -> Result<(), Failure> {
    let from = Path::new(&new.from);
    if new.name != old.name {
        let message = format!("`{}` is {}, not `{}`", new.from, new.title(), old.name);
        let hint = format!("bot-cli plugin add {}", word(from));
        return Err(Failure::new(Exit::Usage, "other_name", message).hint(hint));
    }
    if new.form != old.form {
        let name = &old.name;
        let message = format!(
            "`{}` has another form than `{name}`: one is a file, the other a folder",
            new.from
        );
        let add = word(from);
        let hint = format!("bot-cli plugin remove {name} && bot-cli plugin add {add}");
        return Err(Failure::new(Exit::Failed, "other_form", message).hint(hint));
    }
    Ok(())
}

/// Refuses to change a plugin that was changed by other means since it was added.
fn check_unchanged(
    entry: &Entry,
    now: Option<&str>,
    place: &Path,
    command: &str,
) -> Result<(), Failure> {
    let Some(now) = now.filter(|now| !entry.has_sum(now)) else {
        return Ok(());
    };
    let message = format!(
        "`{}` was changed since it was added, and is kept: its sha256 is {now}, not {}",
        place.display(),
        entry.sha256
    );
    let hint = format!("bot-cli plugin {command} {} --force", entry.name);
    Err(Failure::new(Exit::Failed, "changed", message).hint(hint))
}

/// The sum of what is in `place`, if anything is.
fn sum_in(place: &Path) -> Option<String> {
    is_there(place).then(|| sum::of(place).unwrap_or_else(|_| "unknown".to_owned()))
}

/// Returns what another version changes for its users, as rows of a table and for programs.
fn changes((from, to): (&str, &str), old: Option<&Row>, new: &Row) -> (Vec<Vec<String>>, Value) {
    let shown = |text: &str| if text.is_empty() { "none" } else { text }.to_owned();
    let versions = if from == to {
        format!("{}, as before", shown(from))
    } else {
        format!("{} -> {}", shown(from), shown(to))
    };
    let (old, new) = (old.map(abilities).unwrap_or_default(), abilities(new));
    let added: Vec<_> = new.difference(&old).collect();
    let removed: Vec<_> = old.difference(&new).collect();
    let mut rows = vec![vec!["  version".to_owned(), versions]];
    for (what, words) in [("  adds", &added), ("  removes", &removed)] {
        rows.extend(
            words
                .iter()
                .map(|it| vec![what.to_owned(), format!("`{it}`")]),
        );
    }
    let version = json!({ "from": from, "to": to });
    let data = json!({ "version": version, "added": added, "removed": removed });
    (rows, data)
}

/// The commands and options that the users of a plugin type, and the services of a pack.
fn abilities(row: &Row) -> BTreeSet<String> {
    let services = row.services.iter().flatten();
    let mut words: BTreeSet<String> = services.cloned().collect();
    if let Some(root) = row.manifest.as_ref().and_then(|it| it.command.as_ref()) {
        add_words(root, row.name(), &mut words);
    }
    words
}

fn add_words(command: &CommandSpec, path: &str, words: &mut BTreeSet<String>) {
    for argument in command.arguments.iter().filter(|it| !it.hidden) {
        let word = match (argument.kind, &argument.long, argument.short) {
            (ArgumentKind::Positional, ..) => argument.name.clone(),
            (_, Some(long), _) => format!("--{long}"),
            (_, None, Some(short)) => format!("-{short}"),
            (_, None, None) => continue,
        };
        words.insert(one_line(&format!("{path} {word}")));
    }
    for below in command.commands.iter().filter(|it| !it.hidden) {
        let path = one_line(&format!("{path} {}", below.name));
        add_words(below, &path, words);
        words.insert(path);
    }
}

fn confirm(session: &mut Session, title: &str, details: &str) -> Result<(), Failure> {
    let mut question = Question::confirm("confirm", format!("Upgrade to {title}?"))
        .details(details)
        .flag("--skip");
    // Without a terminal, a default would be an answer.
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
    let file = place.display().to_string();
    for (name, value) in [
        ("  file", &file),
        ("  from", &one_line(&entry.from)),
        ("  sha256", &entry.sha256),
    ] {
        rows.push(vec![name.to_owned(), value.clone()]);
    }
    let mut data = json!({
        "name": entry.name,
        "role": entry.role,
        "version": entry.version,
        "file": file,
        "from": entry.from,
        "from_sha256": entry.from_sha256,
        "sha256": entry.sha256,
    });
    if let (Value::Object(data), Value::Object(more)) = (&mut data, more) {
        data.extend(more);
    }
    Reply::text(format!("{title}\n{}", table(&rows))).data(data)
}
