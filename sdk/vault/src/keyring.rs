//! The desktop keyring: the Secret Service on Linux (GNOME Keyring, `KWallet`, `KeePassXC`) and the Keychain on macOS.

use std::io;
use std::sync::mpsc::{self, TryRecvError};
use std::thread;
use std::time::Duration;

use bot_cli_protocol::failure::{Exit, Failure, reason};
use bot_cli_protocol::secret::Secret;
use bot_cli_sdk::session::Session;
use bot_cli_terminal::short_line;
use keyring::Error;
use keyring::v1::Entry;

use crate::files::Reason;
use crate::wait::{InVain, wait};

const SERVICE: &str = "bot-cli";

/// The time limit for a keyring operation. The user may need to unlock the keyring first.
const PATIENCE: Duration = Duration::from_secs(60);

/// The reason that the keyring did not serve a request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the variants are")]
pub enum KeyringError {
    #[error("there is no keyring to ask: {0}")]
    None(#[source] Reason),
    /// The keyring is locked or was never set up.
    #[error("the keyring is locked or was never set up")]
    Locked,
    #[error("the keyring has no entry `{0}`")]
    NoEntry(String),
    #[error("the keyring does not answer")]
    Silent,
    #[error("cancelled")]
    Cancelled,
    #[error("the keyring fails: {0}")]
    Failed(#[source] Reason),
}

impl From<&KeyringError> for Failure {
    fn from(error: &KeyringError) -> Self {
        let failure =
            |exit, code: &str| Self::new(exit, code, error.to_string()).caused_by(error.clone());
        match error {
            KeyringError::Cancelled => Self::cancelled(),
            KeyringError::None(_) => failure(Exit::Unavailable, "no_keyring").hint(
                "run it where the keyring is: in the desktop session in which this was set up",
            ),
            KeyringError::Locked => failure(Exit::Unavailable, "keyring_locked")
                .hint("unlock the keyring, then try again"),
            KeyringError::Silent => failure(Exit::Unavailable, "keyring_silent")
                .hint("look whether it asks to be unlocked, then try again"),
            KeyringError::NoEntry(_) | KeyringError::Failed(_) => {
                failure(Exit::Failed, "keyring_failed").hint("try again")
            }
        }
    }
}

/// Reads an entry.
pub fn read(name: &str, session: &Session) -> Result<Secret, KeyringError> {
    ask(name, session, |entry| entry.get_password().map(Secret::new))
}

/// Creates or replaces an entry.
pub fn write(name: &str, text: &Secret, session: &Session) -> Result<(), KeyringError> {
    let text = text.clone();
    ask(name, session, move |entry| {
        entry.set_password(text.expose())
    })
}

/// Removes an entry.
pub fn remove(name: &str, session: &Session) -> Result<(), KeyringError> {
    ask(name, session, Entry::delete_credential)
}

/// Runs `work` on a separate thread and waits for the result.
///
/// A keyring may wait for the user indefinitely, so the thread is abandoned after the time limit.
fn ask<T: Send + 'static>(
    name: &str,
    session: &Session,
    work: impl FnOnce(&Entry) -> Result<T, Error> + Send + 'static,
) -> Result<T, KeyringError> {
    let (answers, answer) = mpsc::channel();
    let entry = name.to_owned();
    thread::spawn(move || {
        let done = match Entry::store_status() {
            Err(error) => Err(KeyringError::None(words(&error))),
            Ok(()) => Entry::new(SERVICE, &entry)
                .and_then(|found| work(&found))
                .map_err(|error| failed(entry, &error)),
        };
        // The receiver may have given up.
        let _ = answers.send(done);
    });
    let waiting = "waiting for the keyring, which may ask to be unlocked";
    let waited = wait(session, PATIENCE, Some(waiting), || {
        match answer.try_recv() {
            Ok(done) => Some(done),
            Err(TryRecvError::Disconnected) => Some(Err(KeyringError::Silent)),
            Err(TryRecvError::Empty) => None,
        }
    });
    waited.unwrap_or_else(|in_vain| match in_vain {
        InVain::Cancelled => Err(KeyringError::Cancelled),
        InVain::TimedOut => Err(KeyringError::Silent),
    })
}

fn failed(name: String, error: &Error) -> KeyringError {
    if matches!(error, Error::NoEntry) {
        KeyringError::NoEntry(name)
    } else if matches!(error, Error::NoStorageAccess(_)) {
        KeyringError::Locked
    } else {
        KeyringError::Failed(words(error))
    }
}

/// Returns the message of the innermost cause, which is the most specific.
fn words(error: &dyn std::error::Error) -> Reason {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    short_line(&reason(&io::Error::other(cause.to_string())), 300).into()
}
