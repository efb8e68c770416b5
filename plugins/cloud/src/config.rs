//! The settings files. Options and environment variables override `config.toml`. `backends.toml` has one table per installed backend.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_vault::files::{self, exists, refuse_special, write_private};
use toml_edit::{DocumentMut, Item, Table, TableLike, TomlError, value};

use crate::domain::{BUILT_IN, BackendName};
use crate::environment::{Environment, homeless};
use crate::text::theirs;
use crate::words::{self};

/// The names of the settings in `config.toml`. All values are strings.
pub const KEYS: [&str; 6] = [
    "organization",
    "region",
    "backend",
    "api_url",
    "timeout",
    "keyring",
];

/// The settings in `config.toml`, or one backend's settings in `backends.toml`.
#[derive(Debug, Clone, Default)]
pub struct Configuration {
    /// The file's path, even if the file doesn't exist. Empty if the configuration folder is unknown.
    pub path: PathBuf,
    document: DocumentMut,
    table: Option<BackendName>,
}

impl Configuration {
    /// Reads `config.toml`. A missing file counts as empty.
    pub fn read(environment: &Environment) -> Result<Self, Failure> {
        let settings = Self::in_file(environment, "config.toml", None)?;
        for (key, value) in settings.document.iter() {
            // A later version may add tables.
            if !value.is_table_like() && !KEYS.contains(&key) {
                let failure = unreadable(&settings.path, format!("there is no setting `{key}`"));
                let possible = format!("settings: {}", KEYS.join(", "));
                return Err(words::near_or(failure, key, KEYS, possible));
            }
        }
        Ok(settings)
    }

    /// Reads a backend's settings from `backends.toml`. Ignores invalid values in other backends' tables.
    pub fn of_backend(environment: &Environment, backend: &BackendName) -> Result<Self, Failure> {
        Self::in_file(environment, "backends.toml", Some(backend.clone()))
    }

    /// Reads the settings that contain the organization and region for `backend`.
    pub fn of(environment: &Environment, backend: &BackendName) -> Result<Self, Failure> {
        if BUILT_IN.contains(backend) {
            return Self::read(environment);
        }
        Self::of_backend(environment, backend)
    }

    fn in_file(
        environment: &Environment,
        file: &str,
        table: Option<BackendName>,
    ) -> Result<Self, Failure> {
        let Some(folder) = &environment.config_folder else {
            return Ok(Self::default());
        };
        let path = folder.join(file);
        let settings = Self {
            document: read(&path)?,
            path,
            table,
        };
        let mut entries = settings.table().into_iter().flat_map(TableLike::iter);
        let wrong = entries.find(|(_, value)| !value.is_str() && !value.is_table_like());
        if let Some((key, _)) = wrong {
            let why = format!("`{}` must be a text in quotes", theirs(key));
            return Err(unreadable(&settings.path, why));
        }
        drop(entries);
        Ok(settings)
    }

    fn table(&self) -> Option<&dyn TableLike> {
        match &self.table {
            None => Some(self.document.as_table()),
            Some(name) => self.document.get(name.as_str())?.as_table_like(),
        }
    }

    pub fn get(&self, key: &str) -> Option<&str> {
        self.table()?.get(key)?.as_str()
    }

    pub fn all(&self) -> BTreeMap<String, String> {
        let settings = self.table().into_iter().flat_map(TableLike::iter);
        settings
            .filter_map(|(key, value)| Some((key.to_owned(), value.as_str()?.to_owned())))
            .collect()
    }

