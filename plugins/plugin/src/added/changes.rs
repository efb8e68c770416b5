//! What another version of a plugin changes for its users.

use std::collections::BTreeSet;

use bot_cli_protocol::{ArgumentKind, CommandSpec, Manifest};
use bot_cli_terminal::one_line;
use semver::Version;
use serde_json::{Value, json};

use super::record::Entry;

/// The abilities of a version, by the words that its users type.
#[derive(Debug, Default)]
pub struct Installed {
    version: String,
    role: String,
    commands: BTreeSet<String>,
    options: BTreeSet<String>,
    services: BTreeSet<String>,
}

impl Installed {
    /// The abilities that a manifest declares, with the services of a pack.
    pub fn new(manifest: &Manifest, services: Vec<String>) -> Self {
        let mut installed = Self {
            version: one_line(&manifest.version),
            role: one_line(manifest.role.name()),
            services: services.into_iter().collect(),
            ..Self::default()
        };
        if let Some(root) = &manifest.command {
            installed.add(root, &manifest.name);
        }
        installed
    }

    /// A version of which only the record is known.
    pub fn unknown(entry: &Entry) -> Self {
        Self {
            version: entry.version.clone(),
            role: entry.role.name().to_owned(),
            ..Self::default()
        }
    }

    fn add(&mut self, command: &CommandSpec, path: &str) {
        for argument in command.arguments.iter().filter(|it| !it.hidden) {
            let word = match (argument.kind, &argument.long, argument.short) {
                (ArgumentKind::Positional, ..) => argument.name.clone(),
                (_, Some(long), _) => format!("--{long}"),
                (_, None, Some(short)) => format!("-{short}"),
                (_, None, None) => continue,
            };
            self.options.insert(one_line(&format!("{path} {word}")));
        }
        for below in command.commands.iter().filter(|it| !it.hidden) {
            let path = one_line(&format!("{path} {}", below.name));
            self.add(below, &path);
            self.commands.insert(path);
        }
    }
}

/// The difference between two versions.
#[derive(Debug)]
pub struct Changes {
    version: (String, String),
    role: (String, String),
    commands: Difference,
    options: Difference,
    services: Difference,
}

#[derive(Debug, Default)]
struct Difference {
    added: Vec<String>,
    removed: Vec<String>,
}

impl Difference {
    fn between(old: &BTreeSet<String>, new: &BTreeSet<String>) -> Self {
        Self {
            added: new.difference(old).cloned().collect(),
            removed: old.difference(new).cloned().collect(),
        }
    }

    fn data(&self) -> Value {
        json!({ "added": self.added, "removed": self.removed })
    }
}

impl Changes {
    /// What `new` changes.
    pub fn between(old: &Installed, new: &Installed) -> Self {
        Self {
            version: (old.version.clone(), new.version.clone()),
            role: (old.role.clone(), new.role.clone()),
            commands: Difference::between(&old.commands, &new.commands),
            options: Difference::between(&old.options, &new.options),
            services: Difference::between(&old.services, &new.services),
        }
    }

    /// The changes for programs.
    pub fn data(&self) -> Value {
        let of = |(from, to): &(String, String)| json!({ "from": from, "to": to });
        json!({
            "version": of(&self.version),
            "role": of(&self.role),
            "commands": self.commands.data(),
            "options": self.options.data(),
            "services": self.services.data(),
        })
    }

    /// The changes as rows of a table.
    pub fn rows(&self) -> Vec<Vec<String>> {
        let row = |what: &str, text: String| vec![format!("  {what}"), text];
        let shown = |text: &str| if text.is_empty() { "none" } else { text }.to_owned();
        let (from, to) = &self.version;
        let mut rows = vec![if from == to {
            row("version", format!("{}, as before", shown(from)))
        } else {
            let older = if is_older(to, from) {
                ", which is older"
            } else {
                ""
            };
            row(
                "version",
                format!("{} -> {}{older}", shown(from), shown(to)),
            )
        }];
        let (from, to) = &self.role;
        if from != to {
            rows.push(row("role", format!("{from} -> {to}")));
        }
        let differences = [&self.commands, &self.options, &self.services];
        let added = differences.iter().flat_map(|it| &it.added);
        rows.extend(added.map(|word| row("adds", format!("`{word}`"))));
        let removed = differences.iter().flat_map(|it| &it.removed);
        rows.extend(removed.map(|word| row("removes", format!("`{word}`"))));
        rows
    }
}

/// Whether a version is an earlier one than another.
fn is_older(version: &str, than: &str) -> bool {
    let parse = |text: &str| Version::parse(text).ok();
    parse(version)
        .zip(parse(than))
        .is_some_and(|(version, than)| version < than)
}
