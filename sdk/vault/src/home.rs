//! The vault's folder: permission checks, reads and changes by atomic rename.
//!
//! A lock admits one writer at a time. Reading needs no lock and writes nothing.

use std::cell::RefCell;
use std::fs::{self, File, Metadata};
use std::path::{Path, PathBuf};
use std::time::Duration;

use age::x25519::Identity;
use bot_cli_sdk::session::Session;

use super::document::{self, Flaw, Sets};
use super::{key, seal};
use crate::VaultError;
use crate::files::lock::{self, LockError, PATIENCE};
use crate::files::{
    self, Overwrite, exists, foreign_owner, private_folder, sweep, writable_by_others,
};
use crate::keyring::KeyringError;
use crate::secret_file::{SecretFile, Storage};

/// The size limit for vault and backup files, in bytes.
pub const LARGEST: u64 = 256 * 1024 * 1024;

/// The name of the file with the key, or with the name of its entry in the keyring.
pub const KEY: &str = "vault.key";

const TOO_LARGE: &str = "it is larger than 256 MiB";

/// The maximum number of attempts to read a vault while another process replaces its key.
const ATTEMPTS: u32 = 20;

/// A vault's folder, with the settings and state needed to open the vault.
pub struct Home<'a> {
    pub folder: &'a Path,
    /// The storage for a new key.
    pub key: Storage,
    pub session: &'a Session,
    /// The keys from the last read, cached so that the keyring is queried only once.
    pub known: &'a RefCell<Vec<Identity>>,
}

/// The behavior if the vault or the set doesn't exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    Leave,
    Create,
}

impl<'a> Home<'a> {
    /// Returns the path of the vault file, which contains everything except the key.
    pub fn vault(&self) -> PathBuf {
        self.folder.join("vault.age")
    }

