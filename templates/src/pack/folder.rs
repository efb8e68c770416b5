//! A pack in a folder: `pack.toml` describes the pack, and each file in `providers/` is a provider.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::form::shown;
use super::read::too_much;
use super::{MOST_DATA, PREFIX, ProviderFile};
use bot_cli_engine::platform::files;
use bot_cli_protocol::{Manifest, Role, failure};

/// The file that identifies a folder as a pack.
pub const FILE: &str = "pack.toml";

const PROVIDERS: &str = "providers";

/// The maximum size of `pack.toml`, in bytes.
const LONGEST_FILE: usize = 64 * 1024;

/// A function that returns the reason as an error if a file isn't trusted.
type Trusted<'a> = &'a dyn Fn(&Path) -> Result<(), String>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Declared {
    #[serde(default)]
    version: String,
    #[serde(default)]
    about: String,
    catalogue: Option<String>,
    framework: Option<String>,
    #[serde(default)]
    requires: BTreeMap<String, String>,
}

/// The reader for a pack in a folder.
#[derive(Debug)]
pub struct Folder;

impl Folder {
    /// Reads `pack.toml` for the pack `name` and converts it to the manifest that an executable pack would have.
    pub fn declared(folder: &Path, name: &str, trusted: Trusted<'_>) -> Result<Manifest, String> {
        let text = text_of(&folder.join(FILE), LONGEST_FILE, trusted);
        let declared: Result<Declared, String> = text.and_then(|text| parsed(&text));
        let declared = declared.map_err(|reason| format!("`{FILE}` {reason}"))?;
        Ok(Manifest {
            protocol: bot_cli_protocol::VERSION.to_owned(),
            version: declared.version,
            about: declared.about,
            role: Role::ProviderPack,
            catalogue: declared.catalogue,
            framework: declared.framework,
            requires: declared.requires,
            ..Manifest::new(format!("{PREFIX}{name}"))
        })
    }

    /// Reads the provider files, sorted by name.
    pub fn providers(folder: &Path, trusted: Trusted<'_>) -> Result<Vec<ProviderFile>, String> {
        let paths = provider_files(&folder.join(PROVIDERS))
            .map_err(|error| format!("`{PROVIDERS}` can't be read: {}", failure::reason(&error)))?;
        if paths.is_empty() {
            return Err(format!(
                "`{PROVIDERS}` has no file such as `{PROVIDERS}/acme.toml`"
            ));
        }
        let mut data = 0;
        let mut files = Vec::new();
        for path in paths {
            let file_name = path.file_name().unwrap_or_default().to_string_lossy();
            let text = text_of(&path, MOST_DATA, trusted);
            data += text.as_ref().map_or(0, String::len);
            if data > MOST_DATA {
                return Err(too_much(PROVIDERS));
            }
            let value = text.and_then(|text| parsed(&text));
            files.push((
                format!("{PROVIDERS}/{}", shown(&file_name)),
                value.map_err(|reason| format!("it {reason}")),
            ));
        }
        Ok(files)
    }
}

fn provider_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.as_encoded_bytes();
        if name.ends_with(b".toml") && !name.starts_with(b".") {
            files.push(entry.path());
        }
    }
    files.sort();
    Ok(files)
}

/// Reads a text file of at most `most` bytes. The error message is worded to follow the file name.
fn text_of(path: &Path, most: usize, trusted: Trusted<'_>) -> Result<String, String> {
    trusted(path)?;
    let mut bytes = Vec::new();
    let read = files::open_at_once(path).and_then(|file| {
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("it is not a file"));
        }
        file.take(most as u64 + 1).read_to_end(&mut bytes)
    });
    read.map_err(|error| format!("can't be read: {}", failure::reason(&error)))?;
    if bytes.len() > most {
        return Err(format!("is longer than {} KiB", most / 1024));
    }
    String::from_utf8(bytes).map_err(|_| "is not UTF-8".to_owned())
}

/// Parses TOML. The error contains the parser's message and the line number, but doesn't quote the line.
fn parsed<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    toml::from_str(text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        let before = text.bytes().take(start);
        let line = before.filter(|byte| *byte == b'\n').count() + 1;
        let reason = error.message().lines().next().unwrap_or_default();
        let plain = |c: &char| c.is_alphanumeric() || c.is_ascii_graphic() || *c == ' ';
        let reason: String = reason.chars().filter(plain).take(120).collect();
        format!("can't be read: line {line}: {reason}")
    })
}
