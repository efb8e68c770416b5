//! The file of a backup: what is read, and what it may be.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use bot_cli_sdk::secret::Secret;

use super::VaultError;
use super::backup::{self, Closed, Copied};
use crate::files::Reason;

/// The most bytes that a backup may have.
const LARGEST_BACKUP: u64 = 256 * 1024 * 1024;

/// The contents of a backup, checked and ready to be restored.
#[derive(Debug)]
pub struct Contents {
    pub(super) sets: Vec<Copied>,
}

/// Opens a backup.
pub fn read_backup(path: &Path, passphrase: &Secret) -> Result<Contents, VaultError> {
    let not_a_backup = |reason| VaultError::NotABackup {
        path: path.to_owned(),
        reason,
    };
    let not_read = |error: io::Error| VaultError::NotRead {
        path: path.to_owned(),
        reason: error.into(),
    };
    let file = open_backup(path)?;
    let mut bytes = Vec::new();
    file.take(LARGEST_BACKUP + 1)
        .read_to_end(&mut bytes)
        .map_err(not_read)?;
    if bytes.len() as u64 > LARGEST_BACKUP {
        let limit = LARGEST_BACKUP / 1024 / 1024;
        return Err(not_a_backup(format!("it is larger than {limit} MiB")));
    }
    let sets = backup::decode(&bytes, passphrase).map_err(|closed| match closed {
        Closed::WrongPassphrase => VaultError::WrongPassphrase {
            path: path.to_owned(),
        },
        Closed::NotABackup(reason) => not_a_backup(reason),
        Closed::OutOfMemory(kibibytes) => out_of_memory(path, kibibytes),
    })?;
    Ok(Contents { sets })
}

pub(super) fn out_of_memory(path: &Path, kibibytes: u32) -> VaultError {
    VaultError::OutOfMemory {
        path: path.to_owned(),
        mebibytes: kibibytes.div_ceil(1024),
    }
}

/// Opens the file of a backup, without reading it. A device or a pipe is refused: it may have no end.
pub fn open_backup(path: &Path) -> Result<File, VaultError> {
    let not_read = |reason: Reason| VaultError::NotRead {
        path: path.to_owned(),
        reason,
    };
    // A pipe that nobody writes to would not even open.
    let found = fs::metadata(path).map_err(|error| not_read(error.into()))?;
    if !found.is_file() {
        return Err(not_read("it is not a regular file".into()));
    }
    File::open(path).map_err(|error| not_read(error.into()))
}
