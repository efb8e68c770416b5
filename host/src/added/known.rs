//! What was added before: by the name that somebody gives, and whether a command may change it.

use std::path::{Path, PathBuf};

use bot_cli_sdk::discovery::{PREFIX, PluginName};
use bot_cli_sdk::failure::{Exit, Failure};
use bot_cli_sdk::suggest;

use super::Context;
use super::candidate::{self, Candidate};
use super::given::word;
use super::home::{Form, Home};
use super::record::{Entry, Record};
use crate::environment::Environment;
use crate::roles;

/// The entry of the plugin that somebody means by `name`.
pub fn known<'a>(name: &str, context: &'a Context<'_>) -> Result<&'a Entry, Failure> {
    let record = &context.record;
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

/// The failure for a plugin that was added, and is not in its place any more.
pub fn gone(name: &str, environment: &Environment) -> Option<Failure> {
    let home = Home::find(environment).ok()?;
    let record = Record::read(&home).ok()?;
    let entry = record.entry(name)?;
    let place = home.place(name, entry.form);
    let message = format!("`{}`, which was added, is gone", place.display());
    let file = if source(entry).is_ok() { "" } else { " FILE" };
    Some(
        Failure::new(Exit::NotFound, "not_found", message)
            .hint(format!(
                "to have it back: bot-cli plugin upgrade {name}{file}"
            ))
            .hint(format!("to forget it: bot-cli plugin remove {name}")),
    )
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
        return Some(recording(failure(&place), name, form, context));
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

/// Adds to the failure for what is in a place, but not in the record, how it is recorded.
pub fn recording(
    failure: Failure,
    name: &PluginName,
    form: Form,
    context: &Context<'_>,
) -> Failure {
    let place = context.home.place(name.as_str(), form);
    if candidate::is_usable(name, form, &place, context.environment) {
        let add = format!("bot-cli plugin add {}", word(&place));
        return failure.hint(format!("to have it recorded as it is: {add}"));
    }
    failure
}

/// Refuses a plugin in another form than that in which it was added: the old one would stay, and nobody would know of it.
pub fn check_form(old: &Entry, candidate: &Candidate, given: &Path) -> Result<(), Failure> {
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
pub fn source(entry: &Entry) -> Result<PathBuf, Failure> {
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

/// Refuses to change a plugin that somebody else has changed since it was added.
pub fn check_unchanged(
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
