//! The vault's folder: permission checks, reads and changes by atomic rename.
//!
//! A lock admits one writer at a time. Reading needs no lock and writes nothing.

use std::cell::{Ref, RefCell};
use std::fs::{self, File, Metadata};
use std::io::{self, Read as _, Seek as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use age::x25519::Identity;
use bot_cli_sdk::session::Session;

use super::document::Sets;
use super::plain::Flaw;
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

/// The length of the beginning of a vault that differs after each write: it has the random key of the file.
const HEAD: usize = 512;

pub const TOO_LARGE: &str = "it is larger than 256 MiB";

/// The maximum number of attempts to read a vault while another process replaces its key.
const ATTEMPTS: u32 = 20;

/// A vault's folder, with the settings and state needed to open the vault.
pub struct Home<'a> {
    pub folder: &'a Path,
    /// The storage for a new key.
    pub key: Storage,
    pub session: &'a Session,
    pub memory: &'a Memory,
}

/// What was read before.
#[derive(Default)]
pub struct Memory {
    /// The keys, cached so that the keyring is queried only once.
    known: RefCell<Vec<Identity>>,
    /// The vault, cached so that it is decrypted only once.
    opened: RefCell<Option<Opened>>,
}

/// A decrypted vault.
struct Opened {
    sets: Sets,
    key: Identity,
    mark: Mark,
}

