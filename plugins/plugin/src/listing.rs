//! `plugin list`: every plugin, where it is, and whether it is used.

use std::path::Path;

use bot_cli_protocol::outcome::Reply;
use bot_cli_terminal::{one_line, table};
use serde_json::{Value, json};

use crate::added::Origins;
use crate::inventory::{self, Note, Row};
use bot_cli_engine::discovery::Discovery;

/// The longest text of a column, as long as the longest name that a plugin can have.
const LONGEST: usize = 32;

/// Lists the plugins.
pub fn list(discovery: &Discovery) -> Reply {
    let mut rows = inventory::rows(discovery);
    let origins = Origins::read(discovery);
    for row in &mut rows {
        add_origin(row, &origins);
    }
    origins.add_problem(if rows.is_empty() {
        nothing(discovery)
    } else {
        table_of(rows)
    })
}

fn table_of(rows: Vec<Row>) -> Reply {
    let mut cells = vec![
        ["NAME", "VERSION", "ROLE", "STATUS", "FILE"]
            .map(str::to_owned)
            .to_vec(),
    ];
    let mut notes = String::new();
    for row in &rows {
        let cell = |key: &str| shown(row.entry[key].as_str().unwrap_or("-"));
        let file = cell("file");
        cells.push(vec![
            short(&cell("name")),
            short(&cell("version")),
            short(&cell("role")),
            status(row),
            file.clone(),
        ]);
        for note in &row.notes {
            notes.extend(["\n", &file, ": ", &shown(&note.text)]);
            if let Some(hint) = &note.hint {
                notes.extend(["\n  hint: ", &shown(hint)]);
            }
        }
    }
    let gap = if notes.is_empty() { "" } else { "\n" };
    let entries: Vec<Value> = rows.into_iter().map(|row| row.entry).collect();
    Reply::text(format!("{}{notes}{gap}", table(&cells))).data(json!({ "plugins": entries }))
}

fn nothing(discovery: &Discovery) -> Reply {
    let folders: Vec<String> = discovery
        .folders
        .iter()
        .map(|folder| format!("  {}", folder.display()))
        .collect();
    Reply::text(format!("no plugins in\n{}\n", folders.join("\n"))).data(json!({ "plugins": [] }))
}

/// Says where the plugin came from, if it was added, and whether it has changed since.
fn add_origin(row: &mut Row, origins: &Origins) {
    let file = row.entry["file"].as_str();
    let Some(origin) = file.and_then(|file| origins.of(Path::new(file))) else {
        return;
    };
    row.entry["added"] = origin.data();
    row.notes.push(Note {
        text: origin.words(),
        hint: None,
    });
    if let Some((text, hint)) = origin.problem() {
        row.notes.push(Note {
            text,
            hint: Some(hint),
        });
    }
}

/// The status, and who uses the plugin where that is not the user.
fn status(row: &Row) -> String {
    let status = shown(row.entry["status"].as_str().unwrap_or("-"));
    let users = row.entry["used_by"].as_array();
    let users = users.map(|users| users.iter().filter_map(Value::as_str).collect::<Vec<_>>());
    match users {
        Some(users) if !users.is_empty() => format!("{status} by {}", users.join(", ")),
        Some(_) | None => status,
    }
}

/// One long name must not push everything else off the screen.
fn short(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn shown(text: &str) -> String {
    match one_line(text) {
        empty if empty.is_empty() => "-".to_owned(),
        text => text,
    }
}
