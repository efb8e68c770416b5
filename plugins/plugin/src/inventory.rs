//! Every plugin, and whether it is used, for those who list them.

mod roles;

use bot_cli_engine::discovery::{Discovery, Plugin, PluginFile, Standing};
use bot_cli_protocol::{Manifest, Role};
use serde_json::{Value, json};

use crate::roles::Survey;

/// A plugin in the list: what programs read, and what stands below the table.
pub struct Row {
    /// The members, for programs.
    pub entry: Value,
    /// The remarks, for people.
    pub notes: Vec<Note>,
    /// The declaration, if it can be used.
    pub manifest: Option<Manifest>,
}

/// A remark about a plugin.
pub struct Note {
    /// The remark.
    pub text: String,
    /// What to do about it.
    pub hint: Option<String>,
}

/// Every plugin, by name.
pub fn rows(discovery: &Discovery) -> Vec<Row> {
    let found = discovery.all();
    let survey = Survey::make(&found, discovery);
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
pub fn entries(discovery: &Discovery) -> Vec<Value> {
    rows(discovery).into_iter().map(|row| row.entry).collect()
}

/// The names of the plugins that can be used, and what they are, for completion.
pub fn names(discovery: &Discovery) -> Vec<(String, String)> {
    let entries = entries(discovery).into_iter();
    let usable = entries.filter(|entry| entry["status"] != "refused");
    usable
        .map(|entry| {
            let text = |key: &str| entry[key].as_str().unwrap_or_default().to_owned();
            (text("name"), text("about"))
        })
        .collect()
}

impl Row {
    fn new(name: &str, file: &str) -> Self {
        Self {
            entry: json!({ "name": name, "file": file }),
            notes: Vec::new(),
            manifest: None,
        }
    }

    /// Takes what is declared into the entry.
    fn declare(&mut self, manifest: &Manifest) {
        self.entry["version"] = json!(manifest.version);
        self.entry["about"] = json!(manifest.about);
        self.entry["role"] = json!(manifest.role.name());
        self.entry["protocol"] = json!(manifest.protocol);
        self.manifest = Some(manifest.clone());
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
        Standing::Shadowed(_) | Standing::Unusable(_) | Standing::Misnamed => {
            let (status, reason, hint) = found.unused().unwrap_or_default();
            row.because(status, reason, hint)
        }
    }
}

fn usable(mut row: Row, plugin: &Plugin, all: &[PluginFile], survey: &Survey) -> Row {
    let Some(manifest) = &plugin.manifest else {
        row.entry["status"] = json!("undeclared");
        row.entry["role"] = json!("command");
        return row;
    };
    row.declare(manifest);
    if manifest.role == Role::Command {
        row.entry["status"] = json!("used");
        return row;
    }
    roles::judged(row, plugin, manifest, all, survey)
}
