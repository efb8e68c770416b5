//! Every plugin, and whether it is used, for those who list them.

mod roles;

use bot_cli_sdk::discovery::{Plugin, PluginFile, Standing};
use bot_cli_sdk::protocol::Role;
use serde_json::{Value, json};

use crate::arguments;
use crate::environment::Environment;
use crate::roles::Survey;

/// A plugin in the list: what programs read, and what stands below the table.
pub struct Row {
    /// The members, for programs.
    pub entry: Value,
    /// The remarks, for people.
    pub notes: Vec<Note>,
}

/// A remark about a plugin.
pub struct Note {
    /// The remark.
    pub text: String,
    /// What to do about it.
    pub hint: Option<String>,
}

/// Every plugin, by name.
pub fn rows(environment: &Environment) -> Vec<Row> {
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

/// Returns what programs read about every plugin.
pub fn entries(environment: &Environment) -> Vec<Value> {
    rows(environment).into_iter().map(|row| row.entry).collect()
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
