//! `backends.toml`: the settings of backends that have an executable of their own, a table each.
//!
//! It is a file beside `config.toml`, which every version can read.

use std::collections::BTreeMap;
use std::path::PathBuf;

use bot_cli_protocol::failure::Failure;
use toml_edit::{DocumentMut, Item, Table, TableLike};

use super::{read, replace, unreadable, write};
use crate::domain::BackendName;
use crate::environment::Environment;
use crate::text::theirs;

/// The settings of backends.
#[derive(Debug, Clone, Default)]
pub struct BackendSettings {
    /// The path, whether or not the file exists; empty if its folder is unknown.
    pub path: PathBuf,
    tables: DocumentMut,
}

impl BackendSettings {
    /// Reads the file for `backend`; no file has none, and no place for one has none. What is wrong in the table of another backend is
    /// not looked at.
    pub fn read(environment: &Environment, backend: &BackendName) -> Result<Self, Failure> {
        let Some(folder) = &environment.config_folder else {
            return Ok(Self::default());
        };
        let path = folder.join("backends.toml");
        let tables = read(&path)?;
        let settings = Self { path, tables };
        settings.check(backend)?;
        Ok(settings)
    }

    /// A setting of a backend.
    pub fn get(&self, backend: &BackendName, key: &str) -> Option<&str> {
        self.table(backend)?.get(key)?.as_str()
    }

    /// Every setting of a backend.
    pub fn all(&self, backend: &BackendName) -> BTreeMap<String, String> {
        let settings = self.table(backend).into_iter().flat_map(TableLike::iter);
        settings
            .filter_map(|(key, value)| Some((key.to_owned(), value.as_str()?.to_owned())))
            .collect()
    }

    /// Sets or, with `None`, removes a setting of a backend, and writes the file. Everything else in it stays as it was written.
    pub fn set(
        &mut self,
        backend: &BackendName,
        key: &str,
        value: Option<&str>,
    ) -> Result<(), Failure> {
        let table = self.tables.entry(backend.as_str());
        let table = table.or_insert_with(|| Item::Table(Table::new()));
        if let Some(table) = table.as_table_like_mut() {
            match (value, table.get_mut(key)) {
                (Some(value), Some(item)) => replace(item, value),
                (Some(value), None) => drop(table.insert(key, Item::Value(value.into()))),
                (None, _) => drop(table.remove(key)),
            }
            if table.is_empty() {
                self.tables.remove(backend.as_str());
            }
        }
        write(&self.path, &self.tables)
    }

    fn table(&self, backend: &BackendName) -> Option<&dyn TableLike> {
        self.tables.get(backend.as_str())?.as_table_like()
    }

    fn check(&self, backend: &BackendName) -> Result<(), Failure> {
        for (name, settings) in self.tables.iter() {
            let is_own = name == backend.as_str();
            let name = theirs(name);
            let Some(settings) = settings.as_table_like() else {
                return Err(unreadable(
                    &self.path,
                    format!("`{name}` must be a table: `[{name}]`"),
                ));
            };
            let mut settings = settings.iter().filter(|_| is_own);
            if let Some((key, _)) = settings.find(|(_, value)| !value.is_str()) {
                let key = theirs(key);
                return Err(unreadable(
                    &self.path,
                    format!("`{key}` of `{name}` must be a text in quotes"),
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::BackendSettings;
    use crate::domain::BackendName;
    use crate::environment::Environment;

    #[test]
    fn every_backend_has_a_table_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let environment = Environment {
            config_folder: Some(folder.path().to_owned()),
            ..Environment::default()
        };
        let path = folder.path().join("backends.toml");
        let before = "# mine\n[acme]\nzone = 'a' # near\n\n[other]\nzone = \"b\"\n";
        std::fs::write(&path, before).unwrap();
        let acme = BackendName::parse("acme").unwrap();
        let mut settings = BackendSettings::read(&environment, &acme).unwrap();
        settings.set(&acme, "zone", Some("c")).unwrap();
        let after = std::fs::read_to_string(&path).unwrap();
        assert_eq!(after, before.replace("'a'", "\"c\""));
        settings.set(&acme, "name", Some("n")).unwrap();
        assert_eq!(settings.all(&acme).len(), 2);
        assert_eq!(settings.get(&acme, "name"), Some("n"));
        for key in ["zone", "name"] {
            settings.set(&acme, key, None).unwrap();
        }
        let read = BackendSettings::read(&environment, &acme).unwrap();
        assert_eq!(read.all(&acme).len(), 0);
        let other = BackendName::parse("other").unwrap();
        assert_eq!(read.get(&other, "zone"), Some("b"));
    }

    #[test]
    fn what_is_no_text_in_a_table_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let environment = Environment {
            config_folder: Some(folder.path().to_owned()),
            ..Environment::default()
        };
        for text in ["zone = 'a'", "[acme]\nzone = 7", "[acme", "[acme.zone]"] {
            std::fs::write(folder.path().join("backends.toml"), text).unwrap();
            let acme = BackendName::parse("acme").unwrap();
            let failure = BackendSettings::read(&environment, &acme).unwrap_err();
            assert_eq!(failure.code, "invalid_config", "{text}");
        }
        std::fs::write(folder.path().join("backends.toml"), "[acme]\nzone = 7").unwrap();
        let other = BackendName::parse("other").unwrap();
        assert!(BackendSettings::read(&environment, &other).is_ok());
    }
}
