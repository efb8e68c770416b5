//! The vault: sets in an embedded store on this machine, every value sealed.
//!
//! `vault.redb` has three tables. `about`: `format` is `1`, `check` a sealed text that tells the right key from a wrong one.
//! `sets`: organization, NUL, name → JSON with kind and region, and the host of an image pull secret. `values`:
//! organization, NUL, name, NUL, key → sealed value. Names and keys are not secret; values and credentials are. `seal` has
//! the form of a sealed value. A lock file lets one process in after the other; a transaction is whole or not at all.

pub mod key;
pub mod seal;
mod store;

use std::path::{Path, PathBuf};

use bot_cli_sdk::secret::Secret;

use super::{
    BackendError, ChangeError, Confirmed, Details, Keys, Prior, Regions, SecretsBackend, Summary,
};
use crate::domain::{Entry, Key, Organization, Region, RegistryHost, SetKind, SetName, Status};
use crate::keyring::KeyringError;
use crate::secret_file::Place;
use crate::watch::Watch;
pub use store::names;
use store::{Home, NewRecord, Record, Store, Unlocked};

/// The organization of a vault when nobody says otherwise.
pub const ORGANIZATION: &str = "local";

/// The regions of a vault: those of the service, so that a set can move there.
pub const REGIONS: [(&str, &str); 4] = [
    ("us-west", "US West"),
    ("us-east", "US East"),
    ("eu-central", "EU Central"),
    ("ap-south", "AP South"),
];

/// The name under which the credentials of an image pull secret are sealed; no key has a blank.
const CREDENTIALS: &str = "image pull credentials";

/// What goes wrong in the vault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VaultError {
    /// A file can't be used.
    #[error("could not use `{}`: {reason}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// Others can read the key.
    #[error("others can read or write `{}` (mode {mode:o})", path.display())]
    TooOpen {
        /// Which file.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// There are values but no key to open them.
    #[error("the key of the vault is missing: `{}`", path.display())]
    NoKey {
        /// Where it should be.
        path: PathBuf,
    },
    /// The key is in the keyring, which does not give it.
    #[error("could not get the key of the vault: {0}")]
    Keyring(KeyringError),
    /// The key is of another vault.
    #[error("`{}` is not the key of this vault", path.display())]
    WrongKey {
        /// Where it is.
        path: PathBuf,
    },
    /// Another version wrote the vault.
    #[error("`{}` has a format that this version does not know", path.display())]
    Format {
        /// Where it is.
        path: PathBuf,
    },
    /// The store is damaged, or somebody moved a sealed value.
    #[error("`{}` is damaged: {reason}", path.display())]
    Damaged {
        /// Where it is.
        path: PathBuf,
        /// What was found.
        reason: String,
    },
    /// The disk or the store refused a write; nothing changed.
    #[error("could not write `{}`: {reason}", path.display())]
    NotWritten {
        /// Where it is.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The set is of another kind or in another region; nothing changed.
    #[error("{0}")]
    Refused(String),
    /// Other processes did not let us in.
    #[error("another process has been using the vault for {seconds} seconds")]
    Busy {
        /// How long was waited.
        seconds: u64,
    },
    /// The user did not want to wait any longer.
    #[error("cancelled")]
    Cancelled,
}

/// The part of a vault that belongs to one organization.
pub struct Vault<'a> {
    home: Home<'a>,
    organization: Organization,
}

impl<'a> Vault<'a> {
    /// The vault in `folder`, which is made at the first write, with its key in `key`. Waiting for other processes and for
    /// the keyring ends with the user's wish to stop.
    #[must_use]
    pub fn new(
        folder: &Path,
        organization: Organization,
        key: Place,
        watch: &'a dyn Watch,
    ) -> Self {
        Self {
            home: Home {
                folder: folder.to_owned(),
                key,
                watch,
            },
            organization,
        }
    }

    /// The values of a set; `None` when there is no such secret set. This is for a program that the user starts with them.
    pub fn values(&self, name: &SetName) -> Result<Option<Vec<Entry>>, VaultError> {
        match Unlocked::open(&self.home)? {
            Some(store) => store.values(&self.organization, name),
            None => Ok(None),
        }
    }

    /// The host and the credentials of an image pull secret; `None` when there is none of that name. This is for a copy.
    pub fn credentials(&self, name: &SetName) -> Result<Option<(String, Secret)>, VaultError> {
        match Unlocked::open(&self.home)? {
            Some(store) => store.credentials(&self.organization, name),
            None => Ok(None),
        }
    }

