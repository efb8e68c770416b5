//! `plugin info`: what is known of a plugin, from its manifest and the record of what was added.

use std::path::Path;

use bot_cli_sdk::discovery::{PREFIX, PluginName, Standing};
use bot_cli_sdk::failure::{Exit, Failure};
use bot_cli_sdk::outcome::Reply;
use bot_cli_sdk::protocol::{CommandSpec, Manifest};
use bot_cli_sdk::suggest;
use bot_cli_sdk::terminal::{one_line, table};
use serde_json::{Value, json};

use crate::added::{Origins, gone};
use crate::arguments;
use crate::environment::Environment;
use crate::inventory;
use crate::roles;

/// Shows the plugin `name`, and the other files of its name.
pub fn info(name: &str, environment: &Environment) -> Result<Reply, Failure> {
    let name = name.strip_prefix(PREFIX).unwrap_or(name);
    let all = inventory::entries(environment);
    let mut entries: Vec<Value> = all
        .iter()
        .filter(|entry| entry["name"] == name)
        .cloned()
        .collect();
    if entries.is_empty() {
        return Err(gone(name, environment).unwrap_or_else(|| not_found(name, &all)));
    }
    let origins = Origins::read(environment);
    let mut text = String::new();
    for entry in &mut entries {
        let file = entry["file"].as_str().unwrap_or_default().to_owned();
        if !text.is_empty() {
            text.push('\n');
        }
        let manifest = manifest(name, Path::new(&file), environment);
        let commands = manifest.as_ref().and_then(|it| it.command.as_ref());
        let commands: Vec<Value> = commands
            .map(|root| root.commands.iter())
            .into_iter()
            .flatten()
            .filter(|command| !command.hidden)
            .map(command)
            .collect();
        let origin = origins.of(Path::new(&file));
        let mut rows = Vec::new();
        let mut row = |name: &str, value: String| {
            if !value.is_empty() {
                rows.push(vec![name.to_owned(), value]);
            }
        };
        let of = |key: &str| one_line(entry[key].as_str().unwrap_or_default());
        row("name", of("name"));
        row("about", of("about"));
        row("version", of("version"));
        row("role", of("role"));
        row("protocol", of("protocol"));
        row("file", of("file"));
        row("status", of("status"));
        row("reason", of("reason"));
        row("hint", of("hint"));
        row("used by", list(&entry["used_by"]));
        row("services", list(&entry["services"]));
        row(
            "commands",
            list(&commands.iter().map(|it| it["name"].clone()).collect()),
        );
        if let Some(manifest) = &manifest {
            let variables = manifest.environment.iter();
            row(
                "variables",
                list(&variables.map(|it| json!(it.name)).collect()),
            );
            let settings = manifest.settings.iter();
            row(
                "settings",
                list(&settings.map(|it| json!(it.name)).collect()),
            );
        }
        if let Some(origin) = &origin {
            row("origin", one_line(&origin.words()));
            if let Some((problem, hint)) = origin.problem() {
                row("warning", problem);
                row("hint", hint);
            }
        }
        text.push_str(&table(&rows));
        entry["commands"] = json!(commands);
        if let Some(origin) = &origin {
            entry["added"] = origin.data();
        }
    }
    let reply = Reply::text(text).data(json!({ "plugins": entries }));
    Ok(origins.add_problem(reply))
}

/// The failure where there is no plugin of that name, used or not.
pub fn unknown(name: &str, environment: &Environment) -> Failure {
    not_found(name, &inventory::entries(environment))
}

fn not_found(name: &str, all: &[Value]) -> Failure {
    let message = if suggest::is_plain(name) {
        format!("there is no plugin `{name}`")
    } else {
        "there is no such plugin".to_owned()
    };
    let failure = Failure::new(Exit::NotFound, "not_found", message);
    let names = || all.iter().filter_map(|entry| entry["name"].as_str());
    let mut near = suggest::near(name, names());
    // Packs and backends are known by their short names elsewhere.
    for known in names() {
        let short = known.split_once('-').map(|(_, short)| short);
        if short == Some(name) && !near.contains(&known) {
            near.push(known);
        }
    }
    let failure = if near.is_empty() {
        failure
    } else {
        failure.hint(suggest::did_you_mean(&near))
    };
    failure.hint("bot-cli plugin list")
}

/// The manifest of the plugin in `place`, if it can be used.
fn manifest(name: &str, place: &Path, environment: &Environment) -> Option<Manifest> {
    if let Some(pack) = roles::folder(name, environment)
        && pack.place == place
    {
        return pack.manifest;
    }
    PluginName::parse(name)?;
    let found = environment.discovery.all(&arguments::RESERVED);
    found.into_iter().find_map(|found| match found.standing {
        Standing::Usable(plugin) if found.file == place => plugin.manifest,
        Standing::Usable(_)
        | Standing::Shadowed(_)
        | Standing::Unusable(_)
        | Standing::Misnamed => None,
    })
}

fn command(command: &CommandSpec) -> Value {
    json!({ "name": one_line(&command.name), "about": one_line(&command.about) })
}

fn list(values: &Value) -> String {
    let values = values.as_array().map(Vec::as_slice).unwrap_or_default();
    let values: Vec<String> = values
        .iter()
        .filter_map(Value::as_str)
        .map(one_line)
        .collect();
    values.join(", ")
}