    pub fn key_file(&self) -> SecretFile<'a> {
        SecretFile::new(self.folder.join(KEY), self.session)
    }

    /// Returns the sets, or `None` if the vault doesn't exist.
    pub fn sets(&self) -> Result<Option<Sets>, VaultError> {
        Ok(self.open()?.map(|(sets, _)| sets))
    }

    /// Returns the sets, or `None` if they can't be read without the keyring, which may prompt the user.
    pub fn sets_at_hand(&self) -> Option<Sets> {
        let file = self.key_file();
        if file.exists() && file.place() == Storage::Keyring {
            return None;
        }
        self.sets().ok()?
    }

    fn open(&self) -> Result<Option<(Sets, Identity)>, VaultError> {
        let mut attempt = 1;
        loop {
            match self.open_once() {
                // Another process may be replacing the vault and its key.
                Err(
                    VaultError::NoKey(_)
                    | VaultError::WrongKey { .. }
                    | VaultError::Keyring(KeyringError::NoEntry(_)),
                ) if attempt < ATTEMPTS => attempt += 1,
                result => return result,
            }
        }
    }

    fn open_once(&self) -> Result<Option<(Sets, Identity)>, VaultError> {
        let Some(bytes) = self.read()? else {
            return Ok(None);
        };
        let known = self.known.borrow().clone();
        if let Some(opened) = self.opened(&bytes, &known)? {
            return Ok(Some(opened));
        }
        let file = self.key_file();
        let path = file.path().to_owned();
        let keys = key::read(&file)?;
        if keys.is_empty() {
            return Err(VaultError::NoKey(path));
        }
        let Some(opened) = self.opened(&bytes, &keys)? else {
            let vault = self.vault();
            return Err(VaultError::WrongKey { path, vault });
        };
        *self.known.borrow_mut() = keys;
        Ok(Some(opened))
    }

    /// Decrypts the vault with the first matching key. Returns `None` if no key matches.
    fn opened(
        &self,
        bytes: &[u8],
        keys: &[Identity],
    ) -> Result<Option<(Sets, Identity)>, VaultError> {
        let path = self.vault();
        for key in keys {
            let document = seal::open_with_key(bytes, key);
            match document.and_then(|document| document::decode(&document)) {
                Ok(sets) => return Ok(Some((sets, key.clone()))),
                Err(Flaw::OtherKey) => {}
                Err(Flaw::Later) => return Err(VaultError::Later(path)),
                Err(Flaw::Damaged(reason)) => return Err(VaultError::damaged(&path, reason)),
            }
        }
        Ok(None)
    }

    fn read(&self) -> Result<Option<Vec<u8>>, VaultError> {
        let is_there = |path: &Path| exists(path).map_err(|error| VaultError::file(path, error));
        if !is_there(self.folder)? {
            return Ok(None);
        }
        let found = fs::metadata(self.folder);
        let found = found.map_err(|error| VaultError::file(self.folder, error))?;
        refuse_others(self.folder, &found)?;
        let path = self.vault();
        if !is_there(&path)? {
            return Ok(None);
        }
        let found = fs::symlink_metadata(&path);
        let found = found.map_err(|error| VaultError::file(&path, error))?;
        // A rename would replace the link and leave old values in its target.
        if !found.is_file() {
            let problem = "it is not a regular file, and only the whole folder may be a link";
            return Err(VaultError::file(&path, problem));
        }
        refuse_others(&path, &found)?;
        if found.len() > LARGEST {
            return Err(VaultError::file(&path, TOO_LARGE));
        }
        let bytes = fs::read(&path).map_err(|error| VaultError::file(&path, error))?;
        Ok(Some(bytes))
    }

    /// Applies `work` to the sets and saves the vault.
    ///
    /// Saves nothing and returns `None` if `work` returns `None`, or if the vault doesn't exist and `missing` forbids creating it.
    pub fn change<T>(
        &self,
        missing: Missing,
        work: impl FnOnce(&mut Sets) -> Result<Option<T>, VaultError>,
    ) -> Result<Option<T>, VaultError> {
        // Opening the vault first keeps the keyring's prompt outside the locked section.
        if self.open()?.is_none() && missing == Missing::Leave {
            return Ok(None);
        }
        private_folder(self.folder).map_err(|error| VaultError::not_written(self.folder, error))?;
        let _lock = self.lock()?;
        let (mut sets, key) = match (self.open()?, missing) {
            (Some((sets, key)), _) => (sets, Some(key)),
            (None, Missing::Leave) => return Ok(None),
            (None, Missing::Create) => (Sets::new(), None),
        };
        let Some(result) = work(&mut sets)? else {
            return Ok(None);
        };
        let key = match key {
            Some(key) => key,
            None => self.new_key()?,
        };
        self.save(&sets, &key)?;
        self.settle(&key)?;
        Ok(Some(result))
    }

    /// Encrypts the vault with a new key and removes the old key. Returns where the new key is stored.
    ///
    /// Both keys remain stored until the vault is encrypted with the new key, so that the vault can be opened at any time.
    pub fn rekey(&self) -> Result<Storage, VaultError> {
        let no_vault = || VaultError::NoVault(self.vault());
        self.open()?.ok_or_else(no_vault)?;
        let _lock = self.lock()?;
        let (sets, old) = self.open()?.ok_or_else(no_vault)?;
        let file = self.key_file();
        let new = key::generate(&file)?;
        key::write(&file, &[&new, &old], self.key)?;
        *self.known.borrow_mut() = vec![new.clone(), old];
        self.save(&sets, &new)?;
        self.settle(&new)?;
        Ok(file.place())
    }

    /// Returns the key for a new vault. The key is stored before anything is encrypted with it.
    fn new_key(&self) -> Result<Identity, VaultError> {
        let file = self.key_file();
        if let Some(key) = key::read(&file)?.into_iter().next() {
            return Ok(key);
        }
        let key = key::generate(&file)?;
        match key::write(&file, &[&key], self.key)? {
            Storage::Keyring => self.session.note(
                "the key of the new vault is in the keyring: without that entry the vault can't be opened",
            ),
            Storage::File => self.session.note(&format!(
                "the key of the new vault is in `{}`: whoever can read your files can open it",
                file.path().display()
            )),
        }
        Ok(key)
    }

    fn save(&self, sets: &Sets, key: &Identity) -> Result<(), VaultError> {
        let path = self.vault();
        let bytes = document::encode(sets).and_then(|document| seal::with_key(&document, key));
        let bytes = bytes.map_err(|reason| VaultError::not_written(&path, reason))?;
        if bytes.len() as u64 > LARGEST {
            return Err(VaultError::not_written(&path, TOO_LARGE));
        }
        // This process has the lock, so every temporary file is a leftover.
        sweep(self.folder, Duration::ZERO);
        files::replace(&path, &bytes, Overwrite::Allow)
            .map_err(|error| VaultError::write(&path, error))
    }

    /// Removes all stored keys except `key`. An interrupted `rekey` may leave a second key.
    ///
    /// If the removal fails, the vault has already been saved.
    fn settle(&self, key: &Identity) -> Result<(), VaultError> {
        if self.known.borrow().len() < 2 {
            return Ok(());
        }
        let file = self.key_file();
        key::write(&file, &[key], file.place()).map_err(|error| {
            VaultError::Leftover(file.path().to_owned(), error.to_string().into())
        })?;
        *self.known.borrow_mut() = vec![key.clone()];
        Ok(())
    }

    /// Locks the vault, waiting while another process writes.
    pub fn lock(&self) -> Result<File, VaultError> {
        let path = self.folder.join("vault.lock");
        let waiting = "waiting for another process that is using the vault";
        let locked = lock::lock(&path, PATIENCE, waiting, self.session);
        locked.map_err(|error| match error {
            LockError::Busy(patience) => VaultError::Busy(patience.as_secs()),
            LockError::Cancelled => VaultError::Cancelled,
            LockError::File(error) => VaultError::not_written(&path, error),
        })
    }
}

/// Fails if another user owns the path or can write to it. That user could replace the vault with an older copy without being detected.
fn refuse_others(path: &Path, found: &Metadata) -> Result<(), VaultError> {
    let path = path.to_owned();
    if let Some(owner) = foreign_owner(found) {
        return Err(VaultError::Foreign { path, owner });
    }
    match writable_by_others(found) {
        Some(mode) => Err(VaultError::Writable { path, mode }),
        None => Ok(()),
    }
}
