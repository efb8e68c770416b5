//! `plugin info`: a plugin's manifest, standing and origin.

use bot_cli_engine::discovery::{BACKEND_PREFIX, Discovery, PREFIX};
use bot_cli_protocol::Manifest;
use bot_cli_protocol::failure::Failure;
use bot_cli_protocol::outcome::Reply;
use bot_cli_sdk::session::Session;
use bot_cli_templates::pack;
use bot_cli_terminal::{one_line, table};
use serde_json::{Value, json};

use crate::inventory::{self, Row, effect_rows};
use crate::listing::add_origins;

/// The members of an entry that are shown as they are.
const SHOWN: [&str; 9] = [
    "name", "about", "version", "role", "protocol", "file", "status", "reason", "hint",
];

/// Shows the plugin `name`, and the other files of its name.
pub fn info(name: &str, discovery: &Discovery, session: &mut Session) -> Result<Reply, Failure> {
    let name = name.strip_prefix(PREFIX).unwrap_or(name);
    let mut all = inventory::rows(discovery);
    // Packs and backends are known by their short names elsewhere.
    let names = ["", pack::PREFIX, BACKEND_PREFIX].map(|prefix| format!("{prefix}{name}"));
    let called = |name: &&String| all.iter().any(|row| row.name() == **name);
    let Some(name) = names.iter().find(called) else {
        return Err(inventory::unknown(name, all.iter().map(Row::name)));
    };
    all.retain(|row| row.name() == name);
    for row in &mut all {
        row.notes.clear();
    }
    add_origins(&mut all, discovery, session);
    let (texts, entries): (Vec<String>, Vec<Value>) = all.into_iter().map(shown).unzip();
    Ok(Reply::text(texts.join("\n")).data(json!({ "plugins": entries })))
}

/// Returns the text and the members of a plugin.
fn shown(row: Row) -> (String, Value) {
    let Row {
        mut entry,
        notes,
        manifest,
        effects,
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
        add(name, list(values.filter_map(Value::as_str)));
    }
    add("commands", list(commands.iter().map(|it| &*it.name)));
    let variables = manifest.environment.iter().map(|it| &*it.name);
    add("variables", list(variables));
    let settings = manifest.settings.iter().map(|it| &*it.name);
    add("settings", list(settings));
    entry["commands"] = commands
        .iter()
        .map(|it| json!({ "name": one_line(&it.name), "about": one_line(&it.about) }))
        .collect();
    rows.extend(effect_rows(&effects, ""));
    if !effects.is_empty() {
        entry["effects"] = json!(effects);
    }
    for (note, hint) in notes {
        let what = if hint.is_some() { "warning" } else { "origin" };
        rows.push(vec![what.to_owned(), one_line(&note)]);
        rows.extend(hint.map(|hint| vec!["hint".to_owned(), hint]));
    }
    (table(&rows), entry)
}

fn list<'a>(values: impl Iterator<Item = &'a str>) -> String {
    values.map(one_line).collect::<Vec<_>>().join(", ")
}
