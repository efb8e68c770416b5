//! `config.toml`: what holds where no option and no variable says otherwise.

mod backends;

use std::error::Error;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use bot_cli_protocol::failure::{Exit, Failure};
use toml_edit::{DocumentMut, Item, RawString, TomlError, Value};

use crate::environment::Environment;
use crate::files::{WriteError, refuse_special, write_private};
use crate::words;
use crate::words::failed;

pub use backends::BackendSettings;

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
pub struct ConfigFile {
    /// The path, whether or not the file exists; empty if its folder is unknown.
    pub path: PathBuf,
    settings: DocumentMut,
}

impl ConfigFile {
    /// Reads it; no file is an empty one, and so is no place for one.
    pub fn read(environment: &Environment) -> Result<Self, Failure> {
        let Some(folder) = &environment.config_folder else {
            return Ok(Self::default());
        };
        let path = folder.join("config.toml");
        let settings = read(&path)?;
        let config = Self { path, settings };
        config.check()?;
        Ok(config)
    }

    /// A setting.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.settings.get(key).and_then(Item::as_str)
    }

    /// Sets or, with `None`, removes a setting, and writes the file. Everything else in it stays as it was written; behind a
    /// link it is the link's target that is written.
    pub fn set(&mut self, key: &str, value: Option<&str>) -> Result<(), Failure> {
        match value {
            Some(value) => self.put(key, value),
            None => self.remove(key),
        }
        write(&self.path, &self.settings)
    }

    fn put(&mut self, key: &str, value: &str) {
        if let Some(item) = self.settings.get_mut(key) {
            replace(item, value);
            return;
        }
        // Comments at the end stay before what is appended.
        let before = self.settings.trailing().clone();
        self.settings.set_trailing("");
        self.settings.insert(key, Item::Value(value.into()));
        self.comment(key, &before);
    }

    /// Removes a setting but keeps the comments above it.
    fn remove(&mut self, key: &str) {
        let keys: Vec<String> = self
            .settings
            .iter()
            .map(|(key, _)| key.to_owned())
            .collect();
        let next = keys.iter().skip_while(|name| *name != key).nth(1);
        let above = self
            .settings
            .key(key)
            .and_then(|key| key.leaf_decor().prefix().cloned());
        self.settings.remove(key);
        let Some(above) = above else {
            return;
        };
        if let Some(next) = next {
            self.comment(next, &above);
        } else {
            let all = format!("{}{}", text(&above), text(self.settings.trailing()));
            self.settings.set_trailing(all);
        }
    }

    /// Writes something above a setting, before what is there already.
    fn comment(&mut self, key: &str, above: &RawString) {
        if let Some(mut key) = self.settings.key_mut(key) {
            let decor = key.leaf_decor_mut();
            let all = format!("{}{}", text(above), decor.prefix().map_or("", text));
            decor.set_prefix(all);
        }
    }

    fn check(&self) -> Result<(), Failure> {
        for (key, value) in self.settings.iter() {
            // A later version may have such, and an option of this version is none.
            if value.is_table_like() {
                continue;
            }
            if !KEYS.contains(&key) {
                let failure = unreadable(&self.path, format!("there is no setting `{key}`"));
                let possible = format!("settings: {}", KEYS.join(", "));
                return Err(words::near_or(failure, key, KEYS, possible));
            }
            if !value.is_str() {
                return Err(unreadable(
                    &self.path,
                    format!("`{key}` must be a text in quotes"),
                ));
            }
        }
        Ok(())
    }
}

/// Puts a value in the place of an earlier one, between the same blanks and comments.
fn replace(item: &mut Item, value: &str) {
    let mut new = Value::from(value);
    if let Some(old) = item.as_value() {
        *new.decor_mut() = old.decor().clone();
    }
    *item = Item::Value(new);
}