/// The beginning and the length of an encrypted file. The same mark means the same content.
type Mark = (Vec<u8>, u64);

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
    pub fn sets(&self) -> Result<Option<Ref<'a, Sets>>, VaultError> {
        self.open()?;
        let opened = self.memory.opened.borrow();
        Ok(Ref::filter_map(opened, |opened| Some(&opened.as_ref()?.sets)).ok())
    }

    /// Returns the sets, or `None` if they can't be read without the keyring, which may prompt the user.
    pub fn sets_at_hand(&self) -> Option<Ref<'a, Sets>> {
        let file = self.key_file();
        if file.exists() && file.place() == Storage::Keyring {
            return None;
        }
        self.sets().ok()?
    }

    /// Opens the vault, unless that is done and the file is the same. Returns `false` if the vault doesn't exist.
    fn open(&self) -> Result<bool, VaultError> {
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

    fn open_once(&self) -> Result<bool, VaultError> {
        let opened = &self.memory.opened;
        let Some((vault, mark)) = self.find()? else {
            return Ok(opened.borrow().is_some());
        };
        let known = self.memory.known.borrow().clone();
        *opened.borrow_mut() = self.opened(&vault, &mark, &known)?;
        if opened.borrow().is_some() {
            return Ok(true);
        }
        let file = self.key_file();
        let path = file.path().to_owned();
        let keys = key::read(&file)?;
        if keys.is_empty() {
            return Err(VaultError::NoKey(path));
        }
        let Some(found) = self.opened(&vault, &mark, &keys)? else {
            return Err(self.flawed(Flaw::OtherKey));
        };
        *opened.borrow_mut() = Some(found);
        *self.memory.known.borrow_mut() = keys;
        Ok(true)
    }

    /// Decrypts the vault with the first matching key. Returns `None` if no key matches.
    fn opened(
        &self,
        file: &File,
        mark: &Mark,
        keys: &[Identity],
    ) -> Result<Option<Opened>, VaultError> {
        let length = usize::try_from(mark.1).unwrap_or(usize::MAX);
        for key in keys {
            let mut file = file;
            let begun = file.rewind().map_err(|error| Flaw::Unread(error.into()));
            let document = begun.and_then(|()| seal::open_with_key(file, length, key));
            match document.and_then(Sets::decode) {
                Ok(sets) => {
                    let (key, mark) = (key.clone(), mark.clone());
                    return Ok(Some(Opened { sets, key, mark }));
                }
                Err(Flaw::OtherKey) => {}
                Err(flaw) => return Err(self.flawed(flaw)),
            }
        }
        Ok(None)
    }

    /// Returns the error for a vault that can't be read.
    pub fn flawed(&self, flaw: Flaw) -> VaultError {
        let path = self.vault();
        match flaw {
            Flaw::Unread(reason) => VaultError::File(path, reason),
            Flaw::Later => VaultError::Later(path),
            Flaw::Damaged(reason) => VaultError::damaged(&path, reason),
            Flaw::Set(reason) => VaultError::Set(path, reason),
            Flaw::OtherKey => VaultError::WrongKey {
                path: self.key_file().path().to_owned(),
                vault: path,
            },
        }
    }

    /// Finds the vault. Returns `None` if it doesn't exist or is the opened one, and forgets the opened one if it is not.
    fn find(&self) -> Result<Option<(File, Mark)>, VaultError> {
        let is_there = |path: &Path| exists(path).map_err(|error| VaultError::file(path, error));
        let earlier = self.memory.opened.take();
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
        let marked = || {
            let mut file = File::open(&path)?;
            let mut head = Vec::new();
            (&mut file).take(HEAD as u64).read_to_end(&mut head)?;
            let length = file.metadata()?.len();
            Ok((file, (head, length)))
        };
        let (file, mark) = marked().map_err(|error: io::Error| VaultError::file(&path, error))?;
        if mark.1 > LARGEST {
            return Err(VaultError::file(&path, TOO_LARGE));
        }
        if let Some(earlier) = earlier.filter(|earlier| earlier.mark == mark) {
            *self.memory.opened.borrow_mut() = Some(earlier);
            return Ok(None);
        }
        Ok(Some((file, mark)))
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
        if !self.open()? && missing == Missing::Leave {
            return Ok(None);
        }
        private_folder(self.folder).map_err(|error| VaultError::not_written(self.folder, error))?;
        let _lock = self.lock()?;
        if !self.open()? && missing == Missing::Leave {
            return Ok(None);
        }
        let opened = self.memory.opened.take();
        let (mut sets, key) = opened.map(|opened| (opened.sets, opened.key)).unzip();
        let sets = sets.get_or_insert_default();
        let Some(result) = work(sets)? else {
            return Ok(None);
        };
        let key = match key {
            Some(key) => key,
            None => self.new_key()?,
        };
        self.save(std::mem::take(sets), &key)?;
        self.settle(&key)?;
        Ok(Some(result))
    }

    /// Encrypts the vault with a new key and removes the old key. Returns where the new key is stored.
    ///
    /// Both keys remain stored until the vault is encrypted with the new key, so that the vault can be opened at any time.
    pub fn rekey(&self) -> Result<Storage, VaultError> {
        let no_vault = || VaultError::NoVault(self.vault());
        if !self.open()? {
            return Err(no_vault());
        }
        let _lock = self.lock()?;
        self.open()?;
        let opened = self.memory.opened.take().ok_or_else(no_vault)?;
        let file = self.key_file();
        let new = key::generate(&file)?;
        key::write(&file, &[&new, &opened.key], self.key)?;
        *self.memory.known.borrow_mut() = vec![new.clone(), opened.key];
        self.save(opened.sets, &new)?;
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

    fn save(&self, sets: Sets, key: &Identity) -> Result<(), VaultError> {
        let path = self.vault();
        let bytes = seal::with_key(sets.length(), &|out| sets.write(out), key);
        let bytes = bytes.map_err(|reason| VaultError::not_written(&path, reason))?;
        if bytes.len() as u64 > LARGEST {
            return Err(VaultError::not_written(&path, TOO_LARGE));
        }
        // This process has the lock, so every temporary file is a leftover.
        sweep(self.folder, Duration::ZERO);
        files::replace(&path, &bytes, Overwrite::Allow)
            .map_err(|error| VaultError::write(&path, error))?;
        let (key, mark) = (key.clone(), mark(&bytes));
        *self.memory.opened.borrow_mut() = Some(Opened { sets, key, mark });
        Ok(())
    }

    /// Removes all stored keys except `key`. An interrupted `rekey` may leave a second key.
    ///
    /// If the removal fails, the vault has already been saved.
    fn settle(&self, key: &Identity) -> Result<(), VaultError> {
        if self.memory.known.borrow().len() < 2 {
            return Ok(());
        }
        let file = self.key_file();
        key::write(&file, &[key], file.place()).map_err(|error| {
            VaultError::Leftover(file.path().to_owned(), error.to_string().into())
        })?;
        *self.memory.known.borrow_mut() = vec![key.clone()];
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

fn mark(bytes: &[u8]) -> Mark {
    let head = bytes.len().min(HEAD);
    (bytes[..head].to_vec(), bytes.len() as u64)
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
