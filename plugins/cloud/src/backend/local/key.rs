//! The key of the vault as it is kept: 32 random bytes as one line of base64, in the keyring or in a private file.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bot_cli_sdk::secret::Secret;
use zeroize::Zeroizing;

use super::VaultError;
use super::keys::Key;
use super::seal::KEY;
use crate::files::Reason;
use crate::keyring::KeyringError;
use crate::secret_file::{SecretFile, SecretFileError, Storage};

const PREFIX: &str = "bot-cli-vault-key-1 ";

/// Reads a key; `None` when there is no file.
pub fn read(file: &SecretFile<'_>) -> Result<Option<Key>, VaultError> {
    let unusable = |reason: Reason| VaultError::File {
        path: file.path().to_owned(),
        reason,
    };
    let Some(text) = file.read().map_err(|error| failed(file, error, unusable))? else {
        return Ok(None);
    };
    let bytes = text
        .expose()
        .trim_end()
        .strip_prefix(PREFIX)
        .and_then(|encoded| STANDARD.decode(encoded).ok())
        .map(Zeroizing::new);
    let key = bytes.and_then(|bytes| <[u8; KEY]>::try_from(bytes.as_slice()).ok());
    match key {
        Some(key) => Ok(Some(Key::new(Zeroizing::new(key)))),
        None => Err(VaultError::NotAKey {
            path: file.path().to_owned(),
        }),
    }
}

/// Makes a key and keeps it, in the keyring if `wanted` and there is one; where it is.
pub fn create(file: &SecretFile<'_>, wanted: Storage) -> Result<(Key, Storage), VaultError> {
    let not_written = |reason: Reason| VaultError::NotWritten {
        path: file.path().to_owned(),
        reason,
    };
    let key = Key::random().map_err(|reason| not_written(reason.into()))?;
    let encoded = Zeroizing::new(STANDARD.encode(key.bytes().as_slice()));
    let line = Secret::new(format!("{PREFIX}{}\n", encoded.as_str()));
    let place = file
        .write(&line, wanted)
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
