//! The vault: sets in one file on this machine, every value sealed and the whole file authenticated.
//!
//! `VAULT.md` documents the files, what their form detects, and what it can't. Reading writes nothing. A change is made in
//! memory and takes effect by one rename; a lock file lets one writer in at a time.

mod as_backend;
mod backup;
mod backup_file;
mod change;
mod contents;
mod error;
mod home;
mod key;
mod keys;
mod legacy;
mod open;
mod seal;
mod sealed;
mod verify;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use bot_cli_sdk::secret::Secret;

use super::{Details, Keys, Profile, Summary};
use crate::domain::{Entry, Key, Organization, Region, RegistryHost, SetKind, SetName, Status};
use crate::files::lock::PATIENCE;
use crate::files::{self, Overwrite, WriteError, exists};
use crate::secret_file::Storage;
use crate::watch::{Nobody, Watch};
pub use as_backend::profile;
use backup::{Copied, Unsealed};
use backup_file::out_of_memory;
pub use backup_file::{Contents, open_backup, read_backup};
use change::Missing;
use contents::{CREDENTIALS, Set, Sets};
pub use error::{Effect, VaultError};
use home::{Home, Locked};
use open::Open;
pub use verify::Verified;

/// The organization of a vault where no other is chosen.
pub const ORGANIZATION: &str = "local";

/// The regions of a vault: those of the service, so that a set can move there.
pub const REGIONS: [(&str, &str); 4] = [
    ("us-west", "US West"),
    ("us-east", "US East"),
    ("eu-central", "EU Central"),
    ("ap-south", "AP South"),
];

/// The number of entries in a vault or in a backup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Size {
    /// Secret sets and image pull secrets.
    pub sets: usize,
    /// Their values.
    pub values: usize,
}

/// A vault, seen from one organization.
pub struct Vault<'a> {
    home: Home<'a>,
    organization: Organization,
    profile: Profile,
}

/// Returns the names of an organization's sets without asking or waiting for anybody. What is wrong with
/// the vault is not said here: then there are no names.
#[must_use]
pub fn names(folder: &Path, organization: &Organization) -> Option<Vec<String>> {
    let mut vault = Vault::new(folder, organization.clone(), Storage::File, &Nobody);
    vault.home.patience = Duration::ZERO;
    let sets = vault.list(None).ok()?;
    Some(sets.into_iter().map(|set| set.name).collect())
}

/// Returns the keys of a set as [`names`] does the sets.
#[must_use]
pub fn keys(folder: &Path, organization: &Organization, name: &SetName) -> Option<Vec<String>> {
    let mut vault = Vault::new(folder, organization.clone(), Storage::File, &Nobody);
    vault.home.patience = Duration::ZERO;
    match vault.get(name).ok()??.keys {
        Keys::Known(keys) => Some(keys),
        Keys::Referenced | Keys::None => None,
    }
}

impl<'a> Vault<'a> {
    /// The vault in `folder`, which is made at the first write; a new key is kept in `key`. Waiting for other processes
    /// and for the keyring ends with the user's request to stop.
    #[must_use]
    pub fn new(
        folder: &Path,
        organization: Organization,
        key: Storage,
        watch: &'a dyn Watch,
    ) -> Self {
        Self {
            home: Home {
                folder: folder.to_owned(),
                key,
                patience: PATIENCE,
                watch,
            },
            organization,
            profile: profile(),
        }
    }

    /// Every set, of one region or of all.
    pub fn list(&self, region: Option<&Region>) -> Result<Vec<Summary>, VaultError> {
        let wanted = |set: &Set| region.is_none_or(|region| region.as_str() == set.region);
        let sets = self.home.sets()?.unwrap_or_default();
        let ours = sets
            .iter()
            .filter(|((organization, _), _)| organization == self.organization.as_str());
        Ok(ours
            .filter(|(_, set)| wanted(set))
            .map(|((_, name), set)| summary(name, set))
            .collect())
    }

