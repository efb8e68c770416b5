//! Where plugins came from, for those who list them.

use std::path::Path;

use bot_cli_sdk::failure::Failure;
use bot_cli_sdk::outcome::Reply;
use serde_json::{Value, json};

use super::home::Home;
use super::record::{Entry, Record};
use super::sum;
use crate::environment::Environment;

/// The origin of the plugins that were added.
#[derive(Debug, Default)]
pub struct Origins {
    home: Option<Home>,
    entries: Vec<Entry>,
    problem: Option<Failure>,
}

/// The origin of a plugin.
#[derive(Debug)]
pub struct Origin {
    entry: Entry,
    /// The sum of the file or folder as it is now, if it is another.
    now: Option<String>,
}

impl Origins {
    /// Reads where the plugins came from.
    pub fn read(environment: &Environment) -> Self {
        let Ok(home) = Home::find(environment) else {
            return Self::default();
        };
        match Record::read(&home) {
            Ok(record) => Self {
                home: Some(home),
                entries: record.entries,
                problem: None,
            },
            Err(problem) => Self {
                problem: Some(problem),
                ..Self::default()
            },
        }
    }

    /// Adds to what a command says why the record can't be read.
    pub fn add_problem(&self, mut reply: Reply) -> Reply {
        let Some(problem) = &self.problem else {
            return reply;
        };
        reply.text.extend(["\n", &problem.message, "\n"]);
        for hint in &problem.hints {
            reply.text.extend(["  hint: ", hint, "\n"]);
        }
        if let Value::Object(data) = &mut reply.data {
            let problem = json!({ "message": problem.message, "hints": problem.hints });
            data.insert("record_problem".to_owned(), problem);
        }
        reply
    }

    /// The origin of the plugin in `place`, if it was added.
    pub fn of(&self, place: &Path) -> Option<Origin> {
        let home = self.home.as_ref()?;
        let mut entries = self.entries.iter();
        let entry = entries.find(|entry| home.place(&entry.name, entry.form) == place)?;
        let now = sum::of(place).unwrap_or_else(|_| "unreadable".to_owned());
        Some(Origin {
            now: Some(now).filter(|now| *now != entry.sha256),
            entry: entry.clone(),
        })
    }
}

impl Origin {
    /// The origin, for programs.
    pub fn data(&self) -> Value {
        json!({
            "from": self.entry.from,
            "from_sha256": self.entry.from_sha256,
            "sha256": self.entry.sha256,
            "changed": self.now.is_some(),
        })
    }

    /// The origin in a sentence.
    pub fn words(&self) -> String {
        format!(
            "added from {}, sha256 {}",
            self.entry.from, self.entry.sha256
        )
    }

    /// The change since it was added, if there is one, and what mends it.
    pub fn problem(&self) -> Option<(String, String)> {
        let now = self.now.as_ref()?;
        let name = &self.entry.name;
        Some((
            format!("changed since it was added: its sha256 is now {now}"),
            format!("bot-cli plugin upgrade {name} --force"),
        ))
    }
}
