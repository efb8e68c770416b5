//! The vault, which stores all sets in one age-encrypted file on this machine, and the private files and keyring entries in which secrets
//! are kept. `VAULT.md` documents the files and the kinds of tampering that can be detected.

mod backup;
mod document;
mod error;
pub mod files;
mod home;
mod key;
pub mod keyring;
mod plain;
mod platform;
mod random;
mod seal;
pub mod secret_file;
/// Waits that the user can see and cancel.
pub mod wait;

use std::cell::Ref;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use bot_cli_protocol::secret::Secret;
use bot_cli_sdk::session::Session;
use bot_cli_secrets::messages::{
    Ability, CredentialsResult, DeleteParams, OpenResult, OrganizationInfo, Prior,
    PutImagePullSecretParams, PutParams, RegionInfo, Regions, SetInfo, SetKind, UnsetParams,
};
use bot_cli_secrets::{ChangeError, Code, Entry, Error, Key, Organization, Region, SetName, Store};

use crate::secret_file::Storage;
pub use backup::{Backup, open_backup};
pub use document::registry;
use document::{Contents, ImagePullSecret, Place, Row, Set, Sets};
pub use error::VaultError;
use home::{Home, Memory, Missing};

/// The regions of a vault. They match the hosting service's regions, so that sets can be copied to the service.
pub const REGIONS: [(&str, &str); 4] = [
    ("us-west", "US West"),
    ("us-east", "US East"),
    ("eu-central", "EU Central"),
    ("ap-south", "AP South"),
];

/// The size of a vault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Size {
    /// The number of secret sets and image pull secrets.
    pub sets: usize,
    /// The number of values and credentials.
    pub values: usize,
}

/// What a verified vault has.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say what is counted")]
pub struct Verified {
    pub path: PathBuf,
    pub key: Storage,
    pub organizations: usize,
    pub secret_sets: usize,
    pub image_pull_secrets: usize,
    pub values: usize,
}

/// One organization's view of a vault.
pub struct Vault {
    folder: PathBuf,
    key: Storage,
    organization: Organization,
    opened: OpenResult,
    memory: Memory,
}

/// Returns the names of an organization's sets, or `None` if reading them fails or needs the keyring.
pub fn names(folder: &Path, organization: &Organization) -> Option<Vec<String>> {
    let (vault, session) = local(folder, organization);
    let sets = vault.home(&session).sets_at_hand()?;
    Some(vault.ours(&sets).map(|(name, _)| name.clone()).collect())
}

/// Returns the keys of a secret set. Returns `None` if the set doesn't exist, reading fails or the keyring is needed.
pub fn keys(
    folder: &Path,
    organization: &Organization,
    name: &SetName,
) -> Option<BTreeSet<String>> {
    let (vault, session) = local(folder, organization);
    let sets = vault.home(&session).sets_at_hand()?;
    let set = sets.get(&vault.place(name)).ok()??;
    set.contents.keys()
}

fn local(folder: &Path, organization: &Organization) -> (Vault, Session) {
    let vault = Vault::new(folder, organization.clone(), Storage::File);
    (vault, Session::silent())
}

impl Vault {
    /// Creates a handle to the vault in `folder`. The first write creates the folder and stores a new key in the storage `key`.
    pub fn new(folder: &Path, organization: Organization, key: Storage) -> Self {
        let region = |(code, name): (&str, &str)| RegionInfo {
            code: code.to_owned(),
            name: name.to_owned(),
        };
        Self {
            opened: OpenResult {
                organization: Some(organization.to_string()),
                place: format!("the vault in {}", folder.display()),
                regions: Some(Regions {
                    all: REGIONS.map(region).into(),
                    default: Some(REGIONS[0].0.to_owned()),
                }),
                can: vec![
                    Ability::Values,
                    Ability::ImagePullSecrets,
                    Ability::Organizations,
                ],
                ..OpenResult::default()
            },
            folder: folder.to_owned(),
            key,
            organization,
            memory: Memory::default(),
        }
    }

    /// Returns the vault's folder, as used during one call. If the user cancels, the vault stops waiting for other processes and the
    /// keyring.
    fn home<'a>(&'a self, session: &'a Session) -> Home<'a> {
        Home {
            folder: &self.folder,
            key: self.key,
            session,
            memory: &self.memory,
        }
    }

    /// Decrypts and checks the whole vault. Returns `None` if the vault doesn't exist.
    pub fn verify(&self, session: &Session) -> Result<Option<Verified>, VaultError> {
        let home = self.home(session);
        let Some(sets) = home.sets()? else {
            return Ok(None);
        };
        let size = sets.size().map_err(|flaw| home.flawed(flaw))?;
        let secret_sets = sets.iter().filter(|(_, row)| row.kind == SetKind::Secret);
        let secret_sets = secret_sets.count();
        let organizations: BTreeSet<_> = sets.iter().map(|((name, _), _)| name).collect();
        Ok(Some(Verified {
            path: home.vault(),
            key: home.key_file().place(),
            organizations: organizations.len(),
            secret_sets,
            image_pull_secrets: size.sets - secret_sets,
            values: size.values,
        }))
    }

