//! The folder of a vault: who may use it, how it is read, and how a change takes effect by one rename.
//!
//! A lock lets one writer in at a time. Reading takes none and writes nothing.

use std::cell::RefCell;
use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::VaultError;
use super::document::{self, Flaw, Sets};
use super::key::{self, Key};
use super::seal::{self, Closed};
use crate::backend::Effect;
use crate::files::lock::{self, LockError};
use crate::files::{
    self, Overwrite, Reason, Reserved, WriteError, exists, foreign_owner, private_folder, sweep,
    writable_by_others,
};
use crate::keyring::KeyringError;
use crate::secret_file::{SecretFile, Storage};
use crate::watch::Watch;

const WAITING: &str = "waiting for another process that is using the vault";

/// The largest file that is read.
pub const LARGEST: u64 = 256 * 1024 * 1024;

const TOO_LARGE: &str = "it is larger than 256 MiB";

/// The maximum number of attempts to read a vault while another process replaces its key.
const ATTEMPTS: u32 = 20;

/// The location of a vault.
pub struct Home<'a> {
    /// The folder with its files.
    pub folder: PathBuf,
    /// The storage for a new key.
    pub key: Storage,
    /// The time limit for other processes.
    pub patience: Duration,
    /// Told about waiting.
    pub watch: &'a dyn Watch,
    /// The key that opened the vault last: a keyring is not asked twice.
    pub known: RefCell<Option<Key>>,
}

/// The behaviour if there is no vault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// Nothing.
    Leave,
    /// One is made.
    Create,
}

impl<'a> Home<'a> {
    /// The file with everything but the key.
    pub fn vault(&self) -> PathBuf {
        self.folder.join("vault.age")
    }

