//! `plugin add`, `upgrade` and `remove`: manage the user's own plugins, packs and backends.
//!
//! No plugin is started. A command copies the plugin to a private folder, validates the copy, renames it into place, and records the
//! plugin. If the command is killed midway, running it again completes the change.

mod archive;
mod candidate;
mod download;
mod home;
mod sum;

use std::ffi::OsStr;
use std::path::Path;

use bot_cli_engine::discovery::added::Entry;
use bot_cli_engine::discovery::{Discovery, MANAGER, PREFIX, SHIPPED};
use bot_cli_protocol::Role;
use bot_cli_protocol::failure::{ChangeState, Exit, Failure};
use bot_cli_protocol::outcome::Reply;
use bot_cli_protocol::question::Question;
use bot_cli_sdk::session::Session;
use bot_cli_templates::pack::Effects;
use bot_cli_terminal::shell::quoted;
use bot_cli_terminal::{one_line, table};
use serde_json::{Value, json};

use crate::inventory::{self, effect_rows};
use crate::options::{Add, Obtain, Remove, Upgrade};
use crate::origin::{argument, origin};
use candidate::{Candidate, Source};
pub use home::Home;
use home::is_there;

pub fn add(options: &Add, discovery: &Discovery, session: &Session) -> Result<Reply, Failure> {
    let (dry_run, given) = (options.obtain.dry_run, &options.plugin);
    if options.obtain.sha256.is_none() && download::address(given)?.is_some() {
        let message = "`--sha256` is required for a plugin from an address";
        let hint = "compare it with the sum that the author of the plugin names";
        return Err(Failure::new(Exit::Usage, "no_sum", message).hint(hint));
    }
    let mut home = Home::open(discovery, session, dry_run)?;
    let mut candidate = stage(given, &options.obtain, &home, discovery, session)?;
    let entry = &candidate.entry;
    let (name, place) = (entry.name.clone(), home.place(entry));
    let exists = |message: String, hint: String| {
        Err(Failure::new(Exit::Failed, "exists", message).hint(hint))
    };
    if let Some(old) = home.entry(&name).filter(|old| is_there(&home.place(old))) {
        let (title, from) = (old.title(), origin(&old.from));
        let other = if old.from == entry.from {
            String::new()
        } else {
            format!(" {}", quoted(&origin(&entry.from)))
        };
        return exists(
            format!("{title} was added already, from `{from}`"),
            format!("bot-cli plugin upgrade {name}{other}"),
        );
    }
    if sum_in(&place).is_some_and(|now| now != entry.sha256) {
        let file = place.display().to_string();
        return exists(
            format!("`{file}` is already there, and `plugin add` did not put it there"),
            format!("if it is not needed: rm -r {}", quoted(&file)),
        );
    }
    candidate.entry.forced = is_forced(options, &candidate)?;
    let entry = &candidate.entry;
    let reply = put(&mut home, &candidate, None, &options.obtain, session)?;
    if dry_run {
        return Ok(reply);
    }
    if warn_if_unused(entry, &place, discovery, session) || entry.role != Role::Command {
        return Ok(reply.next(format!("bot-cli plugin info {name}")));
    }
    Ok(reply.next(format!("bot-cli {name} --help")))
}

/// Reports whether the user has named the plugin that is to replace a released one. Fails if the plugin needs this, or if it has another
/// name.
fn is_forced(options: &Add, candidate: &Candidate) -> Result<bool, Failure> {
    let (name, from) = (&*candidate.entry.name, &candidate.entry.from);
    let forced = options.force.as_deref();
    let is_released = SHIPPED.contains(&name);
    if name == MANAGER {
        let problem = "`plugin` is taken only from the folder of bot-cli itself";
        return Err(archive::refused(from.as_ref(), problem));
    }
    if forced == Some(name) || forced.is_none() && !is_released {
        return Ok(forced.is_some() && is_released);
    }
    let problem = match (forced, &candidate.in_place_of) {
        (Some(forced), _) => format!("its name is `{name}`, not `{}`", one_line(forced)),
        (None, Some(place)) => {
            let place = place.display();
            format!("it would run in place of `{place}`, which is released with bot-cli")
        }
        (None, None) => format!("`{name}` is the name of a plugin that is released with bot-cli"),
    };
    let sum = options.obtain.sha256.as_ref();
    let sum = sum.map_or_else(String::new, |sum| format!(" --sha256 {}", quoted(sum)));
    let message = format!("`{}` was not installed: {problem}", origin(from));
    let from = argument(from);
    let add = format!("bot-cli plugin add {from}{sum} --force {name}");
    let hint = format!("if you want that: {add}");
    Err(Failure::new(Exit::Usage, "needs_force", message).hint(hint))
}

