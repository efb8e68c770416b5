//! The vault, which stores all sets in one age-encrypted file on this machine. `VAULT.md` documents the files and the kinds of tampering
//! that can be detected.

mod backup;
mod document;
mod error;
mod home;
mod key;
mod seal;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use bot_cli_protocol::secret::Secret;
use bot_cli_sdk::session::Session;

use super::{
    Ability, BackendError, ChangeError, Details, Keys, Limits, NameRules, Prior, Profile,
    ReadsValues, Regions, SecretsBackend, Summary,
};
use crate::domain::{Entry, Key, Organization, Region, RegistryHost, SetKind, SetName, Status};
use crate::files::lock::PATIENCE;
use crate::secret_file::Storage;
use crate::source::Source;

pub use backup::{Backup, open_backup};
use document::{Contents, Set, Sets};
pub use error::VaultError;
use home::{Home, Missing};

/// The default organization of a vault.
pub const ORGANIZATION: &str = "local";

/// The regions of a vault. They match the hosting service's regions, so that sets can be copied to the service.
pub const REGIONS: [(&str, &str); 4] = [
    ("us-west", "US West"),
    ("us-east", "US East"),
    ("eu-central", "EU Central"),
    ("ap-south", "AP South"),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Size {
    /// The number of secret sets and image pull secrets.
    pub sets: usize,
    pub values: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    pub path: PathBuf,
    pub key: Storage,
    pub organizations: usize,
    pub secret_sets: usize,
    pub image_pull_secrets: usize,
    pub values: usize,
}

/// One organization's view of a vault.
pub struct Vault<'a> {
    home: Home<'a>,
    organization: Organization,
    profile: Profile,
}

/// Returns the names of an organization's sets, or `None` if reading them fails or needs the keyring.
pub fn names(folder: &Path, organization: &Organization) -> Option<Vec<String>> {
    let session = Session::silent();
    let vault = Vault::new(folder, organization.clone(), Storage::File, &session);
    let sets = vault.home.sets_at_hand()?;
    Some(vault.ours(&sets).map(|(name, _)| name.clone()).collect())
}

/// Returns the keys of a secret set. Returns `None` if the set doesn't exist, reading fails or the keyring is needed.
pub fn keys(folder: &Path, organization: &Organization, name: &SetName) -> Option<Vec<String>> {
    let session = Session::silent();
    let vault = Vault::new(folder, organization.clone(), Storage::File, &session);
    match &vault.home.sets_at_hand()?.get(&vault.place(name))?.contents {
        Contents::Secret(values) => Some(values.keys().cloned().collect()),
        Contents::ImagePullSecret { .. } => None,
    }
}

pub fn profile() -> Profile {
    Profile {
        keeper: "the vault of this machine".to_owned(),
        subject: "the vault".to_owned(),
        at: "in the vault".to_owned(),
        can: [
            Ability::Values,
            Ability::EmptyValues,
            Ability::ImagePullSecrets,
            Ability::Organizations,
            Ability::DeployRegions,
        ]
        .into(),
        names: NameRules::default(),
        limits: Limits::default(),
        default_region: Source::Default,
    }
}

impl<'a> Vault<'a> {
    /// Creates a handle to the vault in `folder`. The first write creates the folder and stores a new key in the storage `key`.
    ///
    /// If `session` reports that the user cancelled, the vault stops waiting for other processes and the keyring.
    pub fn new(
        folder: &Path,
        organization: Organization,
        key: Storage,
        session: &'a Session,
    ) -> Self {
        Self {
            home: Home {
                folder: folder.to_owned(),
                key,
                patience: PATIENCE,
                session,
                known: RefCell::default(),
            },
            organization,
            profile: profile(),
        }
    }

    /// Returns every organization that has a set in the vault.
    pub fn organizations(&self) -> Result<Vec<String>, VaultError> {
        let sets = self.home.sets()?.unwrap_or_default();
        let mut names: Vec<String> = sets.into_keys().map(|(name, _)| name).collect();
        names.dedup();
        Ok(names)
    }

    /// Decrypts and checks the whole vault. Returns `None` if the vault doesn't exist.
    pub fn verify(&self) -> Result<Option<Verified>, VaultError> {
        let Some(sets) = self.home.sets()? else {
            return Ok(None);
        };
        let secret = |set: &&Set| set.kind() == SetKind::Secret;
        let secret_sets = sets.values().filter(secret).count();
        let organizations: BTreeSet<_> = sets.keys().map(|(name, _)| name).collect();
        Ok(Some(Verified {
            path: self.home.vault(),
            key: self.home.key_file().place(),
            organizations: organizations.len(),
            secret_sets,
            image_pull_secrets: sets.len() - secret_sets,
            values: document::size(&sets).values,
        }))
    }

