//! The folder of a vault: its files, who may use them, and the lock that lets one writer in at a time.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::VaultError;
use super::legacy::Legacy;
use super::sealed::Unverified;
use crate::files::lock::{self, LockError};
use crate::files::{exists, foreign_owner, writable_by_others};
use crate::secret_file::{SecretFile, Storage};
use crate::watch::Watch;

const WAITING: &str = "waiting for another process that is using the vault";

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
}

/// Whether this process keeps other writers out already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Locked {
    /// It does.
    Yes,
    /// It does not.
    No,
}

/// The contents of the folder.
#[derive(Debug)]
pub enum VaultState {
    /// No vault.
    Nothing,
    /// The vault of an earlier version.
    Legacy(Legacy),
    /// A vault whose checksum fits.
    Sealed(Unverified),
}

impl<'a> Home<'a> {
    /// The file with everything but the key.
    #[must_use]
    pub fn sealed(&self) -> PathBuf {
        self.folder.join("vault.sealed")
    }

    /// The same of earlier versions.
    #[must_use]
    pub fn legacy(&self) -> PathBuf {
        self.folder.join("vault.redb")
    }

    /// The key.
    #[must_use]
    pub fn key_file(&self) -> SecretFile<'a> {
        SecretFile::new(self.folder.join("vault.key"), self.watch)
    }

    /// The key that takes the place of the key once the vault is sealed with it.
    #[must_use]
    pub fn next_key_file(&self) -> SecretFile<'a> {
        SecretFile::new(self.folder.join("vault.key.next"), self.watch)
    }

    /// Reads the vault. Nothing is written, and nothing is waited for but a process of an earlier version.
    pub fn read(&self, locked: Locked) -> Result<VaultState, VaultError> {
        if !exists(&self.folder)? {
            return Ok(VaultState::Nothing);
        }
        let folder = fs::metadata(&self.folder);
        let folder = folder.map_err(|error| VaultError::file(&self.folder, error))?;
        refuse_others(&self.folder, &folder)?;
        if let Some(found) = self.read_sealed()? {
            return Ok(found);
        }
        if let Some(found) = self.read_legacy(locked)? {
            return Ok(found);
        }
        // A writer may have converted it between the two looks.
        Ok(self.read_sealed()?.unwrap_or(VaultState::Nothing))
    }

    fn read_sealed(&self) -> Result<Option<VaultState>, VaultError> {
        let path = self.sealed();
        if !exists(&path)? {
            return Ok(None);
        }
        // A rename would replace the link and leave old values behind it.
        if fs::symlink_metadata(&path).is_ok_and(|found| found.is_symlink()) {
            let target = fs::read_link(&path).unwrap_or_default();
            return Err(VaultError::Link { path, target });
        }
        let bytes = read_private(&path)?;
        let decoded = Unverified::decode(&bytes).map_err(|flaw| VaultError::flaw(&path, flaw))?;
        Ok(Some(VaultState::Sealed(decoded)))
    }

    fn read_legacy(&self, locked: Locked) -> Result<Option<VaultState>, VaultError> {
        let path = self.legacy();
        if !exists(&path)? {
            return Ok(None);
        }
        let lock = match locked {
            Locked::Yes => None,
            Locked::No => self.shared_lock()?,
        };
        let bytes = match read_private(&path) {
            // It has just been converted.
            Err(_) if !exists(&path)? => return Ok(None),
            read => read?,
        };
        drop(lock);
        let decoded = Legacy::decode(&bytes).map_err(|flaw| VaultError::flaw(&path, flaw))?;
        Ok(Some(VaultState::Legacy(decoded)))
    }

    /// Keeps writers of earlier versions out, which change their file in place. The file of the lock is only opened.
    fn shared_lock(&self) -> Result<Option<File>, VaultError> {
        let path = self.folder.join("vault.lock");
        match File::open(&path) {
            Ok(file) => {
                lock::wait(
                    || file.try_lock_shared(),
                    self.patience,
                    WAITING,
                    self.watch,
                )
                .map_err(|error| not_locked(error, |error| VaultError::file(&path, error)))?;
                Ok(Some(file))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(VaultError::file(&path, error)),
        }
    }

    /// Waits until no other process writes.
    pub fn lock(&self) -> Result<File, VaultError> {
        let path = self.folder.join("vault.lock");
        lock::lock(&path, self.patience, WAITING, self.watch)
            .map_err(|error| not_locked(error, |error| VaultError::not_written(&path, error)))
    }
}

fn not_locked(error: LockError, failed: impl FnOnce(io::Error) -> VaultError) -> VaultError {
    match error {
        LockError::Busy(patience) => VaultError::Busy {
            seconds: patience.as_secs(),
        },
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
