//! The key of the vault as it is kept: an identity of age, in the keyring or in a private file.

use std::fmt;

use age::secrecy::ExposeSecret;
use age::x25519::Identity;
use bot_cli_protocol::secret::Secret;

use super::VaultError;
use crate::files::Reason;
use crate::keyring::KeyringError;
use crate::random::random;
use crate::secret_file::{SecretFile, SecretFileError, Storage};

/// The key of a vault.
#[derive(Clone)]
pub struct Key(pub Identity);

impl Key {
    fn parse(text: &Secret) -> Option<Self> {
        let lines = text.expose().lines().map(str::trim);
        let mut keys = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
        let key = keys.next()?.parse().ok()?;
        keys.next().is_none().then_some(Self(key))
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_string().expose_secret() == other.0.to_string().expose_secret()
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

/// Reads a key; `None` when there is no file.
pub fn read(file: &SecretFile<'_>) -> Result<Option<Key>, VaultError> {
    let unusable = |reason: Reason| VaultError::File(file.path().to_owned(), reason);
    let Some(text) = file.read().map_err(|error| failed(file, error, unusable))? else {
        return Ok(None);
    };
    let key = Key::parse(&text).ok_or_else(|| VaultError::NotAKey(file.path().to_owned()))?;
    Ok(Some(key))
}

/// Makes a key and keeps it, in the keyring if `wanted` and there is one; where it is.
pub fn create(file: &SecretFile<'_>, wanted: Storage) -> Result<(Key, Storage), VaultError> {
    let not_written = |reason: Reason| VaultError::NotWritten(file.path().to_owned(), reason);
    // Where the system gives none, `generate` would panic.
    random(&mut [0; 32]).map_err(|reason| not_written(reason.into()))?;
    let key = Key(Identity::generate());
    let text = Secret::new(key.0.to_string().expose_secret().to_owned());
    let place = file
        .write(&text, wanted)
        .map_err(|error| failed(file, error, not_written))?;
    Ok((key, place))
}

fn failed(
    file: &SecretFile<'_>,
    error: SecretFileError,
    with_file: impl FnOnce(Reason) -> VaultError,
) -> VaultError {
    let path = file.path().to_owned();
    match error {
        SecretFileError::TooOpen { mode } => VaultError::TooOpen { path, mode },
        SecretFileError::Foreign { owner } => VaultError::Foreign { path, owner },
        // Nothing is sealed with a new key before its file is known to be on the disk.
        SecretFileError::NotSynced(reason) | SecretFileError::File(reason) => with_file(reason),
        SecretFileError::Keyring(KeyringError::Cancelled) => VaultError::Cancelled,
        SecretFileError::Keyring(error) => VaultError::Keyring(error),
    }
}