    /// Encrypts the vault with a new key and removes the old key. Returns where the new key is stored.
    pub fn rekey(&self) -> Result<Storage, VaultError> {
        self.home.rekey()
    }

    /// Replaces the whole vault with the contents of a backup.
    pub fn restore(&self, backup: Backup) -> Result<Size, VaultError> {
        let size = document::size(&backup.sets);
        let put_back = |sets: &mut Sets| {
            *sets = backup.sets;
            Ok(Some(()))
        };
        self.home.change(Missing::Create, put_back)?;
        Ok(size)
    }

    /// Counts the entries of all organizations.
    pub fn size(&self) -> Result<Size, VaultError> {
        let sets = self.home.sets()?.unwrap_or_default();
        Ok(document::size(&sets))
    }

    fn ours<'s>(&self, sets: &'s Sets) -> impl Iterator<Item = (&'s String, &'s Set)> {
        let sets = sets.iter();
        sets.filter(|((organization, _), _)| organization == self.organization.as_str())
            .map(|((_, name), set)| (name, set))
    }

    fn place(&self, name: &SetName) -> (String, String) {
        (self.organization.to_string(), name.to_string())
    }

    fn set(&self, name: &SetName) -> Result<Option<Set>, VaultError> {
        let sets = self.home.sets()?;
        Ok(sets.and_then(|mut sets| sets.remove(&self.place(name))))
    }

    /// Stores a set of the given kind. Fails if the existing set no longer matches `prior`; `alike` compares the keys.
    fn store(
        &self,
        name: &SetName,
        kind: SetKind,
        prior: Prior<'_>,
        alike: impl FnOnce(&Set, &[String]) -> bool,
        fill: impl FnOnce(Option<Contents>) -> Contents,
    ) -> Result<(), ChangeError> {
        let is_as_seen = |found: Option<&Set>| match (found, prior) {
            (None, Prior::Absent(_)) => true,
            (Some(set), Prior::Keys(keys)) => set.kind() == kind && alike(set, keys),
            (None, Prior::Keys(_)) | (Some(_), Prior::Absent(_)) => false,
        };
        self.apply(name, Missing::Create, is_as_seen, |found| {
            let new = || {
                prior
                    .region()
                    .map_or(REGIONS[0].0, Region::as_str)
                    .to_owned()
            };
            let (region, contents) = match found {
                Some(set) => (set.region, Some(set.contents)),
                None => (new(), None),
            };
            let contents = fill(contents);
            Some(Set { region, contents })
        })?;
        Ok(())
    }

    /// Changes one set under the lock. Fails if the set has changed since the caller read it.
    ///
    /// Returns `false` if the set doesn't exist and `missing` forbids creating it.
    fn apply(
        &self,
        name: &SetName,
        missing: Missing,
        is_as_seen: impl FnOnce(Option<&Set>) -> bool,
        work: impl FnOnce(Option<Set>) -> Option<Set>,
    ) -> Result<bool, VaultError> {
        let work = |sets: &mut Sets| {
            let found = sets.remove(&self.place(name));
            if found.is_none() && missing == Missing::Leave {
                return Ok(None);
            }
            if !is_as_seen(found.as_ref()) {
                return Err(VaultError::Conflict(name.to_string()));
            }
            if let Some(set) = work(found) {
                sets.insert(self.place(name), set);
            }
            Ok(Some(()))
        };
        Ok(self.home.change(missing, work)?.is_some())
    }
}

