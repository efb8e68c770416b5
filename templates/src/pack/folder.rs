//! A pack that is a folder: `pack.toml` says what it is, and each file of `providers/` is a provider.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use super::grammar::shown;
use super::{Contents, MOST_DATA, PREFIX, Problem, Reader, Rule, SCHEMA, Taken, read};
use bot_cli_engine::platform::files;
use bot_cli_protocol::failure;
use bot_cli_protocol::suggest;
use bot_cli_protocol::{Manifest, Role, major_minor};

/// The file of a folder that makes it a pack.
pub const FILE: &str = "pack.toml";

/// The folder of the providers.
pub const PROVIDERS: &str = "providers";

/// The most files of providers.
const MOST_FILES: usize = 100;

/// The longest `pack.toml`.
const LONGEST_FILE: usize = 64 * 1024;

/// A file by its name: the provider in it, or why it can't be read.
pub type ProviderFile = (String, Result<Value, Problem>);

/// A folder's declaration, as the manifest of an executable would have it, and its files.
#[derive(Debug, Clone)]
pub struct Folder {
    /// Without `providers`.
    pub manifest: Manifest,
    /// The files of providers in the order of their names, each read, or the reason why not.
    pub files: Vec<ProviderFile>,
}

/// The keys of `pack.toml`.
const KEYS: [&str; 5] = ["version", "about", "catalogue", "framework", "requires"];

/// The content of `pack.toml`.
#[derive(Deserialize)]
struct Declared {
    #[serde(default)]
    version: String,
    #[serde(default)]
    about: String,
    #[serde(default)]
    catalogue: Option<String>,
    #[serde(default)]
    framework: Option<String>,
    #[serde(default)]
    requires: BTreeMap<String, String>,
}

