//! The sentences in which this crate says what went wrong, and what to do about it.

pub mod change;

use std::path::Path;

use bot_cli_sdk::failure::{ChangeState, Exit, Failure, reason};

use crate::backend::BackendError;
use crate::backend::local::{Effect, VaultError};
use crate::files::WriteError;
use crate::keyring::KeyringError;
use crate::text::{span, theirs};

/// What may stand in the way of a file.
const UNCHANGED: &str =
    "nothing has changed; look at the disk's free space and at the folder's rights";

/// What to do where a write is in place but may be lost.
const UNSYNCED: &str =
    "the change is in place, but a power failure may undo it; look at the disk, then try again";

/// What to do about a vault that can't be used.
const FROM_BACKUP: &str = "move the folder of the vault away, then `bot-cli cloud vault restore FILE` puts a backup in its place";

/// How somebody signs in whom the service does not know.
pub const SIGN_IN: &str = "bot-cli cloud auth login";

/// What a backend could not do.
#[must_use]
pub fn failure(error: &BackendError) -> Failure {
    match error {
        BackendError::Unreachable { host, reason } => Failure::new(
            Exit::Unavailable,
            "unreachable",
            format!("could not reach {}: {}", theirs(host), theirs(reason)),
        )
        .hint(
            "check the network and the address (`bot-cli cloud config show`), then try again",
        ),
        BackendError::TimedOut { host } => Failure::new(
            Exit::Unavailable,
            "timed_out",
            format!("{} did not answer in time", theirs(host)),
        )
        .hint("try again; BOT_CLI_TIMEOUT sets the seconds that a request may take"),
        BackendError::BadCertificate { host, reason } => Failure::new(
            Exit::Failed,
            "bad_certificate",
            format!(
                "{} could not prove who it is: {}",
                theirs(host),
                theirs(reason)
            ),
        )
        .hint("if you use a proxy of your own, set SSL_CERT_FILE to its certificates"),
        BackendError::Redirected { to } => Failure::new(
            Exit::Failed,
            "redirected",
            format!(
                "the service redirects to `{}`, which is not followed with a token",
                theirs(to)
            ),
        )
        .hint(
            "if that is where it has moved, set the address: `bot-cli cloud config set api_url …`",
        ),
        BackendError::Unavailable {
            status,
            message,
            retry_after,
        } => unavailable(*status, message, *retry_after),
        BackendError::IssuerUnavailable { status } => issuer_unavailable(*status),
        BackendError::IssuerRefused { code } => issuer_refused(*code),
        BackendError::InvalidToken => Failure::new(
            Exit::NotAllowed,
            "not_signed_in",
            "the token has characters that can't be sent, so the service was not asked",
        )
        .hint("copy the token again, on one line and without blanks"),
        BackendError::NotSignedIn { message } => Failure::new(
            Exit::NotAllowed,
            "not_signed_in",
            said("the service does not accept the token", message),
        )
        .hint(SIGN_IN),
        BackendError::NotAllowed { message } => Failure::new(
            Exit::NotAllowed,
            "not_allowed",
            said("you are not allowed to do this", message),
        )
        .hint("`bot-cli cloud organizations list` shows where you belong"),
        BackendError::NotFound { message } => {
            Failure::new(Exit::Failed, "not_found", said("not found", message))
                .hint("`bot-cli cloud organizations list` shows where you belong, `bot-cli cloud secrets list` what is there")
        }
        BackendError::Conflict { message } => Failure::new(
            Exit::Failed,
            "conflict",
            said("somebody else is changing it", message),
        )
        .hint("try again"),
        BackendError::Refused { status, message } => Failure::new(
            Exit::Failed,
            "refused",
            said(
                &format!("the service refuses it (status {status})"),
                message,
            ),
        )
        .hint("look at where it was sent: `bot-cli cloud config show`"),
        BackendError::InvalidResponse { what } => Failure::new(
            Exit::Failed,
            "invalid_response",
            format!("the response is not from the service: {}", theirs(what)),
        )
        .hint("a proxy or a sign-in page may have answered; look at the address: `bot-cli cloud config show`"),
        BackendError::Cancelled | BackendError::Vault(VaultError::Cancelled) => {
            Failure::cancelled()
        }
        BackendError::Vault(error) => {
            let failure = vault(error);
            match error.effect() {
                Effect::Done => failure.outcome(ChangeState::Done),
                Effect::NotDone => failure,
            }
        }
    }
}