impl SecretsBackend for Vault<'_> {
    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn reader(&self) -> Option<&dyn ReadsValues> {
        Some(self)
    }

    fn regions(&self) -> Result<Regions, BackendError> {
        let all = REGIONS.map(|(code, name)| (code.to_owned(), name.to_owned()));
        Ok(Regions {
            all: all.into(),
            default: Some(REGIONS[0].0.to_owned()),
        })
    }

    fn list(&self, region: Option<&Region>) -> Result<Vec<Summary>, BackendError> {
        let sets = self.home.sets()?.unwrap_or_default();
        let wanted = |set: &Set| region.is_none_or(|region| region.as_str() == set.region);
        Ok(self
            .ours(&sets)
            .filter(|(_, set)| wanted(set))
            .map(|(name, set)| summary(name, set))
            .collect())
    }

    fn get(&self, name: &SetName) -> Result<Option<Details>, BackendError> {
        let details = |set: Set| Details {
            summary: summary(name.as_str(), &set),
            keys: match set.contents {
                Contents::Secret(values) => Keys::Known(values.into_keys().collect()),
                Contents::ImagePullSecret { .. } => Keys::None,
            },
        };
        Ok(self.set(name)?.map(details))
    }

    fn put(&self, name: &SetName, entries: &[Entry], prior: Prior<'_>) -> Result<(), ChangeError> {
        let alike = |set: &Set, seen: &[String]| {
            let mut keys = entries.iter().map(|entry| &entry.key);
            keys.all(|key| stands(set, key, seen))
        };
        self.store(name, SetKind::Secret, prior, alike, |found| {
            let mut values = match found {
                Some(Contents::Secret(values)) => values,
                Some(Contents::ImagePullSecret { .. }) | None => BTreeMap::new(),
            };
            let entries = entries.iter();
            values.extend(entries.map(|entry| (entry.key.to_string(), entry.value.clone())));
            Contents::Secret(values)
        })
    }

    fn put_image_pull_secret(
        &self,
        name: &SetName,
        host: &RegistryHost,
        credentials: &Secret,
        prior: Prior<'_>,
    ) -> Result<(), ChangeError> {
        self.store(name, SetKind::ImagePullSecret, prior, has, |_| {
            Contents::ImagePullSecret {
                host: host.to_string(),
                credentials: credentials.clone(),
            }
        })
    }

    fn unset(
        &self,
        name: &SetName,
        keys: &[Key],
        seen: Option<&[String]>,
    ) -> Result<Vec<Key>, ChangeError> {
        let mut missing = keys.to_vec();
        let is_as_seen = |found: Option<&Set>| {
            let mut keys = keys.iter();
            found
                .zip(seen)
                .is_none_or(|(set, seen)| keys.all(|key| stands(set, key, seen)))
        };
        self.apply(name, Missing::Leave, is_as_seen, |mut set| {
            if let Some(Contents::Secret(values)) = set.as_mut().map(|set| &mut set.contents) {
                missing.retain(|key| values.remove(key.as_str()).is_none());
            }
            set
        })?;
        Ok(missing)
    }

    fn delete(&self, name: &SetName, seen: Option<&[String]>) -> Result<bool, ChangeError> {
        let is_as_seen =
            |found: Option<&Set>| found.zip(seen).is_none_or(|(set, seen)| has(set, seen));
        Ok(self.apply(name, Missing::Leave, is_as_seen, |_| None)?)
    }
}

impl ReadsValues for Vault<'_> {
    fn values(&self, name: &SetName) -> Result<Option<Vec<Entry>>, BackendError> {
        let Some(Contents::Secret(values)) = self.set(name)?.map(|set| set.contents) else {
            return Ok(None);
        };
        let entries = values.into_iter().map(|(key, value)| {
            let key = Key::parse_existing(&key).map_err(|problem| {
                VaultError::damaged(&self.home.vault(), format!("a key {problem}"))
            })?;
            Ok(Entry { key, value })
        });
        entries.collect::<Result<_, BackendError>>().map(Some)
    }

    fn credentials(&self, name: &SetName) -> Result<Option<(String, Secret)>, BackendError> {
        match self.set(name)?.map(|set| set.contents) {
            Some(Contents::ImagePullSecret { host, credentials }) => Ok(Some((host, credentials))),
            Some(Contents::Secret(_)) | None => Ok(None),
        }
    }
}

/// Reports whether a set has exactly these keys. An image pull secret has no keys.
fn has(set: &Set, keys: &[String]) -> bool {
    match &set.contents {
        Contents::Secret(values) => {
            values.len() == keys.len() && keys.iter().all(|key| values.contains_key(key))
        }
        Contents::ImagePullSecret { .. } => keys.is_empty(),
    }
}

/// Reports whether the presence of a key still matches `seen`. Other keys are ignored.
fn stands(set: &Set, key: &Key, seen: &[String]) -> bool {
    let key = key.as_str();
    let has = matches!(&set.contents, Contents::Secret(values) if values.contains_key(key));
    seen.iter().any(|known| known == key) == has
}

fn summary(name: &str, set: &Set) -> Summary {
    Summary {
        name: name.to_owned(),
        kind: set.kind(),
        region: Some(set.region.clone()),
        status: Status::Ready,
        error: None,
    }
}

#[cfg(test)]
mod tests;
