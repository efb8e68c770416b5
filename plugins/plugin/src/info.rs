//! `plugin info`: what is known of a plugin, from its manifest and the record of what was added.

use std::path::Path;

use bot_cli_engine::discovery::{BACKEND_PREFIX, Discovery, PREFIX};
use bot_cli_protocol::Manifest;
use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::outcome::Reply;
use bot_cli_protocol::suggest;
use bot_cli_templates::pack;
use bot_cli_terminal::{one_line, table};
use serde_json::{Value, json};

use crate::added::{Origins, gone, meant};
use crate::inventory::{self, Row};
use crate::roles;

/// The members of an entry that are shown as they are.
const SHOWN: [&str; 9] = [
    "name", "about", "version", "role", "protocol", "file", "status", "reason", "hint",
];

/// Shows the plugin `name`, and the other files of its name.
pub fn info(name: &str, discovery: &Discovery) -> Result<Reply, Failure> {
    let name = name.strip_prefix(PREFIX).unwrap_or(name);
    let all = inventory::rows(discovery);
    // Packs and backends are known by their short names elsewhere.
    let names = ["", pack::PREFIX, BACKEND_PREFIX].map(|prefix| format!("{prefix}{name}"));
    let called = |name: &&String| all.iter().any(|row| row.entry["name"] == **name);
    let Some(name) = names.iter().find(called) else {
        return Err(gone(name, discovery).unwrap_or_else(|| unknown(name, discovery)));
    };
    let origins = Origins::read(discovery);
    let mut texts = Vec::new();
    let mut entries = Vec::new();
    for row in all.into_iter().filter(|row| row.entry["name"] == *name) {
        let (text, entry) = of(row, &origins, discovery);
        texts.push(text);
        entries.push(entry);
    }
    let reply = Reply::text(texts.join("\n")).data(json!({ "plugins": entries }));
    Ok(origins.add_problem(reply))
}

/// What people and programs read about a plugin.
fn of(row: Row, origins: &Origins, discovery: &Discovery) -> (String, Value) {
    let Row {
        mut entry,
        manifest,
        ..
    } = row;
    let manifest = manifest.unwrap_or_else(|| Manifest::new(""));
    let mut rows = Vec::new();
    let mut add = |name: &str, value: String| {
        if !value.is_empty() {
            rows.push(vec![name.to_owned(), value]);
        }
    };
    for key in SHOWN {
        add(key, one_line(entry[key].as_str().unwrap_or_default()));
    }
    let root = manifest.command.unwrap_or_default();
    let commands: Vec<_> = root.commands.iter().filter(|it| !it.hidden).collect();
    for (name, key) in [("used by", "used_by"), ("services", "services")] {
        let values = entry[key].as_array().into_iter().flatten();
        add(name, list(values.filter_map(Value::as_str).map(one_line)));
    }
    let names = commands.iter().map(|it| one_line(&it.name));
    add("commands", list(names));
    let names = manifest.environment.iter().map(|it| one_line(&it.name));
    add("variables", list(names));
    let names = manifest.settings.iter().map(|it| one_line(&it.name));
    add("settings", list(names));
    entry["commands"] = commands
        .iter()
        .map(|it| json!({ "name": one_line(&it.name), "about": one_line(&it.about) }))
        .collect();
    let place = Path::new(entry["file"].as_str().unwrap_or_default()).to_owned();
    if entry["role"] == "provider-pack" {
        let effects = roles::effects(&place, discovery);
        rows.extend(roles::effect_rows(&effects, ""));
        if !effects.is_empty() {
            entry["effects"] = json!(effects);
        }
    }
    if let Some(origin) = origins.of(&place) {
        rows.push(vec!["origin".to_owned(), one_line(&origin.words())]);
        if let Some((problem, hint)) = origin.problem() {
            rows.push(vec!["warning".to_owned(), problem]);
            rows.push(vec!["hint".to_owned(), hint]);
        }
        entry["added"] = origin.data();
    }
    (table(&rows), entry)
}

fn list(values: impl Iterator<Item = String>) -> String {
    values.collect::<Vec<_>>().join(", ")
}

/// The failure where there is no plugin of that name, used or not.
pub fn unknown(name: &str, discovery: &Discovery) -> Failure {
    let message = if suggest::is_plain(name) {
        format!("there is no plugin `{name}`")
    } else {
        "there is no such plugin".to_owned()
    };
    let failure = Failure::new(Exit::Failed, "not_found", message);
    let all = inventory::rows(discovery);
    let names = all.iter().filter_map(|row| row.entry["name"].as_str());
    meant(failure, name, names).hint("bot-cli plugin list")
}