    /// Changes a setting and writes the file. `None` removes the setting and the comment above it. The rest of the file is unchanged. If
    /// the path is a link, the link's target is written.
    pub fn set(&mut self, key: &str, new: Option<&str>) -> Result<(), Failure> {
        let table: Option<&mut dyn TableLike> = match &self.table {
            None => Some(self.document.as_table_mut()),
            Some(name) => {
                let table = self.document.entry(name.as_str());
                let table = table.or_insert_with(|| Item::Table(Table::new()));
                table.as_table_like_mut()
            }
        };
        let Some(table) = table else {
            let why = "a backend's settings must be a table: `[NAME]`".to_owned();
            return Err(unreadable(&self.path, why));
        };
        match (new, table.get_mut(key).and_then(Item::as_value_mut)) {
            (Some(new), Some(old)) => {
                let decor = old.decor().clone();
                *old = new.into();
                *old.decor_mut() = decor;
            }
            (Some(new), None) => drop(table.insert(key, value(new))),
            (None, _) => drop(table.remove(key)),
        }
        let is_empty = table.is_empty();
        if let Some(name) = self.table.as_ref().filter(|_| is_empty) {
            self.document.remove(name.as_str());
        }
        if self.path.as_os_str().is_empty() {
            return Err(homeless());
        }
        write_private(&self.path, self.document.to_string().as_bytes())
            .map_err(|error| files::write_failure(&self.path, error))
    }
}

/// Parses a settings file. A missing file counts as empty.
fn read(path: &Path) -> Result<DocumentMut, Failure> {
    if !exists(path).map_err(|error| unreadable(path, error))? {
        return Ok(DocumentMut::new());
    }
    let text = fs::metadata(path)
        .and_then(|metadata| refuse_special(&metadata))
        .and_then(|()| fs::read_to_string(path))
        .map_err(|error| unreadable(path, error))?;
    text.parse().map_err(|error: TomlError| {
        let line = error.span().map_or(1, |span| {
            text[..span.start.min(text.len())].lines().count().max(1)
        });
        unreadable(path, format!("line {line}: {}", error.message()))
    })
}

fn unreadable(path: &Path, why: impl Into<Box<dyn Error + Send + Sync>>) -> Failure {
    let can_not = format!("can't use `{}`", path.display());
    Failure::because(Exit::Usage, "invalid_config", can_not, why).hint("mend or remove the file")
}

#[cfg(test)]
mod tests {
    use super::Configuration;
    use crate::domain::BackendName;
    use crate::environment::Environment;

    #[test]
    fn a_change_keeps_everything_else_as_it_was_written() {
        let acme = BackendName::parse("acme");
        let top =
            "# mine\nregion   = 'us-east' # near\n\n# theirs\n\"backend\" = \"local\"\n# end\n";
        let tables = "# mine\n[acme]\nzone = 'a' # near\n\n[other]\nzone = \"b\"\n";
        let other = "\n[other]\nzone = \"b\"\n";
        let folder = tempfile::tempdir().unwrap();
        let environment = Environment {
            config_folder: Some(folder.path().to_owned()),
            ..Environment::default()
        };
        for (backend, before, key, value, expected) in [
            (
                None,
                top,
                "region",
                Some("us-west"),
                top.replace("'us-east'", "\"us-west\""),
            ),
            (None, top, "timeout", None, top.to_owned()),
            (
                None,
                "",
                "region",
                Some("us-west"),
                "region = \"us-west\"\n".to_owned(),
            ),
            (
                acme.as_ref(),
                tables,
                "zone",
                Some("c"),
                tables.replace("'a'", "\"c\""),
            ),
            (acme.as_ref(), tables, "zone", None, other.to_owned()),
        ] {
            let file = backend.map_or("config.toml", |_| "backends.toml");
            let path = folder.path().join(file);
            std::fs::write(&path, before).unwrap();
            let read = || match backend {
                None => Configuration::read(&environment).unwrap(),
                Some(name) => Configuration::of_backend(&environment, name).unwrap(),
            };
            read().set(key, value).unwrap();
            let after = std::fs::read_to_string(&path).unwrap();
            assert_eq!(after, expected, "{key} = {value:?}");
            assert_eq!(read().get(key), value, "{key}");
        }
    }
}