fn vault(error: &VaultError) -> Failure {
    let failure = |code: &str| Failure::new(Exit::Failed, code, error.to_string());
    match error {
        VaultError::File { path, .. } => failure("vault_unusable").hint(look_at(path)),
        VaultError::Link { path, target } => failure("vault_unusable").hint(format!(
            "put the file itself there: mv {} {}",
            quoted(&path.parent().unwrap_or(path).join(target)),
            quoted(path)
        )),
        VaultError::Unreachable { path, .. } => failure("vault_unreachable")
            .hint(look_at(path)),
        VaultError::TooOpen { path, .. } => failure("vault_too_open").hint(close(path)),
        VaultError::Writable { path, .. } => {
            failure("vault_too_open").hint(format!("chmod go-w {}", quoted(path)))
        }
        VaultError::Foreign { .. } => failure("vault_foreign")
            .hint("run it as that user, or make the file your own with `chown`"),
        VaultError::NoKey { .. } | VaultError::Keyring(KeyringError::NoEntry(_)) => {
            failure("vault_no_key")
                .hint("put the key back; without it nothing in the vault can be read")
                .hint(FROM_BACKUP)
        }
        VaultError::Keyring(cause) => {
            keyring(cause).message(error.to_string())
        }
        VaultError::WrongKey { .. } | VaultError::NotAKey { .. } => failure("vault_wrong_key")
            .hint("put back the key that belongs to the vault")
            .hint(FROM_BACKUP),
        VaultError::Format { .. } => {
            failure("vault_format").hint("a newer bot-cli may have written it: update")
        }
        VaultError::Damaged { .. } => failure("vault_damaged").hint(FROM_BACKUP),
        VaultError::NotWritten { .. } => failure("vault_not_written").hint(UNCHANGED),
        VaultError::NotSynced { .. } => failure("vault_not_synced").hint(UNSYNCED),
        VaultError::Leftover { .. } => failure("vault_leftover").hint(
            "the change is in place; the vault does not need that file any more: remove it, or let the next change try again",
        ),
        VaultError::Unsettled { .. } => failure("vault_unsettled").hint(
            "the change is in place; keep both files of the key: one of them opens the vault, and the next change tries again",
        ),
        VaultError::Refused(_) => failure("refused").hint("bot-cli cloud secrets list"),
        VaultError::NoVault { .. } => {
            failure("no_vault").hint("`bot-cli cloud secrets set` makes one")
        }
        VaultError::Exists { .. } => {
            failure("file_exists").hint("choose another name, or replace it with `--force`")
        }
        VaultError::NotABackup { .. } => {
            failure("not_a_backup").hint("`bot-cli cloud vault backup FILE` writes one")
        }
        VaultError::NotRead { path, .. } => failure("not_read").hint(format!(
            "give the path of a file that `bot-cli cloud vault backup` wrote, and look at its rights (`ls -ld {}`)",
            quoted(path)
        )),
        VaultError::NotAPlace { .. } => failure("not_a_place")
            .hint("choose the name of a new file outside of the vault, best on another disk"),
        VaultError::OutOfMemory { .. } => failure("out_of_memory")
            .hint("close other programs or raise the limit of memory (`ulimit -v unlimited`), then try again"),
        VaultError::WrongPassphrase { .. } => failure("wrong_passphrase")
            .hint("try again; without its passphrase a backup can't be read"),
        VaultError::Busy { .. } => Failure::new(Exit::Unavailable, "vault_busy", error.to_string())
            .hint("try again when it is done"),
        VaultError::Cancelled => Failure::cancelled(),
    }
}

/// What the keyring could not do.
#[must_use]
pub fn keyring(error: &KeyringError) -> Failure {
    let failure = |exit, code: &str| Failure::new(exit, code, error.to_string());
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
#[must_use]
pub fn not_written(path: &Path, reason: &str) -> Failure {
    let message = format!("could not write `{}`: {reason}", path.display());
    Failure::new(Exit::Failed, "not_written", message).hint(UNCHANGED)
}

/// A file that was written, but perhaps not durably.
#[must_use]
pub fn not_synced(path: &Path, reason: &str) -> Failure {
    let message = format!(
        "`{}` was written, but the disk did not confirm it: {reason}",
        path.display()
    );
    Failure::new(Exit::Failed, "not_synced", message).hint(UNSYNCED)
}

/// A write that failed, before it took effect or after.
#[must_use]
pub fn write_failure(path: &Path, error: &WriteError) -> Failure {
    match error {
        WriteError::NotWritten(error) => not_written(path, &reason(error)),
        WriteError::NotSynced(error) => not_synced(path, &reason(error)),
    }
}

/// The command that keeps others out of a file.
#[must_use]
pub fn close(path: &Path) -> String {
    format!("chmod 600 {}", quoted(path))
}

/// The look at what keeps a file from being used.
fn look_at(path: &Path) -> String {
    format!(
        "look at its rights (`ls -ld {}`), and whether its disk is mounted",
        quoted(path)
    )
}

/// A path as a shell reads it.
fn quoted(path: &Path) -> String {
    let shown = path.display().to_string();
    shlex::try_quote(&shown).map_or(shown.clone(), Into::into)
}

fn unavailable(status: u16, message: &str, retry_after: Option<u64>) -> Failure {
    let ours = format!("the service is not available (status {status})");
    let failure = Failure::new(Exit::Unavailable, "unavailable", said(&ours, message));
    match retry_after {
        Some(seconds @ 1..=86_400) => failure.hint(format!("try again in {}", span(seconds))),
        Some(_) | None => failure.hint("try again in a while"),
    }
}

fn issuer_unavailable(status: Option<u16>) -> Failure {
    let status = status.map_or_else(String::new, |status| format!(" (status {status})"));
    let message = format!("the issuer of tokens is not available{status}");
    Failure::new(Exit::Unavailable, "unavailable", message).hint("try again in a while")
}

fn issuer_refused(code: Option<&str>) -> Failure {
    let what = match code {
        Some("invalid_client" | "unauthorized_client" | "unsupported_grant_type") => {
            "bot-cli as a client"
        }
        Some(_) | None => "the request of bot-cli",
    };
    let code = code.map_or_else(String::new, |code| format!(" (`{code}`)"));
    let message = format!("the issuer of tokens refuses {what}{code}");
    Failure::new(Exit::Failed, "issuer_refused", message).hint(
        "look at the address (`bot-cli cloud config show`), or use a token: `bot-cli cloud auth login --token-stdin < FILE`",
    )
}

fn said(ours: &str, message: &str) -> String {
    match theirs(message).as_str() {
        "" => ours.to_owned(),
        message => format!("{ours}: {message}"),
    }
}
