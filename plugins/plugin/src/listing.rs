//! `plugin list` and `plugin info`: show the path, status and origin of each plugin.

use bot_cli_engine::discovery::{BACKEND_PREFIX, Discovery, PREFIX, Refused};
use bot_cli_protocol::failure::Failure;
use bot_cli_protocol::outcome::Reply;
use bot_cli_sdk::session::Session;
use bot_cli_templates::pack;
use bot_cli_terminal::{cut, one_line, table};
use serde_json::{Value, json};

use crate::added::Home;
use crate::inventory::{self, Row, Status, effect_rows};
use crate::origin::origin;

/// The maximum length of the text in a column, equal to the maximum length of a plugin name.
const LONGEST: usize = 32;

pub fn list(discovery: &Discovery, session: &Session) -> Reply {
    let mut rows = inventory::rows(discovery);
    add_origins(&mut rows, discovery, session);
    let headings = ["NAME", "VERSION", "ROLE", "STATUS", "FILE"];
    let mut cells = vec![headings.map(str::to_owned).to_vec()];
    let mut notes = String::new();
    for row in &rows {
        let short = |text: &str| cut(&shown(text), LONGEST);
        let file = shown(&row.place.to_string_lossy());
        let version = row.manifest.as_ref().map_or("", |it| &it.version);
        let status = match one_line(&row.used_by.join(", ")).as_str() {
            "" => word(row.status),
            users => format!("{} by {users}", word(row.status)),
        };
        let columns = [short(&row.name), short(version), short(row.role()), status];
        cells.push([&columns[..], std::slice::from_ref(&file)].concat());
        let reason = row.unused.as_ref();
        let services = row.brought.iter().flat_map(|it| &it.left_out);
        let services = services.filter(|_| reason.is_none());
        for (note, hint) in reason
            .map(|it| (it.reason.clone(), it.remedy.clone()))
            .into_iter()
            .chain(services.map(|it| (it.clone(), None)))
            .chain(origins(row))
        {
            notes.extend(["\n", &file, ": ", &shown(&note)]);
            if let Some(hint) = hint {
                notes.extend(["\n  hint: ", &shown(&hint)]);
            }
        }
    }
    let gap = if notes.is_empty() { "" } else { "\n" };
    let entries: Vec<Value> = rows.iter().map(Row::document).collect();
    Reply::text(format!("{}{notes}{gap}", table(&cells))).data(json!({ "plugins": entries }))
}

/// Describes the plugin `name` and any other files with the same name.
pub fn info(name: &str, discovery: &Discovery, session: &Session) -> Result<Reply, Failure> {
    let name = name.strip_prefix(PREFIX).unwrap_or(name);
    let mut all = inventory::rows(discovery);
    // Other commands use the short names of packs and backends.
    let names = ["", pack::PREFIX, BACKEND_PREFIX].map(|prefix| format!("{prefix}{name}"));
    let called = |name: &&String| all.iter().any(|row| row.name == **name);
    let Some(name) = names.iter().find(called) else {
        return Err(inventory::unknown(name, all.iter().map(|row| &*row.name)));
    };
    all.retain(|row| row.name == *name);
    add_origins(&mut all, discovery, session);
    let (texts, entries): (Vec<String>, Vec<Value>) = all.iter().map(details).unzip();
    Ok(Reply::text(texts.join("\n")).data(json!({ "plugins": entries })))
}

fn details(row: &Row) -> (String, Value) {
    let manifest = row.manifest.clone().unwrap_or_default();
    let root = manifest.command.unwrap_or_default();
    let commands = root.commands.into_iter().filter(|it| !it.hidden);
    let commands: Vec<String> = commands.map(|it| it.name).collect();
    let variables = manifest.environment.into_iter().map(|it| it.name);
    let settings = manifest.settings.into_iter().map(|it| it.name);
    let (variables, settings): (Vec<_>, Vec<_>) = (variables.collect(), settings.collect());
    let (reason, hint) = match row.unused.clone() {
        Some(Refused { reason, remedy }) => (reason, remedy.unwrap_or_default()),
        None => Default::default(),
    };
    let services = row.brought.as_ref().map(|it| it.services.clone());
    let all = |names: &[String]| {
        let names: Vec<String> = names.iter().map(|name| one_line(name)).collect();
        names.join(", ")
    };
    let members = [
        ("name", row.name.clone()),
        ("about", manifest.about),
        ("version", manifest.version),
        ("role", row.role().to_owned()),
        ("protocol", manifest.protocol),
        ("file", row.place.to_string_lossy().into_owned()),
        ("status", word(row.status)),
        ("reason", reason),
        ("hint", hint),
        ("used by", row.used_by.join(", ")),
        ("services", services.unwrap_or_default().join(", ")),
        ("commands", all(&commands)),
        ("variables", all(&variables)),
        ("settings", all(&settings)),
    ];
    let members = members.map(|(name, value)| vec![name.to_owned(), one_line(&value)]);
    let mut rows: Vec<Vec<String>> = members
        .into_iter()
        .filter(|row| !row[1].is_empty())
        .collect();
    rows.extend(effect_rows(&row.effects(), ""));
    for (note, hint) in origins(row) {
        let what = if hint.is_some() { "warning" } else { "origin" };
        rows.push(vec![what.to_owned(), one_line(&note)]);
        rows.extend(hint.map(|hint| vec!["hint".to_owned(), hint]));
    }
    let mut entry = row.document();
    entry["commands"] = json!(commands);
    entry["variables"] = json!(variables);
    entry["settings"] = json!(settings);
    entry["effects"] = json!(row.effects());
    (table(&rows), entry)
}

fn add_origins(rows: &mut [Row], discovery: &Discovery, session: &Session) {
    let home = match Home::read(discovery) {
        Ok(home) => home,
        Err(failure) if failure.code == "no_folder" => return,
        Err(failure) => {
            session.warn(&failure.message);
            for hint in &failure.hints {
                session.warn(hint);
            }
            return;
        }
    };
    for row in rows {
        let origin = home.origin(&row.place);
        row.added = origin.map(|(entry, changed)| (entry.clone(), changed));
    }
}

/// Returns notes about an added plugin's origin. A note that requires action has a hint.
fn origins(row: &Row) -> Vec<(String, Option<String>)> {
    let Some((entry, changed)) = &row.added else {
        return Vec::new();
    };
    let mut origin = format!("added from {}, sha256 {}", origin(&entry.from), entry.sum());
    if entry.forced {
        origin += ", with --force in place of the one of bot-cli";
    }
    let warning = "changed since it was added".to_owned();
    let hint = format!("bot-cli plugin upgrade {} --force", row.name);
    let warning = changed.then_some((warning, Some(hint)));
    [(origin, None)].into_iter().chain(warning).collect()
}

fn word(status: Status) -> String {
    json!(status).as_str().unwrap_or_default().to_owned()
}

fn shown(text: &str) -> String {
    match one_line(text) {
        empty if empty.is_empty() => "-".to_owned(),
        text => text,
    }
}