pub fn upgrade(
    options: &Upgrade,
    discovery: &Discovery,
    session: &Session,
) -> Result<Reply, Failure> {
    let mut home = Home::open(discovery, session, options.obtain.dry_run)?;
    if let Some(name) = &options.added {
        let old = known(name, &home, discovery)?;
        return replace(&old, options, &mut home, discovery, session);
    }
    let (mut upgraded, mut failed) = (Vec::new(), Vec::new());
    for old in home.entries.clone() {
        match replace(&old, options, &mut home, discovery, session) {
            Ok(reply) => {
                session.output(&reply.text);
                upgraded.push(reply.data);
            }
            Err(failure) if is_end(&failure) => {
                let is_changed = |data: &Value| data["changed"] == true && data["dry_run"] == false;
                return Err(if upgraded.iter().any(is_changed) {
                    failure.outcome(ChangeState::PartlyDone)
                } else {
                    failure
                });
            }
            Err(failure) => {
                session.warn(&format!("{} stays: {}", old.title(), failure.message));
                failed.push(json!({ "name": old.name, "error": failure.message }));
            }
        }
    }
    if !failed.is_empty() {
        session.exit_with(Exit::Failed.status());
    }
    let text = if upgraded.is_empty() && failed.is_empty() {
        "Nothing was added\n"
    } else {
        ""
    };
    Ok(Reply::text(text).data(json!({ "plugins": upgraded, "failed": failed })))
}

/// Reports whether this failure ends an upgrade of all plugins: the user cancelled, or a replaced plugin could not be recorded.
fn is_end(failure: &Failure) -> bool {
    matches!(failure.exit, Exit::Cancelled | Exit::Terminated)
        || failure.outcome == Some(ChangeState::PartlyDone)
}

/// Replaces a plugin with the version from the source in the options, or else from the source that the plugin was added from.
fn replace(
    old: &Entry,
    options: &Upgrade,
    home: &mut Home,
    discovery: &Discovery,
    session: &Session,
) -> Result<Reply, Failure> {
    let given = options.plugin.as_deref().unwrap_or(old.from.as_ref());
    let mut candidate = stage(given, &options.obtain, home, discovery, session)?;
    candidate.entry.forced = old.forced;
    let new = &candidate.entry;
    let place = home.place(old);
    if home.place(new) != place {
        let (name, title, file) = (&old.name, new.title(), place.display());
        let message = format!(
            "`{}` is {title}, which can't replace `{file}`",
            origin(&new.from)
        );
        let sum = match candidate.source {
            Source::Local => "",
            Source::Downloaded => " --sha256 SUM",
        };
        let add = format!("bot-cli plugin add {}{sum}", argument(&new.from));
        let failure = Failure::new(Exit::Usage, "other_plugin", message);
        if SHIPPED.contains(&&*new.name) {
            return Err(failure);
        }
        return Err(failure.hint(format!("bot-cli plugin remove {name} && {add}")));
    }
    let is_in_place = sum_in(&place).as_ref() == Some(&new.sha256);
    if is_in_place && old == new && inventory::is_usable(&place, discovery) {
        let title = format!("{} is the same; nothing was changed", old.title());
        let data = json!({ "changed": false, "dry_run": options.obtain.dry_run });
        return Ok(reply(&title, Vec::new(), old, &place, data));
    }
    if !is_in_place && !options.force {
        check_unchanged(old, &place, "upgrade")?;
    }
    let known = inventory::at(&place, discovery);
    let replaced = (old, known.map_or_else(Effects::new, |row| row.effects()));
    let reply = put(home, &candidate, Some(&replaced), &options.obtain, session)?;
    if !options.obtain.dry_run {
        warn_if_unused(new, &place, discovery, session);
    }
    Ok(reply)
}

