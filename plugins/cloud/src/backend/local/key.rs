//! The key of the vault: 32 random bytes as one line of base64, in the keyring or in a file only its owner can read.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bot_cli_sdk::secret::Secret;
use chacha20poly1305::aead::OsRng;
use chacha20poly1305::aead::rand_core::RngCore;
use zeroize::Zeroizing;

use super::VaultError;
use super::seal::KEY;
use crate::keyring::KeyringError;
use crate::secret_file::{Place, SecretFile, SecretFileError};

/// What stands before the key.
const PREFIX: &str = "bot-cli-vault-key-1 ";

/// Reads the key; `None` when there is no file.
pub fn read(file: &SecretFile<'_>) -> Result<Option<Zeroizing<[u8; KEY]>>, VaultError> {
    let unusable = |reason| VaultError::File {
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
        Some(key) => Ok(Some(Zeroizing::new(key))),
        None => Err(unusable("it is not the key of a vault".to_owned())),
    }
}

/// Makes a key and keeps it, in the keyring if `wanted` and there is one.
pub fn create(file: &SecretFile<'_>, wanted: Place) -> Result<Zeroizing<[u8; KEY]>, VaultError> {
    let mut key = Zeroizing::new([0; KEY]);
    OsRng.fill_bytes(key.as_mut_slice());
    let encoded = Zeroizing::new(STANDARD.encode(key.as_slice()));
    let line = Secret::new(format!("{PREFIX}{}\n", encoded.as_str()));
    let not_written = |reason| VaultError::NotWritten {
        path: file.path().to_owned(),
        reason,
    };
    file.write(&line, wanted)
        .map_err(|error| failed(file, error, not_written))?;
    Ok(key)
}

fn failed(
    file: &SecretFile<'_>,
    error: SecretFileError,
    with_file: impl FnOnce(String) -> VaultError,
) -> VaultError {
    match error {
        SecretFileError::TooOpen { mode } => VaultError::TooOpen {
            path: file.path().to_owned(),
            mode,
        },
        SecretFileError::File(reason) => with_file(reason),
        SecretFileError::Keyring(KeyringError::Cancelled) => VaultError::Cancelled,
        SecretFileError::Keyring(error) => VaultError::Keyring(error),
    }
}
