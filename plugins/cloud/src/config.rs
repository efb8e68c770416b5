//! `config.toml`: what holds where no option and no variable says otherwise.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use bot_cli_sdk::failure::{Exit, Failure, reason};
use toml::{Table, Value};

use crate::environment::Environment;
use crate::files::write_private;
use crate::words;

/// The settings there are, each a text.
pub const KEYS: [&str; 6] = [
    "organization",
    "region",
    "backend",
    "api_url",
    "timeout",
    "keyring",
];

/// The settings of the file.
#[derive(Debug, Clone, Default)]
pub struct Config {
    /// Where it is, whether or not there is one; empty where no folder for it is known.
    pub path: PathBuf,
    settings: Table,
}

impl Config {
    /// Reads it; no file is an empty one, and so is no place for one.
    pub fn read(environment: &Environment) -> Result<Self, Failure> {
        let Some(folder) = &environment.config_folder else {
            return Ok(Self::default());
        };
        let path = folder.join("config.toml");
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(unreadable(&path, &reason(&error))),
        };
        let settings: Table = text.parse().map_err(|error: toml::de::Error| {
            let line = error.span().map_or(1, |span| {
                text[..span.start.min(text.len())].lines().count().max(1)
            });
            unreadable(&path, &format!("line {line}: {}", error.message()))
        })?;
        let config = Self { path, settings };
        config.check()?;
        Ok(config)
    }

    /// A setting.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        self.settings.get(key).and_then(Value::as_str)
    }

    /// Sets or, with `None`, removes a setting, and writes the file.
    pub fn set(&mut self, key: &str, value: Option<&str>) -> Result<(), Failure> {
        match value {
            Some(value) => {
                self.settings
                    .insert(key.to_owned(), Value::String(value.to_owned()));
            }
            None => {
                self.settings.remove(key);
            }
        }
        if self.path.as_os_str().is_empty() {
            return Err(homeless());
        }
        write_private(&self.path, self.settings.to_string().as_bytes())
            .map_err(|error| words::write_failure(&self.path, &error))
    }

    fn check(&self) -> Result<(), Failure> {
        for (key, value) in &self.settings {
            if !KEYS.contains(&key.as_str()) {
                let failure = unreadable(&self.path, &format!("there is no setting `{key}`"));
                return Err(match nearest(key, KEYS) {
                    Some(near) => failure.hint(format!("did you mean `{near}`?")),
                    None => failure.hint(format!("possible are {}", KEYS.join(", "))),
                });
            }
            if !value.is_str() {
                return Err(unreadable(
                    &self.path,
                    &format!("`{key}` must be a text in quotes"),
                ));
            }
        }
        Ok(())
    }
}

/// The nearest of the names to a mistyped one, if any is near.
pub fn nearest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    names
        .into_iter()
        .map(|name| (strsim::jaro_winkler(word, name), name))
        .filter(|(score, _)| *score > 0.8)
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .map(|(_, name)| name)
}

/// Nobody's home is known.
#[must_use]
pub fn homeless() -> Failure {
    Failure::new(
        Exit::Failed,
        "no_home",
        "there is no folder for settings and data: neither HOME nor the XDG folders are set",
    )
    .hint("set HOME, or XDG_CONFIG_HOME and XDG_DATA_HOME, to absolute paths")
}

fn unreadable(path: &Path, reason: &str) -> Failure {
    Failure::new(
        Exit::Usage,
        "invalid_config",
        format!("can't use `{}`: {reason}", path.display()),
    )
    .hint("mend or remove the file")
}
