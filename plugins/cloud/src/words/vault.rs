//! The sentences for what goes wrong in the vault.

use std::path::Path;

use bot_cli_protocol::failure::{ChangeState, Exit, Failure};

use super::{UNCHANGED, UNSYNCED, close, keyring, quoted};
use crate::backend::local::VaultError;
use crate::backend::{Effect, Explained};
use crate::keyring::KeyringError;
use crate::words::failed;

/// The hint for an unusable vault.
const FROM_BACKUP: &str = "move the folder of the vault away, then `bot-cli cloud vault restore FILE` puts a backup in its place";

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

/// Returns what the vault could not do, whatever became of a change.
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
        VaultError::Keyring(cause) => {
            keyring(cause).message(error.to_string())
        }
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
        VaultError::Conflict(name) => failure("conflict")
            .hint(format!("look at it with `bot-cli cloud secrets list {name}`, then try again")),
        VaultError::NoVault(_) => {
            failure("no_vault").hint("`bot-cli cloud secrets set` makes one")
        }
        VaultError::Exists(_) => {
            failure("file_exists").hint("choose another name, or replace it with `--force`")
        }
        VaultError::NotABackup(..) => {
            failure("not_a_backup").hint("`bot-cli cloud vault backup FILE` writes one")
        }
        VaultError::NotRead(path, _) => failure("not_read").hint(format!(
            "give the path of a file that `bot-cli cloud vault backup` wrote, and look at its rights (`ls -ld {}`)",
            quoted(path)
        )),
        VaultError::NotAPlace(..) => failure("not_a_place")
            .hint("choose the name of a new file outside of the vault, best on another disk"),
        VaultError::WrongPassphrase(_) => failure("wrong_passphrase")
            .hint("try again; without its passphrase a backup can't be read"),
        VaultError::Busy(_) => Failure::new(Exit::Unavailable, "vault_busy", error.to_string())
            .hint("try again when it is done"),
        VaultError::Cancelled => Failure::cancelled(),
    }
}

/// The look at what keeps a file from being used.
fn look_at(path: &Path) -> String {
    format!(
        "look at its rights (`ls -ld {}`), and whether its disk is mounted",
        quoted(path)
    )
}
