//! `plugins.lock`: what was added, from where, and its sums.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use bot_cli_sdk::failure::{Exit, Failure, reason};
use bot_cli_sdk::protocol::Role;
use serde::{Deserialize, Serialize};

use super::disk::{self, not_written};
use super::given::word;
use super::home::{Form, Home};
use super::sum;
use crate::roles;

/// The version of the record that this host knows.
const VERSION: u32 = 1;

/// The longest record that is read.
const LONGEST: u64 = 4 * 1024 * 1024;

const HEAD: &str = "# What `bot-cli plugin add` put into `plugins` and `packs` beside this file. Change it with\n# `bot-cli plugin add`, `upgrade` and `remove`.\n";

/// What was added, by name.
#[derive(Debug, Default)]
pub struct Record {
    /// Sorted, each name once.
    pub entries: Vec<Entry>,
}

/// A plugin that was added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The name, with that of its role: `pack-acme`.
    pub name: String,
    /// The role.
    pub role: Role,
    /// The version.
    #[serde(default)]
    pub version: String,
    /// The form.
    pub form: Form,
    /// The absolute path of the file, folder or archive.
    pub from: String,
    /// The sum of that file or archive. A folder has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_sha256: Option<String>,
    /// The sum of the plugin.
    pub sha256: String,
    /// Whether the plugin is only about to be put in place. It is there once the sum in its place is this one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pending: bool,
}

#[derive(Serialize, Deserialize)]
struct Document {
    version: u32,
    #[serde(default, rename = "plugin")]
    plugins: Vec<Entry>,
}

impl Entry {
    /// The role in a sentence: `provider pack`.
    pub fn kind(&self) -> String {
        kind(&self.role)
    }
}

/// The role in a sentence, where a command is a plugin.
pub fn kind(role: &Role) -> String {
    match role {
        Role::Command => "plugin".to_owned(),
        other @ (Role::ProviderPack | Role::SecretsBackend | Role::Other(_) | _) => {
            roles::words(other)
        }
    }
}

/// A place for a record that can't be read, where nothing is yet.
fn aside(path: &Path) -> PathBuf {
    let mut place = path.with_extension("lock.old");
    while fs::symlink_metadata(&place).is_ok() {
        place.as_mut_os_string().push(".old");
    }
    place
}

impl Record {
    /// Reads the record. A plugin that was about to be put in place counts if it got there.
    pub fn read(home: &Home) -> Result<Self, Failure> {
        let path = home.record();
        let unreadable = |reason: &str| {
            let message = format!("could not read `{}`: {reason}", path.display());
            Failure::new(Exit::Failed, "not_read", message)
                .hint(format!("mv {} {}", word(&path), word(&aside(&path))))
                .hint("plugins stay where they are; `bot-cli plugin add FILE` records one that is in place already")
        };
        let text = match fs::metadata(&path) {
            Err(error)
                if [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory]
                    .contains(&error.kind()) =>
            {
                return Ok(Self::default());
            }
            Ok(facts) if !facts.is_file() || facts.len() > LONGEST => {
                return Err(unreadable("not a file of this kind"));
            }
            Ok(_) | Err(_) => fs::read_to_string(&path)
                .map_err(|error| unreadable(&reason(&error)).caused_by(error))?,
        };
        let document: Document =
            toml::from_str(&text).map_err(|error| unreadable(error.message()))?;
        if document.version != VERSION {
            let message = format!(
                "`{}` has version {}, this bot-cli knows {VERSION}",
                path.display(),
                document.version
            );
            return Err(
                Failure::new(Exit::Failed, "not_read", message).hint("install a newer bot-cli")
            );
        }
        let mut entries = document.plugins;
        // Places are made of names.
        entries.retain(|entry| bot_cli_sdk::discovery::PluginName::parse(&entry.name).is_some());
        let pending: Vec<Entry> = entries.iter().filter(|it| it.pending).cloned().collect();
        entries.retain(|entry| !entry.pending);
        let mut record = Self { entries };
        for entry in pending {
            let place = home.place(&entry.name, entry.form);
            if sum::of(&place).is_ok_and(|sum| sum == entry.sha256) {
                record.set(Entry {
                    pending: false,
                    ..entry
                });
            }
        }
        Ok(record)
    }

    /// The entry of the plugin `name`.
    pub fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// Puts `entry` in the place of that of its name.
    pub fn set(&mut self, entry: Entry) {
        self.forget(&entry.name);
        self.entries.push(entry);
    }

    /// Takes the entry of the plugin `name` out.
    pub fn forget(&mut self, name: &str) {
        self.entries.retain(|entry| entry.name != name);
    }

    /// Writes the record, and `pending` beside the entry of its name.
    pub fn write(&self, home: &Home, pending: Option<Entry>) -> Result<(), Failure> {
        let mut plugins = self.entries.clone();
        plugins.extend(pending);
        plugins.sort_by(|one, other| (&one.name, one.pending).cmp(&(&other.name, other.pending)));
        let document = Document {
            version: VERSION,
            plugins,
        };
        let path = home.record();
        let written = || -> io::Result<()> {
            let text = toml::to_string(&document).map_err(io::Error::other)?;
            let mut file = tempfile::Builder::new()
                .prefix(disk::WRITING)
                .tempfile_in(&home.folder)?;
            file.write_all(HEAD.as_bytes())?;
            file.write_all(text.as_bytes())?;
            file.as_file().sync_all()?;
            file.persist(&path)?;
            disk::sync_folder(&home.folder)
        };
        written().map_err(|error| not_written(&path, error))
    }
}