pub fn remove(
    options: &Remove,
    discovery: &Discovery,
    session: &Session,
) -> Result<Reply, Failure> {
    let mut home = Home::open(discovery, session, false)?;
    let entry = known(&options.added, &home, discovery)?;
    let place = home.place(&entry);
    if !options.force {
        check_unchanged(&entry, &place, "remove")?;
    }
    let _guard = session.guard();
    home.remove(&entry)?;
    let title = format!("Removed {}", entry.title());
    let now = inventory::used(&entry.name, discovery);
    let now = now.map(|now| now.display().to_string());
    let rows = now
        .iter()
        .map(|now| vec!["  now used".to_owned(), one_line(now)]);
    let data = json!({ "now_used": now });
    Ok(reply(&title, rows.collect(), &entry, &place, data))
}

pub fn names(discovery: &Discovery) -> Vec<(String, String)> {
    let home = Home::read(discovery);
    let entries = home.map(|home| home.entries).unwrap_or_default();
    let names = entries.into_iter();
    names.map(|entry| (entry.name, entry.version)).collect()
}

/// Copies or downloads the plugin at `given` and validates the copy.
fn stage(
    given: &OsStr,
    options: &Obtain,
    home: &Home,
    discovery: &Discovery,
    session: &Session,
) -> Result<Candidate, Failure> {
    // The guard ensures that no copy is left behind.
    let _guard = session.guard();
    let staging = home.staging()?;
    let (source, from) = match download::address(given)? {
        None => {
            let from = std::path::absolute(session.cwd().join(given))?;
            (Source::Local, from)
        }
        Some(url) => {
            let file = staging.path().join(candidate::GIVEN);
            download::fetch(&url, &file, session)?;
            (Source::Downloaded, url.as_str().into())
        }
    };
    let sum = options.sha256.as_deref();
    let staged = Candidate::stage(&from, source, sum, staging, home, discovery);
    if session.cancelled() {
        let failure = Failure::cancelled().outcome(ChangeState::NotDone);
        return Err(session.cancel().explain(failure));
    }
    staged
}

/// Installs the candidate, replacing the old plugin with these effects if given, and records the plugin. A dry run only describes the
/// change. A downloaded plugin requires the user's consent.
fn put(
    home: &mut Home,
    candidate: &Candidate,
    old: Option<&(&Entry, Effects)>,
    options: &Obtain,
    session: &Session,
) -> Result<Reply, Failure> {
    let (entry, effects) = (&candidate.entry, &candidate.judged.effects);
    let mut data = json!({ "changed": true, "dry_run": options.dry_run, "effects": effects });
    let mut rows = Vec::new();
    if let Some((old, before)) = old {
        if old.version != entry.version {
            let versions = format!("{} -> {}", old.version, entry.version);
            rows.push(vec!["  version".to_owned(), versions]);
        }
        for (what, key, one, other) in [
            ("new", "new_effects", effects, before),
            ("dropped", "dropped_effects", before, effects),
        ] {
            let only = difference(one, other);
            rows.extend(effect_rows(&only, &format!("  {what} ")));
            data[key] = json!(only);
        }
    }
    let replaced = candidate.in_place_of.as_ref();
    let replaced = replaced.map(|place| place.display().to_string());
    let silent = candidate
        .is_named_by_manifest
        .then_some("from its manifest");
    for (what, value) in [("in place of", replaced.as_deref()), ("name", silent)] {
        rows.extend(value.map(|value| vec![format!("  {what}"), one_line(value)]));
    }
    if old.is_none() {
        rows.extend(effect_rows(effects, "  "));
    }
    if candidate.source == Source::Downloaded && !options.dry_run && !options.yes {
        let question = format!("{} it?", if old.is_some() { "Upgrade" } else { "Add" });
        let mut facts = rows.clone();
        let from = origin(&entry.from);
        for (name, value) in [("from", from.as_str()), ("sha256", entry.sum())] {
            facts.push(vec![format!("  {name}"), one_line(value)]);
        }
        let facts = table(&facts);
        let details = format!("{}\n{facts}{}", entry.title(), rights(entry));
        let question = Question::confirm("agree", question).details(details);
        if !session.confirm(&question.flag("--yes"))? {
            return Err(Failure::cancelled().outcome(ChangeState::NotDone));
        }
    }
    if !options.dry_run {
        let _guard = session.guard();
        home.put(candidate.staged.as_deref(), entry)?;
    }
    let done = match (old, options.dry_run) {
        (None, false) => "Added",
        (None, true) => "Would add",
        (Some(_), false) => "Upgraded",
        (Some(_), true) => "Would upgrade",
    };
    let title = format!("{done} {}", entry.title());
    data["in_place_of"] = json!(replaced);
    Ok(reply(&title, rows, entry, &home.place(entry), data))
}