    /// One set; `None` when there is none of that name.
    pub fn get(&self, name: &SetName) -> Result<Option<Details>, VaultError> {
        let sets = self.home.sets()?.unwrap_or_default();
        let found = sets.get(&self.place(name));
        Ok(found.map(|set| Details {
            summary: summary(name.as_str(), set),
            keys: match set.kind {
                SetKind::Secret => Keys::Known(set.values.keys().cloned().collect()),
                SetKind::ImagePullSecret | SetKind::Unknown => Keys::None,
            },
        }))
    }

    /// The values of a set; `None` when there is no such secret set. This is for a program that the user starts with them.
    pub fn values(&self, name: &SetName) -> Result<Option<Vec<Entry>>, VaultError> {
        let Some(open) = self.home.open(Locked::No)? else {
            return Ok(None);
        };
        let place = self.place(name);
        let set = open.book.sets.get(&place);
        let Some(set) = set.filter(|set| set.kind == SetKind::Secret) else {
            return Ok(None);
        };
        let mut entries = Vec::with_capacity(set.values.len());
        for (key, sealed) in &set.values {
            let value = open.value(&place, key, sealed)?;
            let key = Key::parse(key)
                .map_err(|problem| VaultError::damaged(&open.path, format!("a key {problem}")))?;
            entries.push(Entry { key, value });
        }
        Ok(Some(entries))
    }

    /// The host and the credentials of an image pull secret; `None` when there is none of that name. This is for a copy.
    pub fn credentials(&self, name: &SetName) -> Result<Option<(String, Secret)>, VaultError> {
        let Some(open) = self.home.open(Locked::No)? else {
            return Ok(None);
        };
        let place = self.place(name);
        let Some(set) = open.book.sets.get(&place) else {
            return Ok(None);
        };
        match (&set.host, set.values.get(CREDENTIALS)) {
            (Some(host), Some(sealed)) => {
                let credentials = open.value(&place, CREDENTIALS, sealed)?;
                Ok(Some((host.clone(), credentials)))
            }
            _ => Ok(None),
        }
    }

    /// Every organization that has something here.
    pub fn organizations(&self) -> Result<Vec<String>, VaultError> {
        let sets = self.home.sets()?.unwrap_or_default();
        let mut names: Vec<String> = sets
            .into_keys()
            .map(|(organization, _)| organization)
            .collect();
        names.dedup();
        Ok(names)
    }

    /// Another organization that has a set of this name and one of these kinds.
    fn elsewhere(
        &self,
        name: &SetName,
        kinds: &[SetKind],
    ) -> Result<Option<Organization>, VaultError> {
        let sets = self.home.sets()?.unwrap_or_default();
        let found = sets.iter().find(|((organization, set_name), set)| {
            organization != self.organization.as_str()
                && set_name == name.as_str()
                && kinds.contains(&set.kind)
        });
        Ok(found.and_then(|((organization, _), _)| Organization::parse(organization).ok()))
    }

    /// Makes a set or adds to it; other keys stay.
    pub fn put(
        &self,
        name: &SetName,
        entries: &[Entry],
        region: Option<&Region>,
    ) -> Result<(), VaultError> {
        let values = entries
            .iter()
            .map(|entry| (entry.key.as_str(), &entry.value));
        self.store(
            name,
            SetKind::Secret,
            region,
            None,
            &values.collect::<Vec<_>>(),
        )
    }

    /// Makes an image pull secret or replaces its credentials.
    pub fn put_image_pull_secret(
        &self,
        name: &SetName,
        host: &RegistryHost,
        credentials: &Secret,
        region: Option<&Region>,
    ) -> Result<(), VaultError> {
        let values = [(CREDENTIALS, credentials)];
        self.store(name, SetKind::ImagePullSecret, region, Some(host), &values)
    }

