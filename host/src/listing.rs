//! `plugin list`: every plugin, where it is, and whether it is used.

mod roles;

use std::path::Path;

use bot_cli_sdk::discovery::{Plugin, PluginFile, Standing};
use bot_cli_sdk::outcome::Reply;
use bot_cli_sdk::protocol::Role;
use bot_cli_sdk::terminal::{one_line, table};
use serde_json::{Value, json};

use crate::added::Origins;
use crate::arguments;
use crate::environment::Environment;
use crate::roles::Survey;

/// The longest text of a column, as long as the longest name that a plugin can have.
const LONGEST: usize = 32;

/// A plugin in the list: what programs read, and what stands below the table.
struct Row {
    entry: Value,
    notes: Vec<Note>,
}

/// The remarks about a plugin.
struct Note {
    text: String,
    hint: Option<String>,
}

/// Lists the plugins.
pub fn list(environment: &Environment) -> Reply {
    let mut rows = rows(environment);
    let origins = Origins::read(environment);
    for row in &mut rows {
        row.add_origin(&origins);
    }
    if rows.is_empty() {
        return nothing(environment);
    }
    let mut reply = table_of(rows);
    if let Some(problem) = &origins.problem {
        reply.text.extend(["\n", &problem.message, "\n"]);
        for hint in &problem.hints {
            reply.text.extend(["  hint: ", hint, "\n"]);
        }
    }
    reply
}

/// Returns what programs read about every plugin.
pub fn entries(environment: &Environment) -> Vec<Value> {
    rows(environment).into_iter().map(|row| row.entry).collect()
}

fn rows(environment: &Environment) -> Vec<Row> {
    let found = environment.discovery.all(&arguments::RESERVED);
    let survey = Survey::make(&found, environment);
    let folders = survey.folders().map(|pack| roles::folder(pack, &survey));
    let mut rows: Vec<Row> = folders.collect();
    rows.extend(found.iter().map(|it| row(it, &found, &survey)));
    // A folder comes before the executables of its name.
    rows.sort_by(|one, other| {
        one.entry["name"]
            .as_str()
            .cmp(&other.entry["name"].as_str())
    });
    rows
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
            row.status(),
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

fn nothing(environment: &Environment) -> Reply {
    let folders: Vec<String> = environment
        .discovery
        .folders
        .iter()
        .map(|folder| format!("  {}", folder.display()))
        .collect();
    Reply::text(format!("no plugins in\n{}\n", folders.join("\n"))).data(json!({ "plugins": [] }))
}

impl Row {
    fn new(name: &str, file: &str) -> Self {
        Self {
            entry: json!({ "name": name, "file": file }),
            notes: Vec::new(),
        }
    }

    /// Says why the plugin has this status.
    fn because(mut self, status: &str, reason: String, hint: Option<String>) -> Self {
        self.entry["status"] = json!(status);
        self.entry["reason"] = json!(reason);
        if let Some(hint) = &hint {
            self.entry["hint"] = json!(hint);
        }
        self.notes.push(Note { text: reason, hint });
        self
    }

    /// Says where the plugin came from, if it was added, and whether it has changed since.
    fn add_origin(&mut self, origins: &Origins) {
        let Some(file) = self.entry["file"].as_str() else {
            return;
        };
        let Some(origin) = origins.of(Path::new(file)) else {
            return;
        };
        self.entry["added"] = origin.data();
        self.notes.push(Note {
            text: origin.words(),
            hint: None,
        });
        if let Some((text, hint)) = origin.problem() {
            self.notes.push(Note {
                text,
                hint: Some(hint),
            });
        }
    }

    /// The status, and who uses the plugin where that is not the user.
    fn status(&self) -> String {
        let status = shown(self.entry["status"].as_str().unwrap_or("-"));
        let users = self.entry["used_by"].as_array();
        let users = users.map(|users| users.iter().filter_map(Value::as_str).collect::<Vec<_>>());
        match users {
            Some(users) if !users.is_empty() => format!("{status} by {}", users.join(", ")),
            Some(_) | None => status,
        }
    }
}

/// One long name must not push everything else off the screen.
fn short(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn row(found: &PluginFile, all: &[PluginFile], survey: &Survey) -> Row {
    let row = Row::new(&found.name, &found.file.to_string_lossy());
    match &found.standing {
        Standing::Usable(plugin) => usable(row, plugin, all, survey),
        Standing::Shadowed(winner) => {
            let winner = winner.as_ref().map_or_else(
                || "a built-in command of bot-cli".to_owned(),
                |file| format!("`{}`", file.display()),
            );
            row.because("shadowed", format!("{winner} comes first"), None)
        }
        Standing::Unusable(unusable) => {
            row.because("refused", unusable.reason(), unusable.remedy(&found.file))
        }
        Standing::Misnamed => row.because(
            "refused",
            "its name is not made of lower-case letters, digits and hyphens, 32 at most".to_owned(),
            None,
        ),
    }
}

fn usable(mut row: Row, plugin: &Plugin, all: &[PluginFile], survey: &Survey) -> Row {
    let Some(manifest) = &plugin.manifest else {
        row.entry["status"] = json!("undeclared");
        row.entry["role"] = json!("command");
        return row;
    };
    row.entry["version"] = json!(manifest.version);
    row.entry["about"] = json!(manifest.about);
    row.entry["role"] = json!(manifest.role.name());
    row.entry["protocol"] = json!(manifest.protocol);
    if manifest.role == Role::Command {
        row.entry["status"] = json!("used");
        return row;
    }
    roles::judged(row, plugin, manifest, all, survey)
}

fn shown(text: &str) -> String {
    match one_line(text) {
        empty if empty.is_empty() => "-".to_owned(),
        text => text,
    }
}
