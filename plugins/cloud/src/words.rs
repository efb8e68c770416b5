//! The sentences in which this crate says what went wrong, and what to do about it.

mod external;
mod service;
mod vault;

use std::path::Path;

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::suggest::{did_you_mean, nearest};
use bot_cli_terminal::shell;

use crate::backend::hosted::ServiceError;
use crate::backend::local::VaultError;
use crate::backend::{BackendError, Explained};
use crate::files::{Reason, WriteError};
use crate::keyring::KeyringError;
use crate::text::theirs;

const UNCHANGED: &str =
    "nothing has changed; look at the disk's free space and at the folder's rights";

const UNSYNCED: &str =
    "the change is in place, but a power failure may undo it; look at the disk, then try again";

/// The command to sign in.
pub const SIGN_IN: &str = "bot-cli cloud auth login";

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

/// A command that ran and failed.
pub fn failed(code: &str, message: impl Into<String>) -> Failure {
    Failure::new(Exit::Failed, code, message)
}

/// Returns the failure for an error of the keyring.
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

/// A file that could not be written.
pub fn not_written(path: &Path, reason: Reason) -> Failure {
    let message = format!("could not write `{}`: {reason}", path.display());
    Failure::new(Exit::Failed, "not_written", message)
        .hint(UNCHANGED)
        .caused_by(reason)
}

/// A file that was written, but perhaps not durably.
pub fn not_synced(path: &Path, reason: Reason) -> Failure {
    let message = format!(
        "`{}` was written, but the disk did not confirm it: {reason}",
        path.display()
    );
    Failure::new(Exit::Failed, "not_synced", message)
        .hint(UNSYNCED)
        .caused_by(reason)
}

/// A write that failed, before it took effect or after.
pub fn write_failure(path: &Path, error: WriteError) -> Failure {
    match error {
        WriteError::NotWritten(error) => not_written(path, error.into()),
        WriteError::NotSynced(error) => not_synced(path, error.into()),
    }
}

/// The failure with the known name that may have been meant, else with what to do instead.
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

/// The command that keeps others out of a file.
pub fn close(path: &Path) -> String {
    format!("chmod 600 {}", quoted(path))
}

/// A path as a shell reads it.
fn quoted(path: &Path) -> String {
    shell::quoted(&path.display().to_string())
}