/// Reads a file of settings; no file has none.
fn read(path: &Path) -> Result<DocumentMut, Failure> {
    let text = match fs::metadata(path)
        .and_then(|metadata| refuse_special(&metadata))
        .and_then(|()| fs::read_to_string(path))
    {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // A link that leads nowhere is a file that can't be reached, and not none.
            if path.is_symlink() {
                return Err(unreadable(path, "it is a link that leads nowhere"));
            }
            String::new()
        }
        Err(error) => return Err(unreadable(path, error)),
    };
    text.parse().map_err(|error: TomlError| {
        let line = error.span().map_or(1, |span| {
            text[..span.start.min(text.len())].lines().count().max(1)
        });
        unreadable(path, format!("line {line}: {}", error.message()))
    })
}

/// Writes a file of settings; behind a link it is the link's target that is written.
fn write(path: &Path, settings: &DocumentMut) -> Result<(), Failure> {
    if path.as_os_str().is_empty() {
        return Err(homeless());
    }
    let target = match fs::canonicalize(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(path.to_owned()),
        found => found,
    };
    target
        .map_err(WriteError::NotWritten)
        .and_then(|target| write_private(&target, settings.to_string().as_bytes()))
        .map_err(|error| words::write_failure(path, error))
}

fn text(raw: &RawString) -> &str {
    raw.as_str().unwrap_or_default()
}

/// Nobody's home is known.
pub fn homeless() -> Failure {
    failed(
        "no_home",
        "there is no folder for settings and data: neither HOME nor the XDG folders are set",
    )
    .hint("set HOME, or XDG_CONFIG_HOME and XDG_DATA_HOME, to absolute paths")
}

fn unreadable(path: &Path, why: impl Into<Box<dyn Error + Send + Sync>>) -> Failure {
    let can_not = format!("can't use `{}`", path.display());
    Failure::because(Exit::Usage, "invalid_config", can_not, why).hint("mend or remove the file")
}

#[cfg(test)]
mod tests {
    use super::ConfigFile;
    use crate::environment::Environment;

    #[test]
    fn a_change_keeps_everything_else_as_it_was_written() {
        let before =
            "# mine\nregion   = 'us-east' # near\n\n# theirs\n\"backend\" = \"local\"\n# end\n";
        let cases = [
            (
                "region",
                Some("us-west"),
                before.replace("'us-east'", "\"us-west\""),
            ),
            (
                "region",
                None,
                before.replace("region   = 'us-east' # near\n", ""),
            ),
            (
                "backend",
                None,
                before.replace("\"backend\" = \"local\"\n", ""),
            ),
            ("timeout", Some("5"), format!("{before}timeout = \"5\"\n")),
            ("timeout", None, before.to_owned()),
        ];
        let folder = tempfile::tempdir().unwrap();
        let environment = Environment {
            config_folder: Some(folder.path().to_owned()),
            ..Environment::default()
        };
        let path = folder.path().join("config.toml");
        for (key, value, expected) in cases {
            std::fs::write(&path, before).unwrap();
            let mut config = ConfigFile::read(&environment).unwrap();
            config.set(key, value).unwrap();
            let after = std::fs::read_to_string(&path).unwrap();
            assert_eq!(after, expected, "{key} = {value:?}");
            assert_eq!(
                ConfigFile::read(&environment).unwrap().get(key),
                value,
                "{key}"
            );
        }
    }

    #[test]
    fn a_file_of_comments_alone_gets_its_first_setting_at_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let environment = Environment {
            config_folder: Some(folder.path().to_owned()),
            ..Environment::default()
        };
        let path = folder.path().join("config.toml");
        std::fs::write(&path, "# mine\n").unwrap();
        let mut config = ConfigFile::read(&environment).unwrap();
        config.set("region", Some("us-west")).unwrap();
        let after = std::fs::read_to_string(&path).unwrap();
        assert_eq!(after, "# mine\nregion = \"us-west\"\n");
    }
}
