use std::path::{Path, PathBuf};

use crate::backend::{BackendError, ChangeError, Effect};
use crate::files::{Reason, WriteError};
use crate::keyring::KeyringError;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VaultError {
    #[error("could not use `{path}`: {1}", path = .0.display())]
    File(PathBuf, #[source] Reason),
    #[error("others can read or write `{}` (mode {mode:o})", path.display())]
    TooOpen { path: PathBuf, mode: u32 },
    #[error("others can write `{}` (mode {mode:o})", path.display())]
    Writable { path: PathBuf, mode: u32 },
    #[error("`{}` belongs to another user (uid {owner})", path.display())]
    Foreign { path: PathBuf, owner: u32 },
    #[error("the key of the vault is missing: `{}`", .0.display())]
    NoKey(PathBuf),
    #[error("could not get the key of the vault: {0}")]
    Keyring(#[source] KeyringError),
    /// The key does not open the vault. The key or the vault may be damaged, or the key may belong to another vault.
    #[error("`{}` does not open `{}`: one of them is another vault's, or damaged", path.display(), vault.display())]
    WrongKey { path: PathBuf, vault: PathBuf },
    #[error("a later version of bot-cli wrote `{}`", .0.display())]
    Later(PathBuf),
    #[error("a version of bot-cli from before its first release wrote `{}`, and this one can't read it", .0.display())]
    Earlier(PathBuf),
    /// The vault is damaged or was modified without its key.
    #[error("`{path}` is damaged: {1}", path = .0.display())]
    Damaged(PathBuf, String),
    #[error("could not write `{path}`: {1}", path = .0.display())]
    NotWritten(PathBuf, #[source] Reason),
    #[error("`{path}` was written, but the disk did not confirm it: {1}", path = .0.display())]
    NotSynced(PathBuf, #[source] Reason),
    /// The change was saved, but an earlier key is still stored.
    #[error("the vault was changed, but `{path}` still has the earlier key, too: {1}", path = .0.display())]
    Leftover(PathBuf, #[source] Reason),
    /// Another process changed the set after the caller read it.
    #[error("another process has changed `{0}` meanwhile")]
    Conflict(String),
    #[error("there is no vault yet: `{}`", .0.display())]
    NoVault(PathBuf),
    #[error("`{}` already exists", .0.display())]
    Exists(PathBuf),
    #[error("`{path}` is not a backup of a vault: {1}", path = .0.display())]
    NotABackup(PathBuf, String),
    #[error("could not read `{path}`: {1}", path = .0.display())]
    NotRead(PathBuf, #[source] Reason),
    /// A backup can't be written to this path, for the given reason.
    #[error("a backup can't be written to `{path}`: {1}", path = .0.display())]
    NotAPlace(PathBuf, &'static str),
    #[error("`{}` is not the key of a vault", .0.display())]
    NotAKey(PathBuf),
    #[error("the passphrase does not open `{}`", .0.display())]
    WrongPassphrase(PathBuf),
    /// Another process held the lock for this many seconds.
    #[error("another process has been using the vault for {0} seconds")]
    Busy(u64),
    #[error("cancelled")]
    Cancelled,
}

impl VaultError {
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