    /// Removes keys, all of them at once. Returns those that were not there.
    pub fn unset(&self, name: &SetName, keys: &[Key]) -> Result<Vec<Key>, VaultError> {
        let mut missing = keys.to_vec();
        self.remove(|sets| {
            let set = sets.get_mut(&self.place(name))?;
            missing.retain(|key| set.values.remove(key.as_str()).is_none());
            (missing.len() < keys.len()).then_some(())
        })?;
        Ok(missing)
    }

    /// Removes a set of either kind; `false` when there is none.
    pub fn delete(&self, name: &SetName) -> Result<bool, VaultError> {
        self.remove(|sets| sets.remove(&self.place(name)).map(drop))
    }

    /// Opens every value and checks everything; `None` when there is no vault.
    pub fn verify(&self) -> Result<Option<Verified>, VaultError> {
        self.home.verify()
    }

    /// Seals everything with a new key and forgets the old one; where the new key is.
    pub fn rekey(&self) -> Result<Storage, VaultError> {
        self.home.rekey()
    }

    /// Checks that a backup can be written to `path`, which is no part of the vault and no device.
    pub fn check_place(&self, path: &Path, overwrite: Overwrite) -> Result<(), VaultError> {
        let refused = |reason| {
            Err(VaultError::NotAPlace {
                path: path.to_owned(),
                reason,
            })
        };
        let is_there = exists(path)?;
        if is_there && !fs::metadata(path).is_ok_and(|found| found.is_file()) {
            return refused("it is not a regular file");
        }
        let parent = path
            .parent()
            .and_then(|parent| fs::canonicalize(parent).ok());
        let target = fs::canonicalize(path).ok();
        if let Ok(vault) = fs::canonicalize(&self.home.folder)
            && [&parent, &target]
                .into_iter()
                .flatten()
                .any(|found| found.starts_with(&vault))
        {
            return refused("it is in the folder of the vault");
        }
        if target.is_some() && target == fs::canonicalize(self.home.key_file().path()).ok() {
            return refused("it has the key of the vault");
        }
        if is_there && overwrite == Overwrite::Refuse {
            return Err(VaultError::Exists {
                path: path.to_owned(),
            });
        }
        Ok(())
    }

    /// Writes everything, of every organization, to one file that opens with the passphrase.
    pub fn backup(
        &self,
        path: &Path,
        passphrase: &Secret,
        overwrite: Overwrite,
    ) -> Result<Size, VaultError> {
        self.check_place(path, overwrite)?;
        let open = self
            .home
            .open(Locked::No)?
            .ok_or_else(|| VaultError::NoVault {
                path: self.home.sealed(),
            })?;
        let sets = copies(&open)?;
        // What could not be restored is no backup.
        backup::check(&sets).map_err(|problem| VaultError::damaged(&open.path, problem))?;
        let bytes = backup::encode(&sets, passphrase).map_err(|unsealed| match unsealed {
            Unsealed::OutOfMemory(kibibytes) => out_of_memory(path, kibibytes),
            Unsealed::Failed(reason) => VaultError::not_written(path, reason),
        })?;
        match files::replace(path, &bytes, overwrite) {
            Ok(()) => Ok(size(&sets)),
            Err(WriteError::NotWritten(error))
                if error.kind() == std::io::ErrorKind::AlreadyExists =>
            {
                Err(VaultError::Exists {
                    path: path.to_owned(),
                })
            }
            Err(error) => Err(VaultError::write(path, error)),
        }
    }

    /// Puts the contents of a backup in the place of everything that is in the vault.
    pub fn restore(&self, contents: &Contents) -> Result<Size, VaultError> {
        let put_back = |open: &mut Open| {
            open.book.sets.clear();
            for set in &contents.sets {
                let (place, set) = sealed(open, set)?;
                open.book.sets.insert(place, set);
            }
            Ok(Some(stored(&open.book.sets)))
        };
        let restored = self.home.change(Missing::Create, put_back)?;
        Ok(restored.unwrap_or_default())
    }

