//! Backups of the whole vault in one age file, encrypted with a passphrase.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use bot_cli_protocol::secret::Secret;
use bot_cli_sdk::session::Session;

use super::document::Sets;
use super::home::{KEY, LARGEST, TOO_LARGE};
use super::plain::Flaw;
use super::{Size, Vault, VaultError, seal};
use crate::files::{self, Overwrite, Reason, WriteError, exists};

/// A decrypted and checked backup, ready to be restored.
#[derive(Debug)]
pub struct Backup {
    pub(super) sets: Sets,
    pub(super) size: Size,
}

impl Backup {
    /// Reads and decrypts a backup.
    pub fn read(path: &Path, passphrase: &Secret) -> Result<Self, VaultError> {
        let not_a_backup =
            |reason: &str| VaultError::NotABackup(path.to_owned(), reason.to_owned());
        let not_read = |reason| VaultError::NotRead(path.to_owned(), reason);
        let file = open_backup(path)?;
        let length = file
            .metadata()
            .map_err(|error| not_read(error.into()))?
            .len();
        if length > LARGEST {
            return Err(not_a_backup(TOO_LARGE));
        }
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let document = seal::open_with_passphrase(file, length, passphrase);
        let sets = document.and_then(Sets::decode);
        let checked = sets.and_then(|sets| Ok((sets.size()?, sets)));
        let backup = checked.map(|(size, sets)| Self { sets, size });
        backup.map_err(|flaw| match flaw {
            Flaw::Unread(reason) => not_read(reason),
            Flaw::OtherKey => VaultError::WrongPassphrase(path.to_owned()),
            Flaw::Later => VaultError::Later(path.to_owned()),
            Flaw::Damaged(reason) | Flaw::Set(reason) => not_a_backup(&reason),
        })
    }
}

impl Vault {
    /// Checks that a backup can be written to `path`. Rejects devices, directories and the vault's own files.
    pub fn check_place(&self, path: &Path, overwrite: Overwrite) -> Result<(), VaultError> {
        let refused = |reason| Err(VaultError::NotAPlace(path.to_owned(), reason));
        let is_there = exists(path).map_err(|error| VaultError::file(path, error))?;
        if is_there && !fs::metadata(path).is_ok_and(|found| found.is_file()) {
            return refused("it is not a regular file");
        }
        let real = |path: &Path| fs::canonicalize(path).ok();
        let places = [real(path), path.parent().and_then(real)];
        let own = [real(&self.folder), real(&self.folder.join(KEY))];
        let is_own = |place: &PathBuf| own.iter().flatten().any(|own| place.starts_with(own));
        if places.iter().flatten().any(is_own) {
            return refused("it belongs to the vault");
        }
        if is_there && overwrite == Overwrite::Refuse {
            return Err(VaultError::Exists(path.to_owned()));
        }
        Ok(())
    }

    /// Writes the sets of all organizations to one file, encrypted with the passphrase.
    pub fn backup(
        &self,
        path: &Path,
        passphrase: &Secret,
        overwrite: Overwrite,
        session: &Session,
    ) -> Result<Size, VaultError> {
        self.check_place(path, overwrite)?;
        let home = self.home(session);
        let sets = home
            .sets()?
            .ok_or_else(|| VaultError::NoVault(home.vault()))?;
        let size = sets.size().map_err(|flaw| home.flawed(flaw))?;
        let bytes = seal::with_passphrase(sets.length(), &|out| sets.write(out), passphrase)
            .map_err(|reason| VaultError::not_written(path, reason))?;
        match files::replace(path, &bytes, overwrite) {
            Ok(()) => Ok(size),
            Err(WriteError::NotWritten(error)) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(VaultError::Exists(path.to_owned()))
            }
            Err(error) => Err(VaultError::write(path, error)),
        }
    }
}

/// Opens a backup file without reading it. Rejects devices and pipes, because reading from them may never end.
pub fn open_backup(path: &Path) -> Result<File, VaultError> {
    let not_read = |reason: Reason| VaultError::NotRead(path.to_owned(), reason);
    // Opening a pipe without a writer would block.
    let found = fs::metadata(path).map_err(|error| not_read(error.into()))?;
    if !found.is_file() {
        return Err(not_read("it is not a regular file".into()));
    }
    File::open(path).map_err(|error| not_read(error.into()))
}