    /// Encrypts the vault with a new key and removes the old key. Returns where the new key is stored.
    pub fn rekey(&self, session: &Session) -> Result<Storage, VaultError> {
        self.home(session).rekey()
    }

    /// Replaces the whole vault with the contents of a backup.
    pub fn restore(&self, backup: Backup, session: &Session) -> Result<Size, VaultError> {
        let put_back = |sets: &mut Sets| {
            *sets = backup.sets;
            Ok(Some(()))
        };
        self.home(session).change(Missing::Create, put_back)?;
        Ok(backup.size)
    }

    /// Counts the entries of all organizations.
    pub fn size(&self, session: &Session) -> Result<Size, VaultError> {
        let home = self.home(session);
        let Some(sets) = home.sets()? else {
            return Ok(Size::default());
        };
        sets.size().map_err(|flaw| home.flawed(flaw))
    }

    fn ours<'s>(&self, sets: &'s Sets) -> impl Iterator<Item = (&'s String, &'s Row)> {
        let sets = sets.iter();
        sets.filter(|((organization, _), _)| organization == self.organization.as_str())
            .map(|((_, name), row)| (name, row))
    }

    fn place(&self, name: &SetName) -> Place {
        (self.organization.to_string(), name.to_string())
    }

    fn set(&self, name: &SetName, session: &Session) -> Result<Option<Set>, VaultError> {
        let home = self.home(session);
        let Some(sets) = home.sets()? else {
            return Ok(None);
        };
        let set = sets.get(&self.place(name));
        set.map_err(|flaw| home.flawed(flaw))
    }

    /// Stores a set of the given kind. Fails if the existing set no longer matches `prior`; `alike` compares the keys.
    fn store(
        &self,
        (name, region, prior): (&SetName, Option<&Region>, &Prior),
        kind: SetKind,
        session: &Session,
        alike: impl FnOnce(&Set, &BTreeSet<String>) -> bool,
        fill: impl FnOnce(Option<Contents>) -> Contents,
    ) -> Result<(), ChangeError> {
        let alike =
            |set: &Set, keys: &BTreeSet<String>| set.contents.kind() == kind && alike(set, keys);
        let seen = (name, Some(prior));
        self.apply(seen, Missing::Create, session, alike, |found| {
            let (region, contents) = match found {
                Some(set) => (set.region, Some(set.contents)),
                None => (region.map_or(REGIONS[0].0, Region::as_str).to_owned(), None),
            };
            let contents = fill(contents);
            Some(Set { region, contents })
        })?;
        Ok(())
    }

    /// Changes one set under the lock. Fails if the set has changed since the caller read it; `alike` compares the keys.
    ///
    /// Returns `false` if the set doesn't exist and `missing` forbids creating it.
    fn apply(
        &self,
        (name, prior): (&SetName, Option<&Prior>),
        missing: Missing,
        session: &Session,
        alike: impl FnOnce(&Set, &BTreeSet<String>) -> bool,
        work: impl FnOnce(Option<Set>) -> Option<Set>,
    ) -> Result<bool, VaultError> {
        let home = self.home(session);
        let place = self.place(name);
        let work = |sets: &mut Sets| {
            let found = sets.get(&place).map_err(|flaw| home.flawed(flaw))?;
            if found.is_none() && missing == Missing::Leave {
                return Ok(None);
            }
            let is_as_seen = match (&found, prior) {
                (Some(set), Some(Prior::Keys(keys))) => alike(set, keys),
                (Some(_), Some(Prior::Absent)) | (None, Some(Prior::Keys(_))) => false,
                (_, None) | (None, Some(Prior::Absent)) => true,
            };
            if !is_as_seen {
                return Err(VaultError::Conflict(name.to_string()));
            }
            sets.put(place.clone(), work(found));
            Ok(Some(()))
        };
        Ok(home.change(missing, work)?.is_some())
    }
}

impl Store for Vault {
    fn opened(&self) -> &OpenResult {
        &self.opened
    }