    /// Every organization that has something here.
    pub fn organizations(&self) -> Result<Vec<String>, VaultError> {
        match Store::open(&self.home)? {
            Some(store) => store.organizations(),
            None => Ok(Vec::new()),
        }
    }

    fn store(
        &self,
        name: &SetName,
        new: &NewRecord<'_>,
        values: &[(String, Secret)],
    ) -> Result<(), VaultError> {
        Unlocked::create(&self.home)?.put(&self.organization, name, new, values)
    }

    fn put_entries(
        &self,
        name: &SetName,
        entries: &[Entry],
        region: Option<&Region>,
    ) -> Result<(), BackendError> {
        let values: Vec<_> = entries
            .iter()
            .map(|entry| (entry.key.to_string(), entry.value.clone()))
            .collect();
        let new = NewRecord {
            kind: SetKind::Secret,
            region,
            host: None,
        };
        Ok(self.store(name, &new, &values)?)
    }
}

impl SecretsBackend for Vault<'_> {
    fn regions(&self) -> Result<Regions, BackendError> {
        Ok(Regions {
            all: REGIONS
                .map(|(code, name)| (code.to_owned(), name.to_owned()))
                .into(),
            default: Some(REGIONS[0].0.to_owned()),
        })
    }

    fn region_codes(&self) -> Result<Vec<String>, BackendError> {
        Ok(REGIONS.map(|(code, _)| code.to_owned()).into())
    }

    fn list(&self, region: Option<&Region>) -> Result<Vec<Summary>, BackendError> {
        let Some(store) = Store::open(&self.home)? else {
            return Ok(Vec::new());
        };
        let records = store.records(&self.organization)?;
        let wanted = |record: &Record| region.is_none_or(|region| region.as_str() == record.region);
        Ok(records
            .into_iter()
            .filter(|(_, record)| wanted(record))
            .map(|(name, record)| summary(name, record))
            .collect())
    }

    fn get(&self, name: &SetName) -> Result<Option<Details>, BackendError> {
        let Some(store) = Store::open(&self.home)? else {
            return Ok(None);
        };
        let Some(record) = store.record(&self.organization, name)? else {
            return Ok(None);
        };
        let keys = match record.kind {
            SetKind::Secret => Keys::Known(store.keys(&self.organization, name)?),
            SetKind::ImagePullSecret | SetKind::Unknown => Keys::None,
        };
        Ok(Some(Details {
            summary: summary(name.to_string(), record),
            keys,
        }))
    }

    fn put(
        &self,
        name: &SetName,
        entries: &[Entry],
        prior: Prior<'_>,
    ) -> Result<Confirmed, ChangeError> {
        self.put_entries(name, entries, prior.region())
            .map_err(ChangeError::not_done)?;
        Ok(Confirmed::ByAnswer)
    }

    fn put_image_pull_secret(
        &self,
        name: &SetName,
        host: &RegistryHost,
        credentials: &Secret,
        prior: Prior<'_>,
    ) -> Result<Confirmed, ChangeError> {
        let new = NewRecord {
            kind: SetKind::ImagePullSecret,
            region: prior.region(),
            host: Some(host),
        };
        self.store(name, &new, &[(CREDENTIALS.to_owned(), credentials.clone())])?;
        Ok(Confirmed::ByAnswer)
    }

    fn unset(&self, name: &SetName, keys: &[Key]) -> Result<Vec<Key>, ChangeError> {
        let Some(mut store) = Store::open(&self.home)? else {
            return Ok(keys.to_vec());
        };
        let mut missing = Vec::new();
        for key in keys {
            if !store.remove_value(&self.organization, name, key.as_str())? {
                missing.push(key.clone());
            }
        }
        Ok(missing)
    }

    fn delete(&self, name: &SetName) -> Result<bool, ChangeError> {
        match Store::open(&self.home)? {
            Some(mut store) => Ok(store.remove(&self.organization, name)?),
            None => Ok(false),
        }
    }

    fn pause(&self, _pause: std::time::Duration) -> Result<(), BackendError> {
        // What is in the vault is ready.
        Ok(())
    }
}

impl From<VaultError> for ChangeError {
    fn from(error: VaultError) -> Self {
        Self::not_done(error.into())
    }
}

fn summary(name: String, record: Record) -> Summary {
    Summary {
        name,
        kind: record.kind,
        region: record.region,
        status: Status::Ready,
        error: None,
    }
}

#[cfg(test)]
mod tests;
