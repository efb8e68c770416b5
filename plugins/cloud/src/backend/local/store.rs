//! The files of the vault: one process at a time, one transaction a change.

mod unlocked;

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use bot_cli_sdk::failure::reason;
use redb::{
    AccessGuard, Database, ReadOnlyDatabase, ReadOnlyTable, ReadableDatabase, ReadableTable,
    StorageError, TableDefinition,
};
use serde::{Deserialize, Serialize};

use super::VaultError;
use crate::domain::{Organization, Region, RegistryHost, SetKind, SetName};
use crate::files::lock_file;
use crate::secret_file::{Place, SecretFile};
use crate::watch::Watch;
pub use unlocked::Unlocked;

const ABOUT: TableDefinition<&str, &[u8]> = TableDefinition::new("about");
const SETS: TableDefinition<&str, &str> = TableDefinition::new("sets");
const VALUES: TableDefinition<&str, &[u8]> = TableDefinition::new("values");

/// The value of `format` in the table `about`.
const FORMAT: &[u8] = b"1";

/// The place and the text of the sealed `check`.
const CHECK: &str = "check";

/// How long other processes are waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// How often the lock is tried.
const TICK: Duration = Duration::from_millis(10);

/// What is known of a set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// What it is.
    pub kind: SetKind,
    /// Where it is.
    pub region: String,
    /// The registry of an image pull secret.
    pub host: Option<String>,
}

/// What a set is to be.
pub struct NewRecord<'a> {
    /// What it is.
    pub kind: SetKind,
    /// Where it is; without one, where it is already, or in the default region.
    pub region: Option<&'a Region>,
    /// The registry, of an image pull secret.
    pub host: Option<&'a RegistryHost>,
}

#[derive(Serialize, Deserialize)]
struct RecordText {
    kind: String,
    region: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    host: Option<String>,
}

/// Where a vault is.
pub struct Home<'a> {
    /// The folder with its files.
    pub folder: PathBuf,
    /// Where a new key is to be.
    pub key: Place,
    /// Who may have to wait.
    pub watch: &'a dyn Watch,
}

impl Home<'_> {
    fn database(&self) -> PathBuf {
        self.folder.join("vault.redb")
    }

    fn key(&self) -> SecretFile<'_> {
        SecretFile::new(self.folder.join("vault.key"), self.watch)
    }
}

/// The names of an organization's sets, if they can be had at once: nobody is waited for, nothing is changed, and no key
/// is needed.
#[must_use]
pub fn names(folder: &Path, organization: &Organization) -> Option<Vec<String>> {
    // Without the lock, whoever writes meanwhile would find the store in use.
    let lock = OpenOptions::new()
        .write(true)
        .open(folder.join("vault.lock"))
        .ok()?;
    lock.try_lock().ok()?;
    let database = ReadOnlyDatabase::open(folder.join("vault.redb")).ok()?;
    let sets = database.begin_read().ok()?.open_table(SETS).ok()?;
    let rows = below(&sets, &place(organization, &[""])).ok()?;
    Some(rows.into_iter().map(|(name, _)| name).collect())
}

/// What stands in a table under places with this beginning, by the rest of the place.
fn below<V: redb::Value + 'static>(
    table: &ReadOnlyTable<&'static str, V>,
    beginning: &str,
) -> Result<Vec<(String, AccessGuard<'static, V>)>, StorageError> {
    let mut rows = Vec::new();
    for row in table.range(beginning..)? {
        let (place, value) = row?;
        let Some(rest) = place.value().strip_prefix(beginning) else {
            break;
        };
        rows.push((rest.to_owned(), value));
    }
    Ok(rows)
}

/// The open store, with what can be seen and removed without its key. While it lives no other process has it.
pub struct Store {
    database: Database,
    path: PathBuf,
    _lock: File,
}

impl Store {
    /// The store, if there is one.
    pub fn open(home: &Home<'_>) -> Result<Option<Self>, VaultError> {
        home.database()
            .exists()
            .then(|| Self::existing(home))
            .transpose()
    }

    fn existing(home: &Home<'_>) -> Result<Self, VaultError> {
        let path = home.database();
        let lock = lock(home)?;
        let database = Database::open(&path).map_err(|error| opening(&path, &error))?;
        let store = Self {
            database,
            path,
            _lock: lock,
        };
        if store.about("format")?.as_deref() == Some(FORMAT) {
            Ok(store)
        } else {
            Err(VaultError::Format { path: store.path })
        }
    }

    fn about(&self, name: &str) -> Result<Option<Vec<u8>>, VaultError> {
        let value = self.table(ABOUT)?;
        let value = value.get(name).map_err(|error| self.damaged(&error))?;
        Ok(value.map(|value| value.value().to_vec()))
    }

