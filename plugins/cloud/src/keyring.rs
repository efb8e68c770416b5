//! The keyring of the desktop: the Secret Service on Linux (GNOME Keyring, `KWallet`, `KeePassXC`), the Keychain on macOS.

use std::io;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use bot_cli_protocol::failure::reason;
use bot_cli_protocol::secret::Secret;
use keyring::Error;
use keyring::v1::Entry;

use crate::files::Reason;
use crate::text::theirs;
use crate::watch::Watch;

/// Under which service the entries stand.
const SERVICE: &str = "bot-cli";

/// The time limit for a keyring, which the user may have to unlock.
const PATIENCE: Duration = Duration::from_secs(60);

/// After how long the user is told what is waited for.
const SOON: Duration = Duration::from_secs(1);

/// The interval at which the user's request to stop is checked.
const TICK: Duration = Duration::from_millis(20);

/// An error of a keyring.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyringError {
    /// Nothing there that could be asked.
    #[error("there is no keyring to ask: {0}")]
    None(#[source] Reason),
    /// It is locked and stays so, or nobody has made one yet.
    #[error("the keyring is locked or was never set up")]
    Locked,
    /// It does not have the entry.
    #[error("the keyring has no entry `{0}`")]
    NoEntry(String),
    /// It says nothing.
    #[error("the keyring does not answer")]
    Silent,
    /// The user did not want to wait any longer.
    #[error("cancelled")]
    Cancelled,
    /// It can't do it.
    #[error("the keyring fails: {0}")]
    Failed(#[source] Reason),
}

/// The text of an entry.
pub fn read(name: &str, watch: &dyn Watch) -> Result<Secret, KeyringError> {
    ask(name, watch, |entry| entry.get_password().map(Secret::new))
}

/// Makes an entry.
pub fn write(name: &str, text: &Secret, watch: &dyn Watch) -> Result<(), KeyringError> {
    let text = text.clone();
    ask(name, watch, move |entry| entry.set_password(text.expose()))
}

/// Removes an entry.
pub fn remove(name: &str, watch: &dyn Watch) -> Result<(), KeyringError> {
    ask(name, watch, Entry::delete_credential)
}

fn ask<T: Send + 'static>(
    name: &str,
    watch: &dyn Watch,
    work: impl FnOnce(&Entry) -> Result<T, Error> + Send + 'static,
) -> Result<T, KeyringError> {
    ask_within(PATIENCE, name, watch, work)
}

/// A keyring may wait for its user for as long as it likes; we don't, and let it go on alone.
fn ask_within<T: Send + 'static>(
    patience: Duration,
    name: &str,
    watch: &dyn Watch,
    work: impl FnOnce(&Entry) -> Result<T, Error> + Send + 'static,
) -> Result<T, KeyringError> {
    let (answers, answer) = mpsc::channel();
    let entry = name.to_owned();
    thread::spawn(move || {
        let done = match Entry::store_status() {
            Err(error) => Err(KeyringError::None(reason_of(error))),
            Ok(()) => Entry::new(SERVICE, &entry)
                .and_then(|found| work(&found))
                .map_err(|error| failed(entry, error)),
        };
        // Nobody may be waiting any more.
        let _ = answers.send(done);
    });
    let begun = Instant::now();
    let mut told = false;
    loop {
        match answer.recv_timeout(TICK) {
            Ok(done) => return done,
            Err(RecvTimeoutError::Disconnected) => return Err(KeyringError::Silent),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if watch.cancelled() {
            return Err(KeyringError::Cancelled);
        }
        if begun.elapsed() > patience {
            return Err(KeyringError::Silent);
        }
        if begun.elapsed() > SOON && !told {
            told = true;
            watch.note("waiting for the keyring, which may ask to be unlocked");
        }
    }
}

fn failed(name: String, error: Error) -> KeyringError {
    if matches!(error, Error::NoEntry) {
        KeyringError::NoEntry(name)
    } else if matches!(error, Error::NoStorageAccess(_)) {
        KeyringError::Locked
    } else if matches!(error, Error::BadEncoding(_) | Error::BadDataFormat(..)) {
        // It owns the secret, and is not kept.
        KeyringError::Failed(words(&error).into())
    } else {
        KeyringError::Failed(reason_of(error))
    }
}

fn reason_of(error: impl std::error::Error + Send + Sync + 'static) -> Reason {
    Reason::worded(words(&error), error)
}

/// The innermost cause, which is the one that tells something.
fn words(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    theirs(&reason(&io::Error::other(cause.to_string())))
}