    /// Counts the entries of all organizations.
    pub fn size(&self) -> Result<Size, VaultError> {
        let sets = self.home.sets()?.unwrap_or_default();
        Ok(stored(&sets))
    }

    fn store(
        &self,
        name: &SetName,
        kind: SetKind,
        region: Option<&Region>,
        host: Option<&RegistryHost>,
        values: &[(&str, &Secret)],
    ) -> Result<(), VaultError> {
        let place = self.place(name);
        let work = |open: &mut Open| {
            let mut set = match open.book.sets.remove(&place) {
                Some(found) => unchangeable(name, &found, kind, region).map_or(Ok(found), Err)?,
                None => Set {
                    kind,
                    region: region.map_or(REGIONS[0].0, Region::as_str).to_owned(),
                    host: None,
                    values: BTreeMap::new(),
                },
            };
            set.host = host.map(ToString::to_string);
            for (key, value) in values {
                let sealed = open.seal(&place, key, value)?;
                set.values.insert((*key).to_owned(), sealed);
            }
            open.book.sets.insert(place.clone(), set);
            Ok(Some(()))
        };
        self.home.change(Missing::Create, work).map(drop)
    }

    fn remove(&self, work: impl FnOnce(&mut Sets) -> Option<()>) -> Result<bool, VaultError> {
        let work = |open: &mut Open| Ok(work(&mut open.book.sets));
        let removed = self.home.change(Missing::Leave, work)?;
        Ok(removed.is_some())
    }

    fn place(&self, name: &SetName) -> (String, String) {
        (self.organization.to_string(), name.to_string())
    }
}

/// Checks the properties of a set that can't change.
fn unchangeable(
    name: &SetName,
    found: &Set,
    kind: SetKind,
    region: Option<&Region>,
) -> Option<VaultError> {
    let problem = if found.kind != kind {
        match found.kind {
            SetKind::Secret => format!("`{name}` is a secret set"),
            SetKind::ImagePullSecret => format!("`{name}` is an image pull secret"),
            SetKind::Unknown => format!("`{name}` is a {}", SetKind::Unknown.words()),
        }
    } else if region.is_some_and(|region| region.as_str() != found.region) {
        format!("`{name}` is in the region {}", found.region)
    } else {
        return None;
    };
    Some(VaultError::Refused(problem))
}

fn copies(open: &Open) -> Result<Vec<Copied>, VaultError> {
    let mut copies = Vec::with_capacity(open.book.sets.len());
    for (place, set) in &open.book.sets {
        let mut values = Vec::with_capacity(set.values.len());
        for (key, sealed) in &set.values {
            values.push((key.clone(), open.value(place, key, sealed)?));
        }
        copies.push(Copied {
            organization: place.0.clone(),
            name: place.1.clone(),
            kind: set.kind,
            region: set.region.clone(),
            host: set.host.clone(),
            values,
        });
    }
    Ok(copies)
}

fn sealed(open: &Open, set: &Copied) -> Result<((String, String), Set), VaultError> {
    let place = (set.organization.clone(), set.name.clone());
    let mut values = BTreeMap::new();
    for (key, value) in &set.values {
        values.insert(key.clone(), open.seal(&place, key, value)?);
    }
    let set = Set {
        kind: set.kind,
        region: set.region.clone(),
        host: set.host.clone(),
        values,
    };
    Ok((place, set))
}

fn stored(sets: &Sets) -> Size {
    Size {
        sets: sets.len(),
        values: sets.values().map(|set| set.values.len()).sum(),
    }
}

fn size(sets: &[Copied]) -> Size {
    Size {
        sets: sets.len(),
        values: sets.iter().map(|set| set.values.len()).sum(),
    }
}

fn summary(name: &str, set: &Set) -> Summary {
    Summary {
        name: name.to_owned(),
        kind: set.kind,
        region: Some(set.region.clone()),
        status: Status::Ready,
        error: None,
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod vectors;
