//! The record `plugins.lock`, which lists what `plugin add` installed in the folders `plugins` and `packs` next to it.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::name::{PACK_PREFIX, PREFIX, PluginName};
use bot_cli_protocol::Role;
use bot_cli_protocol::failure::{Exit, Failure, reason};
use bot_cli_terminal::one_line;
use bot_cli_terminal::shell::quoted;
use serde::{Deserialize, Serialize};

/// The record's file name.
pub const RECORD: &str = "plugins.lock";

const VERSION: u32 = 1;

/// A recorded plugin, pack or backend.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The name with the role's prefix, such as `pack-acme`.
    pub name: String,
    /// The role that the manifest declares.
    pub role: Role,
    /// The plugin's own version.
    #[serde(default)]
    pub version: String,
    /// Whether a file or a folder is installed.
    pub form: Form,
    /// The address, or the absolute path of the source file, folder or archive.
    pub from: String,
    /// The checksum of the installed file or folder.
    pub sha256: String,
    /// The checksum of the archive from which the entry was installed, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archive_sha256: Option<String>,
    /// Whether the user wants this plugin in place of the one that is released with the host.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forced: bool,
}

/// The form of an installed plugin, pack or backend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// An executable or a script.
    File,
    /// The folder of a pack.
    Folder,
}

#[derive(Serialize, Deserialize)]
struct Document {
    version: u32,
    #[serde(default, rename = "plugin")]
    plugins: Vec<Entry>,
}

impl Entry {
    /// Returns the path where the plugin is installed. `folder` contains the record.
    pub fn place(&self, folder: &Path) -> PathBuf {
        let name = &self.name;
        match self.form {
            Form::File => {
                let suffix = std::env::consts::EXE_SUFFIX;
                folder
                    .join("plugins")
                    .join(format!("{PREFIX}{name}{suffix}"))
            }
            Form::Folder => {
                let short = name.strip_prefix(PACK_PREFIX);
                folder.join("packs").join(short.unwrap_or(name))
            }
        }
    }

    /// Returns the kind, name and version, such as "the plugin `hello` 1.2.0".
    pub fn title(&self) -> String {
        let kind = match &self.role {
            Role::Command => "plugin".to_owned(),
            other @ (Role::ProviderPack | Role::SecretsBackend | Role::Other(_)) => {
                one_line(&other.words())
            }
        };
        let title = format!("the {kind} `{}` {}", self.name, one_line(&self.version));
        title.trim_end().to_owned()
    }

    /// Returns the checksum that `plugin add --sha256` compares.
    pub fn sum(&self) -> &str {
        self.archive_sha256.as_ref().unwrap_or(&self.sha256)
    }
}

/// Reads the record at `path`. A missing record has no entries.
///
/// # Errors
/// Returns an error if the record can't be read, or if a later version wrote it.
pub fn read(path: &Path) -> Result<Vec<Entry>, Failure> {
    let unreadable = |reason: &str| {
        let message = format!("could not read `{}`: {reason}", path.display());
        let aside = path.with_extension("lock.old");
        let [path, aside] = [path, &aside].map(|it| quoted(&it.display().to_string()));
        Failure::new(Exit::Failed, "not_read", message).hint(format!("mv {path} {aside}"))
    };
    let text = match fs::read_to_string(path) {
        Err(error) if [ErrorKind::NotFound, ErrorKind::NotADirectory].contains(&error.kind()) => {
            return Ok(Vec::new());
        }
        read => read.map_err(|error| unreadable(&reason(&error)).caused_by(error))?,
    };
    let document: Document = toml::from_str(&text).map_err(|error| unreadable(error.message()))?;
    if document.version != VERSION {
        return Err(unreadable("a newer bot-cli has written it"));
    }
    let mut entries = document.plugins;
    // Paths are built from the names, so the names must be valid.
    entries.retain(|entry| PluginName::parse(&entry.name).is_some());
    Ok(entries)
}

/// Returns the text of a record.
///
/// # Errors
/// Returns an error if an entry can't be written as TOML.
pub fn written(entries: &[Entry]) -> Result<String, toml::ser::Error> {
    toml::to_string(&Document {
        version: VERSION,
        plugins: entries.to_vec(),
    })
}