    fn list(&self, region: Option<&Region>, session: &Session) -> Result<Vec<SetInfo>, Error> {
        let wanted = |row: &Row| region.is_none_or(|region| region.as_str() == row.region);
        let listed = |sets: Ref<'_, Sets>| {
            let ours = self.ours(&sets).filter(|(_, row)| wanted(row));
            ours.map(|(name, row)| summary(name, row.kind, &row.region))
                .collect()
        };
        Ok(self.home(session).sets()?.map(listed).unwrap_or_default())
    }

    fn get(&self, name: &SetName, session: &Session) -> Result<Option<SetInfo>, Error> {
        let details = |set: Set| SetInfo {
            keys: set.contents.keys(),
            ..summary(name.as_str(), set.contents.kind(), &set.region)
        };
        Ok(self.set(name, session)?.map(details))
    }

    fn values(
        &self,
        name: &SetName,
        session: &Session,
    ) -> Result<Option<BTreeMap<String, Secret>>, Error> {
        match self.set(name, session)?.map(|set| set.contents) {
            Some(Contents::Secret(values)) => Ok(Some(values)),
            Some(Contents::ImagePullSecret(_)) | None => Ok(None),
        }
    }

    fn credentials(&self, name: &SetName, session: &Session) -> Result<CredentialsResult, Error> {
        match self.set(name, session)?.map(|set| set.contents) {
            Some(Contents::ImagePullSecret(ImagePullSecret { host, credentials })) => {
                Ok(CredentialsResult { host, credentials })
            }
            Some(Contents::Secret(_)) | None => {
                let message = format!("no image pull secret is named `{name}`");
                Err(Error::new(Code::NotFound, message))
            }
        }
    }

    fn organizations(&self, session: &Session) -> Result<Vec<OrganizationInfo>, Error> {
        let named = |sets: Ref<'_, Sets>| {
            let names: BTreeSet<_> = sets.iter().map(|((name, _), _)| name.clone()).collect();
            let organization = |name| OrganizationInfo { name, label: None };
            names.into_iter().map(organization).collect()
        };
        Ok(self.home(session).sets()?.map(named).unwrap_or_default())
    }

    fn put(&self, put: &PutParams, session: &Session) -> Result<(), ChangeError> {
        let has_nul = |entry: &Entry| entry.value.expose().contains('\0');
        refuse_if(
            put.entries.iter().any(has_nul),
            "a value has a NUL character",
        )?;
        let alike = |set: &Set, seen: &BTreeSet<String>| {
            let mut keys = put.entries.iter().map(|entry| &entry.key);
            keys.all(|key| stands(set, key, seen))
        };
        let place = (&put.name, put.region.as_ref(), &put.prior);
        self.store(place, SetKind::Secret, session, alike, |found| {
            let mut values = match found {
                Some(Contents::Secret(values)) => values,
                Some(Contents::ImagePullSecret(_)) | None => BTreeMap::new(),
            };
            let entries = put.entries.iter();
            values.extend(entries.map(|entry| (entry.key.to_string(), entry.value.clone())));
            Contents::Secret(values)
        })
    }

    fn put_image_pull_secret(
        &self,
        put: &PutImagePullSecretParams,
        session: &Session,
    ) -> Result<(), ChangeError> {
        let problem = registry(&put.host).err();
        let problem = problem.map(|problem| format!("the registry {problem}"));
        refuse_if(problem.is_some(), &problem.unwrap_or_default())?;
        let has_nul = put.credentials.expose().contains('\0');
        refuse_if(has_nul, "the credentials have a NUL character")?;
        let place = (&put.name, put.region.as_ref(), &put.prior);
        self.store(place, SetKind::ImagePullSecret, session, has, |_| {
            Contents::ImagePullSecret(ImagePullSecret {
                host: put.host.clone(),
                credentials: put.credentials.clone(),
            })
        })
    }

    fn unset(&self, unset: &UnsetParams, session: &Session) -> Result<Vec<Key>, ChangeError> {
        let mut missing = unset.keys.clone();
        let alike = |set: &Set, seen: &BTreeSet<String>| {
            unset.keys.iter().all(|key| stands(set, key, seen))
        };
        let seen = (&unset.name, unset.prior.as_ref());
        self.apply(seen, Missing::Leave, session, alike, |mut set| {
            if let Some(Contents::Secret(values)) = set.as_mut().map(|set| &mut set.contents) {
                missing.retain(|key| values.remove(key.as_str()).is_none());
            }
            set
        })?;
        Ok(missing)
    }

    fn delete(&self, delete: &DeleteParams, session: &Session) -> Result<bool, ChangeError> {
        let seen = (&delete.name, delete.prior.as_ref());
        Ok(self.apply(seen, Missing::Leave, session, has, |_| None)?)
    }
}

/// Refuses what a vault could not be read with.
fn refuse_if(is_wrong: bool, problem: &str) -> Result<(), ChangeError> {
    if is_wrong {
        return Err(Error::new(Code::Refused, problem).not_done());
    }
    Ok(())
}

/// Reports whether a set has exactly these keys. An image pull secret has no keys.
fn has(set: &Set, keys: &BTreeSet<String>) -> bool {
    match &set.contents {
        Contents::Secret(values) => values.keys().eq(keys),
        Contents::ImagePullSecret(_) => keys.is_empty(),
    }
}

/// Reports whether the presence of a key still matches `seen`. Other keys are ignored.
fn stands(set: &Set, key: &Key, seen: &BTreeSet<String>) -> bool {
    let key = key.as_str();
    let has = matches!(&set.contents, Contents::Secret(values) if values.contains_key(key));
    seen.contains(key) == has
}

fn summary(name: &str, kind: SetKind, region: &str) -> SetInfo {
    SetInfo {
        name: name.to_owned(),
        kind,
        region: Some(region.to_owned()),
        ..SetInfo::default()
    }
}

#[cfg(test)]
mod tests;
