//! Errors of the vault.

use std::path::{Path, PathBuf};

use crate::backend::{BackendError, ChangeError, Effect};
use crate::files::{Reason, WriteError};
use crate::keyring::KeyringError;

/// Errors of the vault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VaultError {
    /// A file can't be used.
    #[error("could not use `{path}`: {1}", path = .0.display())]
    File(PathBuf, #[source] Reason),
    /// Others can read the key.
    #[error("others can read or write `{}` (mode {mode:o})", path.display())]
    TooOpen { path: PathBuf, mode: u32 },
    /// Others can replace the vault.
    #[error("others can write `{}` (mode {mode:o})", path.display())]
    Writable { path: PathBuf, mode: u32 },
    /// Another user owns a part of the vault.
    #[error("`{}` belongs to another user (uid {owner})", path.display())]
    Foreign { path: PathBuf, owner: u32 },
    /// There are values but no key to open them.
    #[error("the key of the vault is missing: `{}`", .0.display())]
    NoKey(PathBuf),
    /// The key is in the keyring, which does not give it.
    #[error("could not get the key of the vault: {0}")]
    Keyring(#[source] KeyringError),
    /// The key does not open the vault, of which a part may have been changed.
    #[error("`{}` does not open `{}`: one of them is another vault's, or damaged", path.display(), vault.display())]
    WrongKey { path: PathBuf, vault: PathBuf },
    /// A later version wrote the vault or the backup.
    #[error("a later version of bot-cli wrote `{}`", .0.display())]
    Later(PathBuf),
    /// A version from before the first release wrote the vault.
    #[error("a version of bot-cli from before its first release wrote `{}`, and this one can't read it", .0.display())]
    Earlier(PathBuf),
    /// The store is damaged, or was changed without its key.
    #[error("`{path}` is damaged: {1}", path = .0.display())]
    Damaged(PathBuf, String),
    /// A write failed before it took effect.
    #[error("could not write `{path}`: {1}", path = .0.display())]
    NotWritten(PathBuf, #[source] Reason),
    /// A write took effect, but the disk did not confirm it.
    #[error("`{path}` was written, but the disk did not confirm it: {1}", path = .0.display())]
    NotSynced(PathBuf, #[source] Reason),
    /// A write took effect, but an earlier key is still kept.
    #[error("the vault was changed, but `{path}` still has the earlier key, too: {1}", path = .0.display())]
    Leftover(PathBuf, #[source] Reason),
    /// Another process changed the set after it was looked at.
    #[error("another process has changed `{0}` meanwhile")]
    Conflict(String),
    /// There is no vault that could be backed up or get a new key.
    #[error("there is no vault yet: `{}`", .0.display())]
    NoVault(PathBuf),
    /// The file for a backup is there already.
    #[error("`{}` already exists", .0.display())]
    Exists(PathBuf),
    /// A file is no backup.
    #[error("`{path}` is not a backup of a vault: {1}", path = .0.display())]
    NotABackup(PathBuf, String),
    /// The file of a backup can't be read.
    #[error("could not read `{path}`: {1}", path = .0.display())]
    NotRead(PathBuf, #[source] Reason),
    /// A file can't be the place of a backup.
    #[error("a backup can't be written to `{path}`: {1}", path = .0.display())]
    NotAPlace(PathBuf, &'static str),
    /// The text in the place of the key is not a key.
    #[error("`{}` is not the key of a vault", .0.display())]
    NotAKey(PathBuf),
    /// A backup does not open.
    #[error("the passphrase does not open `{}`", .0.display())]
    WrongPassphrase(PathBuf),
    /// Other processes did not let us in.
    #[error("another process has been using the vault for {0} seconds")]
    Busy(u64),
    /// The user did not want to wait any longer.
    #[error("cancelled")]
    Cancelled,
}

impl VaultError {
    /// Returns the outcome of the change, if there was one.
    pub const fn effect(&self) -> Effect {
        if matches!(self, Self::NotSynced(..) | Self::Leftover(..)) {
            Effect::Done
        } else {
            Effect::NotDone
        }
    }

    pub(super) fn damaged(path: &Path, reason: impl Into<String>) -> Self {
        Self::Damaged(path.to_owned(), reason.into())
    }

    pub(super) fn file(path: &Path, reason: impl Into<Reason>) -> Self {
        Self::File(path.to_owned(), reason.into())
    }

    pub(super) fn not_written(path: &Path, reason: impl Into<Reason>) -> Self {
        Self::NotWritten(path.to_owned(), reason.into())
    }

    pub(super) fn write(path: &Path, error: WriteError) -> Self {
        match error {
            WriteError::NotWritten(error) => Self::not_written(path, error),
            WriteError::NotSynced(error) => Self::NotSynced(path.to_owned(), error.into()),
        }
    }
}

impl From<VaultError> for BackendError {
    fn from(error: VaultError) -> Self {
        if error == VaultError::Cancelled {
            return Self::Cancelled;
        }
        Self::Own(Box::new(error))
    }
}

impl From<VaultError> for ChangeError {
    fn from(error: VaultError) -> Self {
        Self {
            effect: error.effect(),
            cause: error.into(),
        }
    }
}