impl Folder {
    /// Reads what the folder of the pack `name` declares. `trusted` says for each file why it isn't read, if it isn't.
    pub fn declared(
        folder: &Path,
        name: &str,
        trusted: &dyn Fn(&Path) -> Result<(), String>,
    ) -> Result<Manifest, Problem> {
        let text = text_of(&folder.join(FILE), LONGEST_FILE, trusted)
            .map_err(|reason| read::problem(Rule::Shape, FILE, reason))?;
        let wrong = |error| read::problem(Rule::Shape, FILE, in_a_line(&error, &text));
        let table: toml::Table = toml::from_str(&text).map_err(wrong)?;
        let keys: Vec<String> = table.keys().cloned().collect();
        let declared: Declared = match table.try_into() {
            Ok(declared) => declared,
            // Only the text knows the line.
            Err(_) => toml::from_str(&text).map_err(wrong)?,
        };
        let catalogue = declared.catalogue.as_deref().and_then(major_minor);
        // A later version may have more keys.
        if catalogue <= major_minor(SCHEMA)
            && let Some(unknown) = keys.iter().find(|key| !KEYS.contains(&key.as_str()))
        {
            return Err(unknown_key(unknown));
        }
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

    /// Reads the files of providers.
    pub fn providers(
        folder: &Path,
        trusted: &dyn Fn(&Path) -> Result<(), String>,
    ) -> Result<Vec<ProviderFile>, Problem> {
        let mut data = 0;
        let mut files = Vec::new();
        for path in provider_files(folder)? {
            let file_name = path.file_name().unwrap_or_default().to_string_lossy();
            let field = format!("{PROVIDERS}/{}", shown(&file_name));
            let wrong = |reason| read::problem(Rule::Shape, &field, reason);
            let read = text_of(&path, MOST_DATA, trusted).map_err(wrong);
            data += read.as_ref().map_or(0, String::len);
            if data > MOST_DATA {
                return Err(read::too_much_data());
            }
            let value = read.and_then(|text| {
                toml::from_str::<Value>(&text).map_err(|error| wrong(in_a_line(&error, &text)))
            });
            files.push((field, value));
        }
        if files.is_empty() {
            let none = format!("has no file such as `{PROVIDERS}/acme.toml`");
            return Err(read::problem(Rule::Shape, PROVIDERS, none));
        }
        Ok(files)
    }

    /// Reads both from a folder that anybody may have made.
    pub fn read(folder: &Path, name: &str) -> Result<Self, Problem> {
        let trusted = |_: &Path| Ok(());
        Ok(Self {
            manifest: Self::declared(folder, name, &trusted)?,
            files: Self::providers(folder, &trusted)?,
        })
    }
}

fn unknown_key(key: &str) -> Problem {
    let near = suggest::nearest(key, KEYS);
    let mend = near.map_or_else(
        || format!("it has {}", KEYS.join(", ")),
        |near| suggest::did_you_mean(&[near]),
    );
    let problem = format!(
        "has a key `{}`, which means nothing there: {mend}",
        shown(key)
    );
    read::problem(Rule::Keys, FILE, problem)
}

fn provider_files(folder: &Path) -> Result<Vec<PathBuf>, Problem> {
    let folder = folder.join(PROVIDERS);
    let unreadable = |error: std::io::Error| {
        read::problem(
            Rule::Shape,
            PROVIDERS,
            format!("can't be read: {}", failure::reason(&error)),
        )
    };
    let mut files = Vec::new();
    for entry in fs::read_dir(&folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let hidden = path
            .file_name()
            .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        if !hidden
            && path
                .extension()
                .is_some_and(|extension| extension == "toml")
        {
            files.push(path);
        }
        if files.len() > MOST_FILES {
            let most = format!("has more than {MOST_FILES} files");
            return Err(read::problem(Rule::Size, PROVIDERS, most));
        }
    }
    files.sort();
    Ok(files)
}

/// Reads the pack `name` of one provider, whose file has this text.
#[must_use]
pub fn contents_of(name: &str, text: &str, taken: &mut Taken) -> Contents {
    let mut reader = Reader::new(name, None, taken);
    match toml::from_str::<Value>(text) {
        Ok(provider) => reader.provider(PROVIDERS, provider),
        Err(error) => {
            let problem = read::problem(Rule::Shape, PROVIDERS, in_a_line(&error, text));
            reader.leave_out(PROVIDERS, vec![problem]);
        }
    }
    reader.finish()
}

/// The text of a file that is no longer than `most` bytes; the reason why not follows its name.
fn text_of(
    path: &Path,
    most: usize,
    trusted: &dyn Fn(&Path) -> Result<(), String>,
) -> Result<String, String> {
    trusted(path)?;
    let unreadable = |error: std::io::Error| format!("can't be read: {}", failure::reason(&error));
    let file = files::open_at_once(path).map_err(unreadable)?;
    let facts = file.metadata().map_err(unreadable)?;
    if !facts.is_file() {
        return Err("is not a file".to_owned());
    }
    // With room for all of it, one read is enough, and another to see the end.
    let size = usize::try_from(facts.len()).unwrap_or(most).min(most);
    let mut bytes = Vec::with_capacity(size + 1);
    file.take(most as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    if bytes.len() > most {
        return Err(format!("is longer than {} KiB", most / 1024));
    }
    String::from_utf8(bytes).map_err(|_| "is not UTF-8".to_owned())
}

/// The parser's sentence with the number of the line, without the lines that it quotes.
fn in_a_line(error: &toml::de::Error, text: &str) -> String {
    let start = error.span().map_or(0, |span| span.start);
    let before = text.as_bytes().iter().take(start);
    let line = before.filter(|byte| **byte == b'\n').count() + 1;
    let said = error.message().lines().next().unwrap_or_default();
    let plain = |c: &char| c.is_alphanumeric() || c.is_ascii_graphic() || *c == ' ';
    let said: String = said.chars().filter(plain).take(120).collect();
    format!("can't be read: line {line}: {said}")
}
