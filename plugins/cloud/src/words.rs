//! The plugin's failures, with their messages and hints.

mod external;

use std::path::Path;

use bot_cli_protocol::failure::{ChangeState, Exit, Failure};
use bot_cli_protocol::suggest::{did_you_mean, nearest};
use bot_cli_terminal::shell;

use crate::backend::hosted::ServiceError;
use crate::backend::local::VaultError;
use crate::backend::{BackendError, Effect, Explained};
use crate::files::{Reason, WriteError};
use crate::keyring::KeyringError;
use crate::text::theirs;

const UNCHANGED: &str =
    "nothing has changed; look at the disk's free space and at the folder's rights";

const UNSYNCED: &str =
    "the change is in place, but a power failure may undo it; look at the disk, then try again";

/// The hint for an unusable vault.
const FROM_BACKUP: &str = "move the folder of the vault away, then `bot-cli cloud vault restore FILE` puts a backup in its place";

impl Explained for BackendError {
    fn explain(&self) -> Failure {
        match self {
            Self::Cancelled => Failure::cancelled(),
            Self::Own(error) => error.explain(),
        }
    }

    fn tells_effect(&self) -> bool {
        match self {
            Self::Cancelled => false,
            Self::Own(error) => error.tells_effect(),
        }
    }
}

impl From<BackendError> for Failure {
    fn from(error: BackendError) -> Self {
        error.explain()
    }
}

impl From<ServiceError> for Failure {
    fn from(error: ServiceError) -> Self {
        error.explain()
    }
}

impl From<VaultError> for Failure {
    fn from(error: VaultError) -> Self {
        error.explain()
    }
}

/// Marks the outcome of the change as unknown.
pub fn unknown(mut failure: Failure, what: &str, look: &str) -> Failure {
    failure.message = format!("{}; it is unknown whether {what}", failure.message);
    // Keep the exit status of an interrupted command.
    if !matches!(failure.exit, Exit::Cancelled | Exit::Terminated) {
        failure.exit = Exit::Unknown;
    }
    failure
        .outcome(ChangeState::Unknown)
        .hint(format!("`{look}` shows what is there now"))
}

/// Creates a failure with the general exit status.
pub fn failed(code: &str, message: impl Into<String>) -> Failure {
    Failure::new(Exit::Failed, code, message)
}

pub fn keyring(error: &KeyringError) -> Failure {
    let failure =
        |exit, code: &str| Failure::new(exit, code, error.to_string()).caused_by(error.clone());
    match error {
        KeyringError::Cancelled => Failure::cancelled(),
        KeyringError::None(_) => failure(Exit::Unavailable, "no_keyring")
            .hint("run it where the keyring is: in the desktop session in which this was set up"),
        KeyringError::Locked => {
            failure(Exit::Unavailable, "keyring_locked").hint("unlock the keyring, then try again")
        }
        KeyringError::Silent => failure(Exit::Unavailable, "keyring_silent")
            .hint("look whether it asks to be unlocked, then try again"),
        KeyringError::NoEntry(_) | KeyringError::Failed(_) => {
            failure(Exit::Failed, "keyring_failed").hint("try again")
        }
    }
}

pub fn not_written(path: &Path, reason: Reason) -> Failure {
    let message = format!("could not write `{}`: {reason}", path.display());
    Failure::new(Exit::Failed, "not_written", message)
        .hint(UNCHANGED)
        .caused_by(reason)
}

/// Returns the failure for a file that was written, but perhaps not durably.
pub fn not_synced(path: &Path, reason: Reason) -> Failure {
    let message = format!(
        "`{}` was written, but the disk did not confirm it: {reason}",
        path.display()
    );
    Failure::new(Exit::Failed, "not_synced", message)
        .hint(UNSYNCED)
        .caused_by(reason)
}

pub fn write_failure(path: &Path, error: WriteError) -> Failure {
    match error {
        WriteError::NotWritten(error) => not_written(path, error.into()),
        WriteError::NotSynced(error) => not_synced(path, error.into()),
    }
}

/// Adds the most similar known name as a hint, or `instead` if no known name is similar.
pub fn near_or<'a>(
    failure: Failure,
    word: &str,
    known: impl IntoIterator<Item = &'a str>,
    instead: impl Into<String>,
) -> Failure {
    match nearest(word, known) {
        Some(near) => failure.hint(did_you_mean(&[theirs(near)])),
        None => failure.hint(instead),
    }
}

/// Returns the command that makes a file private.
pub fn close(path: &Path) -> String {
    format!("chmod 600 {}", quoted(path))
}

fn quoted(path: &Path) -> String {
    shell::quoted(&path.display().to_string())
}

impl Explained for VaultError {
    fn explain(&self) -> Failure {
        let failure = worded(self).caused_by(self.clone());
        if self.effect() == Effect::Done {
            return failure.outcome(ChangeState::Done);
        }
        failure
    }

    fn tells_effect(&self) -> bool {
        true
    }
}

/// Returns the failure for a vault error, without the outcome of a change.
fn worded(error: &VaultError) -> Failure {
    let failure = |code: &str| failed(code, error.to_string());
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
        VaultError::Keyring(cause) => keyring(cause).message(error.to_string()),
        VaultError::WrongKey { .. } | VaultError::NotAKey(_) => failure("vault_wrong_key")
            .hint("put back the key that belongs to the vault")
            .hint(FROM_BACKUP),
        VaultError::Later(_) => failure("vault_format").hint("update bot-cli"),
        VaultError::Earlier(_) => {
            failure("vault_format").hint("move that file away to begin with an empty vault")
        }
        VaultError::Damaged(..) => failure("vault_damaged").hint(FROM_BACKUP),
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
        VaultError::NotAPlace(..) => failure("not_a_place")
            .hint("choose the name of a new file outside of the vault, best on another disk"),
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