/// Returns the effects in `one` that are not in `other`.
fn difference(one: &Effects, other: &Effects) -> Effects {
    let mut only = one.clone();
    only.retain(|what, values| {
        let others = other.get(what);
        values.retain(|value| !others.is_some_and(|others| others.contains(value)));
        !values.is_empty()
    });
    only
}

/// Describes the rights of a plugin. Only a pack is limited to the effects that the question lists.
fn rights(entry: &Entry) -> &'static str {
    match entry.role {
        Role::ProviderPack => {
            "A pack is never started: it does what is listed here, in the bots that use its services."
        }
        Role::Command | Role::SecretsBackend | Role::Other(_) => {
            "It runs as you, with all your rights. What is listed here is what it says of itself."
        }
    }
}

/// Warns the user if the plugin at `place` is not used. Returns whether a warning was logged.
fn warn_if_unused(entry: &Entry, place: &Path, discovery: &Discovery, session: &Session) -> bool {
    let row = inventory::at(place, discovery);
    let reason = row.and_then(|row| Some(one_line(&row.unused?.reason)));
    if let Some(reason) = &reason {
        let warning = format!("`{}` is not used: {reason}", entry.name);
        session.warn(&warning);
    }
    reason.is_some()
}

fn known(name: &str, home: &Home, discovery: &Discovery) -> Result<Entry, Failure> {
    let name = name.strip_prefix(PREFIX).unwrap_or(name);
    if let Some(entry) = home.entry(name) {
        return Ok(entry.clone());
    }
    let rows = inventory::rows(discovery);
    let Some(row) = rows.iter().find(|row| row.name == name) else {
        let names = home.entries.iter().map(|entry| entry.name.as_str());
        return Err(inventory::unknown(name, names));
    };
    let place = row.place.display();
    let message = format!("`{place}` was not added by `bot-cli plugin add`");
    let hint = "change it in the way that it was installed";
    Err(Failure::new(Exit::Failed, "not_added", message).hint(hint))
}

fn check_unchanged(entry: &Entry, place: &Path, command: &str) -> Result<(), Failure> {
    let Some(now) = sum_in(place).filter(|now| *now != entry.sha256) else {
        return Ok(());
    };
    let (file, sha256) = (place.display(), &entry.sha256);
    let changed = format!("its sha256 is {now}, not {sha256}");
    let message = format!("`{file}` was changed since it was added, and is kept: {changed}");
    let hint = format!("bot-cli plugin {command} {} --force", entry.name);
    Err(Failure::new(Exit::Failed, "changed", message).hint(hint))
}

fn sum_in(place: &Path) -> Option<String> {
    is_there(place).then(|| sum::of(place).unwrap_or_else(|_| "unknown".to_owned()))
}

fn reply(
    title: &str,
    mut rows: Vec<Vec<String>>,
    entry: &Entry,
    place: &Path,
    mut data: Value,
) -> Reply {
    let (file, from) = (place.display().to_string(), origin(&entry.from));
    for (name, value) in [
        ("file", file.as_str()),
        ("from", &from),
        ("sha256", entry.sum()),
    ] {
        rows.push(vec![format!("  {name}"), one_line(value)]);
        data[name] = json!(value);
    }
    data["name"] = json!(entry.name);
    data["role"] = json!(entry.role);
    data["version"] = json!(entry.version);
    Reply::text(format!("{title}\n{}", table(&rows))).data(data)
}
