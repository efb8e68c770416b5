//! `plugin list`: every plugin, where it is, and whether it is used.

use bot_cli_engine::discovery::Discovery;
use bot_cli_protocol::outcome::Reply;
use bot_cli_sdk::session::{Level, Session};
use bot_cli_terminal::{cut, one_line, table};
use serde_json::{Value, json};

use crate::added::Home;
use crate::inventory::{self, Row};

/// The longest text of a column, as long as the longest name of a plugin.
const LONGEST: usize = 32;

/// Lists the plugins.
pub fn list(discovery: &Discovery, session: &mut Session) -> Reply {
    let mut rows = inventory::rows(discovery);
    add_origins(&mut rows, discovery, session);
    let mut cells = vec![
        ["NAME", "VERSION", "ROLE", "STATUS", "FILE"]
            .map(str::to_owned)
            .to_vec(),
    ];
    let mut notes = String::new();
    for row in &rows {
        let cell = |key: &str| shown(row.entry[key].as_str().unwrap_or("-"));
        let file = cell("file");
        let short = |key: &str| cut(&cell(key), LONGEST);
        cells.push(vec![
            short("name"),
            short("version"),
            short("role"),
            status(row),
            file.clone(),
        ]);
        for (note, hint) in &row.notes {
            notes.extend(["\n", &file, ": ", &shown(note)]);
            if let Some(hint) = hint {
                notes.extend(["\n  hint: ", &shown(hint)]);
            }
        }
    }
    let gap = if notes.is_empty() { "" } else { "\n" };
    let entries: Vec<Value> = rows.into_iter().map(|row| row.entry).collect();
    Reply::text(format!("{}{notes}{gap}", table(&cells))).data(json!({ "plugins": entries }))
}

/// Adds the origin of the plugins that were added, and whether they have changed since.
pub fn add_origins(rows: &mut [Row], discovery: &Discovery, session: &mut Session) {
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
        let Some((entry, now)) = home.origin(row.place()) else {
            continue;
        };
        row.entry["added"] = json!({
            "from": entry.from,
            "from_sha256": entry.from_sha256,
            "sha256": entry.sha256,
            "changed": now.is_some(),
        });
        let origin = format!("added from {}, sha256 {}", entry.from, entry.sha256);
        row.notes.push((origin, None));
        if let Some(now) = now {
            let changed = format!("changed since it was added: its sha256 is now {now}");
            let hint = format!("bot-cli plugin upgrade {} --force", entry.name);
            row.notes.push((changed, Some(hint)));
        }
    }
}

/// Returns the status, and the commands that use the plugin.
fn status(row: &Row) -> String {
    let status = shown(row.entry["status"].as_str().unwrap_or("-"));
    let users = row.entry["used_by"].as_array().into_iter().flatten();
    let users: Vec<&str> = users.filter_map(Value::as_str).collect();
    if users.is_empty() {
        return status;
    }
    format!("{status} by {}", users.join(", "))
}

fn shown(text: &str) -> String {
    match one_line(text) {
        empty if empty.is_empty() => "-".to_owned(),
        text => text,
    }
}
