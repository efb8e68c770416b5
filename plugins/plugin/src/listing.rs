//! `plugin list` and `plugin info`: show the path, status and origin of each plugin.

use bot_cli_engine::discovery::{BACKEND_PREFIX, Discovery, PREFIX};
use bot_cli_protocol::Manifest;
use bot_cli_protocol::failure::Failure;
use bot_cli_protocol::outcome::Reply;
use bot_cli_sdk::session::{Level, Session};
use bot_cli_templates::pack;
use bot_cli_terminal::{cut, one_line, table};
use serde_json::{Value, json};

use crate::added::Home;
use crate::inventory::{self, Row, effect_rows};

/// The maximum length of the text in a column, equal to the maximum length of a plugin name.
const LONGEST: usize = 32;

const SHOWN: [&str; 14] = [
    "name",
    "about",
    "version",
    "role",
    "protocol",
    "file",
    "status",
    "reason",
    "hint",
    "used by",
    "services",
    "commands",
    "variables",
    "settings",
];

pub fn list(discovery: &Discovery, session: &Session) -> Reply {
    let mut rows = inventory::rows(discovery);
    add_origins(&mut rows, discovery, session);
    let headings = ["NAME", "VERSION", "ROLE", "STATUS", "FILE"];
    let mut cells = vec![headings.map(str::to_owned).to_vec()];
    let mut notes = String::new();
    for row in &rows {
        let cell = |key: &str| shown(row.entry[key].as_str().unwrap_or_default());
        let short = |key: &str| cut(&cell(key), LONGEST);
        let file = cell("file");
        let users = words(&row.entry["used_by"]);
        let status = match users.as_str() {
            "" => cell("status"),
            users => format!("{} by {users}", cell("status")),
        };
        let columns = [short("name"), short("version"), short("role"), status];
        cells.push([&columns[..], std::slice::from_ref(&file)].concat());
        let hint = row.entry["hint"].as_str().map(str::to_owned);
        let reasons = row.entry["reason"].as_str().map(|it| (it.to_owned(), hint));
        let services = row.entry["left_out"].as_array().into_iter().flatten();
        let services = services.filter(|_| reasons.is_none());
        let services = services.filter_map(|it| Some((it.as_str()?.to_owned(), None)));
        for (note, hint) in reasons
            .clone()
            .into_iter()
            .chain(services)
            .chain(origins(row))
        {
            notes.extend(["\n", &file, ": ", &shown(&note)]);
            if let Some(hint) = hint {
                notes.extend(["\n  hint: ", &shown(&hint)]);
            }
        }
    }
    let gap = if notes.is_empty() { "" } else { "\n" };
    let entries: Vec<Value> = rows.into_iter().map(|row| row.entry).collect();
    Reply::text(format!("{}{notes}{gap}", table(&cells))).data(json!({ "plugins": entries }))
}

/// Describes the plugin `name` and any other files with the same name.
pub fn info(name: &str, discovery: &Discovery, session: &Session) -> Result<Reply, Failure> {
    let name = name.strip_prefix(PREFIX).unwrap_or(name);
    let mut all = inventory::rows(discovery);
    // Other commands use the short names of packs and backends.
    let names = ["", pack::PREFIX, BACKEND_PREFIX].map(|prefix| format!("{prefix}{name}"));
    let called = |name: &&String| all.iter().any(|row| row.name() == **name);
    let Some(name) = names.iter().find(called) else {
        return Err(inventory::unknown(name, all.iter().map(Row::name)));
    };
    all.retain(|row| row.name() == name);
    add_origins(&mut all, discovery, session);
    let (texts, entries): (Vec<String>, Vec<Value>) = all.into_iter().map(details).unzip();
    Ok(Reply::text(texts.join("\n")).data(json!({ "plugins": entries })))
}

fn details(row: Row) -> (String, Value) {
    let origins = origins(&row);
    let mut entry = row.entry;
    let manifest = row.manifest.unwrap_or_else(|| Manifest::new(""));
    let root = manifest.command.unwrap_or_default();
    let commands = root.commands.iter().filter(|it| !it.hidden);
    entry["commands"] = commands.map(|it| &*it.name).collect();
    entry["variables"] = manifest.environment.iter().map(|it| &*it.name).collect();
    entry["settings"] = manifest.settings.iter().map(|it| &*it.name).collect();
    let members = SHOWN.iter().map(|name| {
        let value = &entry[name.replace(' ', "_")];
        vec![(*name).to_owned(), words(value)]
    });
    let mut rows: Vec<Vec<String>> = members.filter(|row| !row[1].is_empty()).collect();
    rows.extend(effect_rows(&row.effects, ""));
    for (note, hint) in origins {
        let what = if hint.is_some() { "warning" } else { "origin" };
        rows.push(vec![what.to_owned(), one_line(&note)]);
        rows.extend(hint.map(|hint| vec!["hint".to_owned(), hint]));
    }
    entry["effects"] = json!(row.effects);
    (table(&rows), entry)
}

fn add_origins(rows: &mut [Row], discovery: &Discovery, session: &Session) {
    let home = match Home::read(discovery) {
        Ok(home) => home,
        Err(failure) if failure.code == "no_folder" => return,
        Err(failure) => {
            session.log(Level::Warn, &failure.message);
            for hint in &failure.hints {
                session.log(Level::Warn, hint);
            }
            return;
        }
    };
    for row in rows {
        if let Some((entry, is_changed)) = home.origin(row.place()) {
            let (from, sha256) = (&entry.from, entry.sum());
            row.entry["added"] = json!({ "from": from, "sha256": sha256, "changed": is_changed });
            row.entry["added"]["forced"] = json!(entry.forced);
        }
    }
}

/// Returns notes about an added plugin's origin. A note that requires action has a hint.
fn origins(row: &Row) -> Vec<(String, Option<String>)> {
    let added = &row.entry["added"];
    let text = |key: &str| added[key].as_str().unwrap_or_default();
    let mut origin = format!("added from {}, sha256 {}", text("from"), text("sha256"));
    if added["forced"] == true {
        origin += ", with --force in place of the one of bot-cli";
    }
    let changed = "changed since it was added".to_owned();
    let hint = format!("bot-cli plugin upgrade {} --force", row.name());
    match added["changed"].as_bool() {
        None => Vec::new(),
        Some(false) => vec![(origin, None)],
        Some(true) => vec![(origin, None), (changed, Some(hint))],
    }
}

/// Returns a JSON string, or the strings of a JSON array joined with commas.
fn words(value: &Value) -> String {
    let list = value.as_array().into_iter().flatten();
    let words: Vec<String> = list
        .chain([value])
        .filter_map(Value::as_str)
        .map(one_line)
        .collect();
    words.join(", ")
}

fn shown(text: &str) -> String {
    match one_line(text) {
        empty if empty.is_empty() => "-".to_owned(),
        text => text,
    }
}