    fn table<V: redb::Value + 'static>(
        &self,
        table: TableDefinition<'_, &'static str, V>,
    ) -> Result<ReadOnlyTable<&'static str, V>, VaultError> {
        let opened =
            || -> Result<_, redb::Error> { Ok(self.database.begin_read()?.open_table(table)?) };
        opened().map_err(|error| self.damaged(&error))
    }

    /// What is known of a set.
    pub fn record(
        &self,
        organization: &Organization,
        name: &SetName,
    ) -> Result<Option<Record>, VaultError> {
        let sets = self.table(SETS)?;
        let found = sets
            .get(place(organization, &[name.as_str()]).as_str())
            .map_err(|error| self.damaged(&error))?;
        found.map(|text| self.decoded(text.value())).transpose()
    }

    /// Every set of an organization, by name.
    pub fn records(
        &self,
        organization: &Organization,
    ) -> Result<Vec<(String, Record)>, VaultError> {
        let sets = self.table(SETS)?;
        below(&sets, &place(organization, &[""]))
            .map_err(|error| self.damaged(&error))?
            .into_iter()
            .map(|(name, text)| Ok((name, self.decoded(text.value())?)))
            .collect()
    }

    /// Every organization that has a set.
    pub fn organizations(&self) -> Result<Vec<String>, VaultError> {
        let sets = self.table(SETS)?;
        let mut organizations = Vec::new();
        for row in sets.iter().map_err(|error| self.damaged(&error))? {
            let (place, _) = row.map_err(|error| self.damaged(&error))?;
            let organization = place
                .value()
                .split('\0')
                .next()
                .unwrap_or_default()
                .to_owned();
            if organizations.last() != Some(&organization) {
                organizations.push(organization);
            }
        }
        Ok(organizations)
    }

    /// The keys of a set, sorted.
    pub fn keys(
        &self,
        organization: &Organization,
        name: &SetName,
    ) -> Result<Vec<String>, VaultError> {
        Ok(self
            .sealed(organization, name)?
            .into_iter()
            .map(|(key, _)| key)
            .collect())
    }

    fn sealed(
        &self,
        organization: &Organization,
        name: &SetName,
    ) -> Result<Vec<(String, Vec<u8>)>, VaultError> {
        let values = self.table(VALUES)?;
        let rows = below(&values, &place(organization, &[name.as_str(), ""]))
            .map_err(|error| self.damaged(&error))?;
        Ok(rows
            .into_iter()
            .map(|(key, sealed)| (key, sealed.value().to_vec()))
            .collect())
    }

    /// Removes one value; whether there was one.
    pub fn remove_value(
        &mut self,
        organization: &Organization,
        name: &SetName,
        key: &str,
    ) -> Result<bool, VaultError> {
        let at = place(organization, &[name.as_str(), key]);
        self.change(|transaction| {
            Ok(transaction
                .open_table(VALUES)?
                .remove(at.as_str())?
                .is_some())
        })
    }

    /// Removes a set with its values; whether there was one.
    pub fn remove(
        &mut self,
        organization: &Organization,
        name: &SetName,
    ) -> Result<bool, VaultError> {
        let at = place(organization, &[name.as_str()]);
        let beginning = place(organization, &[name.as_str(), ""]);
        self.change(|transaction| {
            let found = transaction.open_table(SETS)?.remove(at.as_str())?.is_some();
            let mut values = transaction.open_table(VALUES)?;
            values.retain_in(beginning.as_str().., |place, _| {
                !place.starts_with(&beginning)
            })?;
            Ok(found)
        })
    }

    /// One transaction, which is on the disk when this comes back, or has left nothing.
    fn change(
        &mut self,
        change: impl FnOnce(&redb::WriteTransaction) -> Result<bool, redb::Error>,
    ) -> Result<bool, VaultError> {
        let write = || {
            let transaction = self.database.begin_write()?;
            let changed = change(&transaction)?;
            transaction.commit()?;
            Ok(changed)
        };
        write().map_err(|error: redb::Error| VaultError::NotWritten {
            path: self.path.clone(),
            reason: short(&error.to_string()),
        })
    }

    fn decoded(&self, text: &str) -> Result<Record, VaultError> {
        let record: RecordText =
            serde_json::from_str(text).map_err(|error| self.damaged(&error))?;
        let kind = [SetKind::Secret, SetKind::ImagePullSecret]
            .into_iter()
            .find(|kind| kind.name() == record.kind)
            .ok_or_else(|| self.damaged("a set is of an unknown kind"))?;
        Ok(Record {
            kind,
            region: record.region,
            host: record.host,
        })
    }

    fn damaged(&self, reason: &(impl ToString + ?Sized)) -> VaultError {
        VaultError::Damaged {
            path: self.path.clone(),
            reason: short(&reason.to_string()),
        }
    }
}

/// Waits until no other process has the vault.
fn lock(home: &Home<'_>) -> Result<File, VaultError> {
    let path = home.folder.join("vault.lock");
    let file = lock_file(&path).map_err(|error| not_written(&path, &error))?;
    let begun = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(not_written(&path, &error)),
        }
        if home.watch.cancelled() {
            return Err(VaultError::Cancelled);
        }
        if begun.elapsed() >= PATIENCE {
            return Err(VaultError::Busy {
                seconds: PATIENCE.as_secs(),
            });
        }
        thread::sleep(TICK);
    }
}

fn place(organization: &Organization, parts: &[&str]) -> String {
    let mut place = organization.to_string();
    for part in parts {
        place.push('\0');
        place.push_str(part);
    }
    place
}

fn opening(path: &Path, error: &redb::DatabaseError) -> VaultError {
    let path = path.to_owned();
    match error {
        redb::DatabaseError::UpgradeRequired(_) => VaultError::Format { path },
        redb::DatabaseError::Storage(redb::StorageError::Io(error))
            if error.kind() != io::ErrorKind::InvalidData =>
        {
            VaultError::File {
                path,
                reason: reason(error),
            }
        }
        error @ (redb::DatabaseError::DatabaseAlreadyOpen
        | redb::DatabaseError::RepairAborted
        | redb::DatabaseError::TransactionInProgress
        | redb::DatabaseError::Storage(_)
        | _) => VaultError::Damaged {
            path,
            reason: short(&error.to_string()),
        },
    }
}

fn not_written(path: &Path, error: &io::Error) -> VaultError {
    VaultError::NotWritten {
        path: path.to_owned(),
        reason: reason(error),
    }
}

fn short(text: &str) -> String {
    let text = text.strip_prefix("I/O error: ").unwrap_or(text);
    reason(&io::Error::other(text))
}
