//! `plugins.lock`: what was added, from where, and its sums.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use bot_cli_engine::discovery::{Discovery, PluginName};
use bot_cli_protocol::Role;
use bot_cli_protocol::failure::{Exit, Failure, reason};
use bot_cli_protocol::outcome::Reply;
use bot_cli_terminal::one_line;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tempfile::NamedTempFile;

use super::home::{Form, Home, is_there, not_written};
use super::refusal::word;
use super::sum;

/// The version of the record that this plugin knows.
const VERSION: u32 = 1;

/// The longest record that is read.
const LONGEST: u64 = 4 * 1024 * 1024;

const HEAD: &str = "# What `bot-cli plugin add` put into `plugins` and `packs` beside this file. Change it with\n# `bot-cli plugin add`, `upgrade` and `remove`.\n";

/// What was added, by name.
#[derive(Debug, Default)]
pub struct Record {
    /// Each name once.
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
    /// The sum of what it replaced, which is still in place if the command was killed in between.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaces: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct Document {
    version: u32,
    #[serde(default, rename = "plugin")]
    plugins: Vec<Entry>,
}

impl Entry {
    /// Whether what has the sum `now` is as a command left it.
    pub fn is_unchanged(&self, now: Option<&str>) -> bool {
        now.is_some_and(|now| now == self.sha256 || self.replaces.as_deref() == Some(now))
    }

    /// The role in a sentence: `provider pack`.
    pub fn kind(&self) -> String {
        kind(&self.role)
    }
}

/// The role in a sentence, where a command is a plugin.
pub fn kind(role: &Role) -> String {
    match role {
        Role::Command => "plugin".to_owned(),
        other @ (Role::ProviderPack | Role::SecretsBackend | Role::Other(_)) => {
            one_line(&other.words())
        }
    }
}

impl Record {
    /// Reads the record.
    pub fn read(home: &Home) -> Result<Self, Failure> {
        let path = home.record();
        let unreadable = |reason: &str| {
            let message = format!("could not read `{}`: {reason}", path.display());
            let mut aside = path.with_extension("lock.old");
            while is_there(&aside) {
                aside.as_mut_os_string().push(".old");
            }
            Failure::new(Exit::Failed, "not_read", message)
                .hint(format!("mv {} {}", word(&path), word(&aside)))
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
            let (path, version) = (path.display(), document.version);
            let message = format!("`{path}` has version {version}, this bot-cli knows {VERSION}");
            let failure = Failure::new(Exit::Failed, "not_read", message);
            return Err(failure.hint("install a newer bot-cli"));
        }
        let mut entries = document.plugins;
        // Places are made of names.
        entries.retain(|entry| PluginName::parse(&entry.name).is_some());
        Ok(Self { entries })
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

    /// Writes the record into the private folder `staging`, from where a rename puts it in the place of the old one.
    pub fn prepare(&self, home: &Home, staging: &Path) -> Result<NamedTempFile, Failure> {
        let mut plugins = self.entries.clone();
        plugins.sort_by(|one, other| one.name.cmp(&other.name));
        let document = Document {
            version: VERSION,
            plugins,
        };
        let written = || -> io::Result<NamedTempFile> {
            let text = toml::to_string(&document).map_err(io::Error::other)?;
            let mut file = NamedTempFile::new_in(staging)?;
            file.write_all(HEAD.as_bytes())?;
            file.write_all(text.as_bytes())?;
            file.as_file().sync_all()?;
            Ok(file)
        };
        written().map_err(|error| not_written(&home.record(), error))
    }
}

/// The origin of the plugins that were added, for those who list them.
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
    pub fn read(discovery: &Discovery) -> Self {
        let Ok(home) = Home::find(discovery) else {
            return Self::default();
        };
        let (entries, problem) = match Record::read(&home) {
            Ok(record) => (record.entries, None),
            Err(problem) => (Vec::new(), Some(problem)),
        };
        Self {
            home: Some(home),
            entries,
            problem,
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
            now: Some(now).filter(|now| !entry.is_unchanged(Some(now))),
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
        let Entry { from, sha256, .. } = &self.entry;
        format!("added from {from}, sha256 {sha256}")
    }

    /// The change since it was added, if there is one, and what mends it.
    pub fn problem(&self) -> Option<(String, String)> {
        let now = self.now.as_ref()?;
        Some((
            format!("changed since it was added: its sha256 is now {now}"),
            format!("bot-cli plugin upgrade {} --force", self.entry.name),
        ))
    }
}