    /// The key.
    pub fn key_file(&self) -> SecretFile<'a> {
        SecretFile::new(self.folder.join("vault.key"), self.watch)
    }

    /// The key that takes the place of the key once the vault is sealed to it.
    pub fn next_key_file(&self) -> SecretFile<'a> {
        SecretFile::new(self.folder.join("vault.key.next"), self.watch)
    }

    /// The sets; `None` when there is no vault.
    pub fn sets(&self) -> Result<Option<Sets>, VaultError> {
        Ok(self.open()?.map(|(sets, _)| sets))
    }

    /// The same where nobody has to be asked: a keyring may want to be unlocked.
    pub fn sets_at_hand(&self) -> Option<Sets> {
        let mut files = [self.key_file(), self.next_key_file()].into_iter();
        let asks = |file: SecretFile<'_>| file.exists() && file.place() == Storage::Keyring;
        if files.any(asks) {
            return None;
        }
        self.sets().ok()?
    }

    /// The sets, and the key that opens them.
    fn open(&self) -> Result<Option<(Sets, Key)>, VaultError> {
        let mut attempt = 1;
        loop {
            match self.open_once() {
                // Another process may be replacing both.
                Err(
                    VaultError::NoKey(_)
                    | VaultError::WrongKey { .. }
                    | VaultError::Keyring(KeyringError::NoEntry(_)),
                ) if attempt < ATTEMPTS => attempt += 1,
                result => return result,
            }
        }
    }

    fn open_once(&self) -> Result<Option<(Sets, Key)>, VaultError> {
        let Some(bytes) = self.read()? else {
            return Ok(None);
        };
        let known = self.known.borrow().clone();
        if let Some(key) = known
            && let Some(sets) = self.opened(&bytes, &key)?
        {
            return Ok(Some((sets, key)));
        }
        let file = self.key_file();
        let current = key::read(&file);
        if let Ok(Some(key)) = &current
            && let Some(sets) = self.opened(&bytes, key)?
        {
            return Ok(Some((sets, key.clone())));
        }
        // A new key may have come to the end of its way only half.
        let next = key::read(&self.next_key_file());
        if let Ok(Some(key)) = &next
            && let Some(sets) = self.opened(&bytes, key)?
        {
            return Ok(Some((sets, key.clone())));
        }
        let path = file.path().to_owned();
        Err(match (current, next) {
            (Err(error), _) | (Ok(_), Err(error)) => error,
            (Ok(None), Ok(_)) => VaultError::NoKey(path),
            (Ok(Some(_)), Ok(_)) => VaultError::WrongKey {
                path,
                vault: self.vault(),
            },
        })
    }

    /// The sets; `None` if this is not the key of the vault.
    fn opened(&self, bytes: &[u8], key: &Key) -> Result<Option<Sets>, VaultError> {
        let path = self.vault();
        let document = match seal::open_with_key(bytes, key) {
            Err(Closed::OtherKey | Closed::OutOfMemory(_)) => return Ok(None),
            Err(Closed::Damaged(reason)) => return Err(VaultError::damaged(&path, reason)),
            Ok(document) => document,
        };
        let sets = document::decode(&document).map_err(|flaw| match flaw {
            Flaw::Later => VaultError::Later(path),
            Flaw::Damaged(reason) => VaultError::damaged(&path, reason),
        })?;
        *self.known.borrow_mut() = Some(key.clone());
        Ok(Some(sets))
    }

    /// The bytes of the vault; `None` when there is none.
    fn read(&self) -> Result<Option<Vec<u8>>, VaultError> {
        if !exists(&self.folder)? {
            return Ok(None);
        }
        let folder = fs::metadata(&self.folder);
        let folder = folder.map_err(|error| VaultError::file(&self.folder, error))?;
        refuse_others(&self.folder, &folder)?;
        let path = self.vault();
        if !exists(&path)? {
            let earlier = ["vault.sealed", "vault.redb"].map(|name| self.folder.join(name));
            return match earlier.into_iter().find(|path| path.exists()) {
                Some(path) => Err(VaultError::Earlier(path)),
                None => Ok(None),
            };
        }
        // A rename would replace the link and leave old values behind it.
        if fs::symlink_metadata(&path).is_ok_and(|found| found.is_symlink()) {
            let target = fs::read_link(&path).unwrap_or_default();
            return Err(VaultError::Link { path, target });
        }
        read_private(&path).map(Some)
    }

    /// Changes the vault; `None`, and nothing written, when there is no vault or `work` has nothing to change.
    pub fn change<T>(
        &self,
        missing: Missing,
        work: impl FnOnce(&mut Sets) -> Result<Option<T>, VaultError>,
    ) -> Result<Option<T>, VaultError> {
        // Other processes don't wait while the keyring asks to be unlocked.
        if self.open()?.is_none() && missing == Missing::Leave {
            return Ok(None);
        }
        private_folder(&self.folder)
            .map_err(|error| VaultError::not_written(&self.folder, error))?;
        let _lock = self.lock()?;
        let found = self.open()?;
        let (mut sets, key) = match (found, missing) {
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

    /// Seals everything to a new key and forgets the old one; where the new key is.
    ///
    /// The new key waits in a file of its own until the vault is sealed to it. Readers try both, so that the vault opens
    /// at every moment.
    pub fn rekey(&self) -> Result<Storage, VaultError> {
        let no_vault = || VaultError::NoVault(self.vault());
        self.open()?.ok_or_else(no_vault)?;
        let _lock = self.lock()?;
        let (sets, key) = self.open()?.ok_or_else(no_vault)?;
        let (file, next) = (self.key_file(), self.next_key_file());
        let target = file.target();
        if let Some(target) = target.map_err(|error| VaultError::file(file.path(), error))? {
            // Once the vault is sealed to the new key, it is too late to find out.
            Reserved::new(&target, 0).map_err(|error| VaultError::not_written(&target, error))?;
        }
        // The vault may be sealed to the key in that file since an earlier attempt.
        self.settle_keys(&key).map_err(not_done)?;
        let (key, place) = key::create(&next, self.key)?;
        match self.save(&sets, &key) {
            Ok(()) => self.settle(&key).map(|()| place),
            // Either vault may be there after a power failure, so either key is needed.
            Err(error @ VaultError::NotSynced(..)) => Err(error),
            Err(error) => {
                // A key that nothing is sealed to is litter and not a failure.
                let _ = next.remove();
                Err(error)
            }
        }
    }

    /// Files of interrupted changes, which the next change removes. The next key is none where it alone opens the vault.
    pub fn leftovers(&self) -> Result<Vec<PathBuf>, VaultError> {
        let next = self.next_key_file().path().to_owned();
        let key = key::read(&self.key_file()).ok().flatten();
        let is_litter = exists(&next)? && key.is_some() && key == *self.known.borrow();
        Ok(if is_litter { vec![next] } else { Vec::new() })
    }

    /// The key of a new vault, which is kept before anything is sealed to it.
    fn new_key(&self) -> Result<Key, VaultError> {
        let file = self.key_file();
        if let Some(key) = key::read(&file)? {
            return Ok(key);
        }
        let (key, place) = key::create(&file, self.key)?;
        match place {
            Storage::Keyring => self.watch.note(
                "the key of the new vault is in the keyring: without that entry the vault can't be opened",
            ),
            Storage::File => self.watch.note(&format!(
                "the key of the new vault is in `{}`: whoever can read your files can open it",
                file.path().display()
            )),
        }
        Ok(key)
    }

    fn save(&self, sets: &Sets, key: &Key) -> Result<(), VaultError> {
        let path = self.vault();
        let bytes = document::encode(sets).and_then(|document| seal::with_key(&document, key));
        let bytes = bytes.map_err(|reason| VaultError::not_written(&path, reason))?;
        if bytes.len() as u64 > LARGEST {
            return Err(VaultError::not_written(&path, TOO_LARGE));
        }
        // Nobody else writes now, so whatever is unfinished was left behind.
        sweep(&self.folder, Duration::ZERO);
        files::replace(&path, &bytes, Overwrite::Allow)
            .map_err(|error| VaultError::write(&path, error))
    }

    /// Removes what the vault as it was saved does not need any more. The change is in place, whatever fails now.
    fn settle(&self, key: &Key) -> Result<(), VaultError> {
        self.settle_keys(key).map_err(|error| match error {
            error if error.effect() == Effect::Done => error,
            error => {
                VaultError::Unsettled(self.next_key_file().path().to_owned(), Reason::of(error))
            }
        })
    }

    /// Waits until no other process writes.
    pub fn lock(&self) -> Result<File, VaultError> {
        let path = self.folder.join("vault.lock");
        lock::lock(&path, self.patience, WAITING, self.watch)
            .map_err(|error| not_locked(error, |error| VaultError::not_written(&path, error)))
    }

    /// Makes the key that the vault is sealed to the only one.
    fn settle_keys(&self, sealed_to: &Key) -> Result<(), VaultError> {
        let (file, next) = (self.key_file(), self.next_key_file());
        if !next.exists() {
            return Ok(());
        }
        let current = key::read(&file);
        if matches!(&current, Ok(Some(key)) if key == sealed_to) {
            return next
                .discard(&file)
                .map_err(|error| VaultError::Leftover(next.path().to_owned(), Reason::of(error)));
        }
        if key::read(&next)?.as_ref() != Some(sealed_to) {
            // Neither file is known to be litter.
            let path = file.path().to_owned();
            let vault = self.vault();
            return current.and(Err(VaultError::WrongKey { path, vault }));
        }
        file.take_over(&next).map_err(|error| match error {
            error if key::read(&file).is_ok_and(|found| found.as_ref() == Some(sealed_to)) => {
                if let WriteError::NotSynced(error) = error {
                    VaultError::NotSynced(file.path().to_owned(), error.into())
                } else {
                    leftover(next.path(), error)
                }
            }
            WriteError::NotWritten(error) | WriteError::NotSynced(error) => {
                VaultError::Unsettled(next.path().to_owned(), error.into())
            }
        })
    }
}

fn not_locked(error: LockError, failed: impl FnOnce(io::Error) -> VaultError) -> VaultError {
    match error {
        LockError::Busy(patience) => VaultError::Busy(patience.as_secs()),
        LockError::Cancelled => VaultError::Cancelled,
        LockError::File(error) => failed(error),
    }
}

/// Reads a file that nobody else can write.
fn read_private(path: &Path) -> Result<Vec<u8>, VaultError> {
    let failed = |error: io::Error| VaultError::file(path, error);
    let found = fs::metadata(path).map_err(failed)?;
    if !found.is_file() {
        return Err(VaultError::file(path, "it is not a file"));
    }
    refuse_others(path, &found)?;
    if found.len() > LARGEST {
        return Err(VaultError::file(path, TOO_LARGE));
    }
    fs::read(path).map_err(failed)
}

/// Whoever can write a part of the vault can put an older copy in its place, and that can't be detected.
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

fn leftover(path: &Path, error: WriteError) -> VaultError {
    VaultError::Leftover(path.to_owned(), error.into())
}

/// The words for tidying that failed before anything was changed.
fn not_done(error: VaultError) -> VaultError {
    if let VaultError::Leftover(path, reason)
    | VaultError::Unsettled(path, reason)
    | VaultError::NotSynced(path, reason) = error
    {
        VaultError::NotWritten(path, reason)
    } else {
        error
    }
}
