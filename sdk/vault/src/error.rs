//! The errors of a vault, and what the user is told of each.

use std::path::{Path, PathBuf};

use bot_cli_protocol::failure::{ChangeState, Exit, Failure};
use bot_cli_secrets::{ChangeError, Code, Effect, Error};

use crate::files::{Reason, UNCHANGED, UNSYNCED, WriteError, close, quoted};
use crate::keyring::KeyringError;

/// The hint for an unusable vault.
const FROM_BACKUP: &str = "move the folder of the vault away, then `bot-cli cloud vault restore FILE` puts a backup in its place";

/// The reason that the vault or a backup can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the variants are")]
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
    /// The vault is damaged or was modified without its key.
    #[error("`{path}` is damaged: {1}", path = .0.display())]
    Damaged(PathBuf, String),
    /// One set can't be used.
    #[error("`{path}` was changed by another program: {1}", path = .0.display())]
    Set(PathBuf, String),
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
    #[error("nothing can be written to `{path}`: {1}", path = .0.display())]
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
    /// Returns the outcome of the change that failed.
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

impl From<VaultError> for Failure {
    fn from(error: VaultError) -> Self {
        if error == VaultError::Cancelled {
            return Self::cancelled();
        }
        let failure = worded(&error).caused_by(error.clone());
        match error.effect() {
            Effect::Done => failure.outcome(ChangeState::Done),
            Effect::NotDone | Effect::Unknown | Effect::Partly(_) => failure,
        }
    }
}

impl From<VaultError> for Error {
    fn from(error: VaultError) -> Self {
        let is_conflict = matches!(error, VaultError::Conflict(_));
        let is_busy = matches!(error, VaultError::Busy(_));
        let mut error = Self::from(Failure::from(error));
        if is_conflict {
            error.code = Code::Conflict;
        } else if is_busy {
            error.code = Code::Unavailable;
        }
        error
    }
}

impl From<VaultError> for ChangeError {
    fn from(error: VaultError) -> Self {
        let (effect, is_told) = (error.effect(), error != VaultError::Cancelled);
        let mut cause = Error::from(error);
        // The message of a vault says what became of the change.
        if let Some(failure) = cause.told.as_mut().filter(|_| is_told) {
            failure.outcome = failure.outcome.or(Some(ChangeState::NotDone));
        }
        Self { cause, effect }
    }
}

/// Returns the failure for a vault error, without the outcome of a change.
fn worded(error: &VaultError) -> Failure {
    let failure = |code: &str| Failure::new(Exit::Failed, code, error.to_string());
    match error {
        VaultError::File(path, _) => failure("vault_unusable").hint(look_at(path)),
        VaultError::TooOpen { path, .. } => failure("vault_too_open").hint(close(path)),
        VaultError::Writable { path, .. } => {
            failure("vault_too_open").hint(format!("chmod go-w {}", quoted(path)))
        }
        VaultError::Foreign { .. } => failure("vault_foreign")
            .hint("run it as that user, or make the file your own with `chown`"),
        VaultError::NoKey(_) | VaultError::Keyring(KeyringError::NoEntry(_)) => {
            failure("vault_no_key")
                .hint("put the key back; without it nothing in the vault can be read")
                .hint(FROM_BACKUP)
        }
        VaultError::Keyring(cause) => Failure::from(cause).message(error.to_string()),
        VaultError::WrongKey { .. } | VaultError::NotAKey(_) => failure("vault_wrong_key")
            .hint("put back the key that belongs to the vault")
            .hint(FROM_BACKUP),
        VaultError::Later(_) => failure("vault_format").hint("update bot-cli"),
        VaultError::Damaged(..) => failure("vault_damaged").hint(FROM_BACKUP),
        VaultError::Set(..) => failure("vault_damaged").hint("all other sets can be used"),
        VaultError::NotWritten(..) => failure("vault_not_written").hint(UNCHANGED),
        VaultError::NotSynced(..) => failure("vault_not_synced").hint(UNSYNCED),
        VaultError::Leftover(..) => failure("vault_leftover")
            .hint("the change is in place; the next one removes the earlier key"),
        VaultError::Conflict(name) => failure("conflict").hint(format!(
            "look at it with `bot-cli cloud secrets list {name}`, then try again"
        )),
        VaultError::NoVault(_) => {
            failure("no_vault").hint("`bot-cli cloud secrets set NAME KEY` makes one")
        }
        VaultError::Exists(_) => {
            failure("file_exists").hint("choose another name, or replace it with `--force`")
        }
        VaultError::NotABackup(..) => {
            failure("not_a_backup").hint("`bot-cli cloud vault backup FILE` writes one")
        }
        VaultError::NotRead(path, _) if !path.exists() => {
            failure("not_read").hint("`bot-cli cloud vault backup FILE` writes one")
        }
        VaultError::NotRead(path, _) => {
            failure("not_read").hint(format!("look at its rights: ls -ld {}", quoted(path)))
        }
        VaultError::NotAPlace(..) => {
            failure("not_a_place").hint("choose the name of a new file outside of the vault")
        }
        VaultError::WrongPassphrase(_) => failure("wrong_passphrase")
            .hint("try again; without its passphrase a backup can't be read"),
        VaultError::Busy(_) => Failure::new(Exit::Unavailable, "vault_busy", error.to_string())
            .hint("try again when it is done"),
        VaultError::Cancelled => Failure::cancelled(),
    }
}

/// Returns a hint to check an unusable file's permissions and whether its disk is mounted.
fn look_at(path: &Path) -> String {
    format!(
        "look at its rights (`ls -ld {}`), and whether its disk is mounted",
        quoted(path)
    )
}
