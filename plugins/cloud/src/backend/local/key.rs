//! The key of the vault: 32 random bytes as one line of base64, in a file only its owner can read.

use std::fs;
use std::io;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chacha20poly1305::aead::OsRng;
use chacha20poly1305::aead::rand_core::RngCore;
use zeroize::Zeroizing;

use bot_cli_sdk::failure::reason;

use super::VaultError;
use super::seal::KEY;
use crate::files::{too_open, write_private};

/// What stands before the key.
const PREFIX: &str = "bot-cli-vault-key-1 ";

/// Reads the key; `None` when there is no file.
pub fn read(path: &Path) -> Result<Option<Zeroizing<[u8; KEY]>>, VaultError> {
    let unusable = |reason: String| VaultError::File {
        path: path.to_owned(),
        reason,
    };
    match too_open(path) {
        Ok(None) => {}
        Ok(Some(mode)) => {
            let path = path.to_owned();
            return Err(VaultError::TooOpen { path, mode });
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unusable(reason(&error))),
    }
    let text = fs::read_to_string(path)
        .map(Zeroizing::new)
        .map_err(|error| unusable(reason(&error)))?;
    let bytes = text
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

/// Makes a key and writes it.
pub fn create(path: &Path) -> Result<Zeroizing<[u8; KEY]>, VaultError> {
    let mut key = Zeroizing::new([0; KEY]);
    OsRng.fill_bytes(key.as_mut_slice());
    let encoded = Zeroizing::new(STANDARD.encode(key.as_slice()));
    let line = Zeroizing::new(format!("{PREFIX}{}\n", encoded.as_str()));
    write_private(path, line.as_bytes()).map_err(|error| VaultError::NotWritten {
        path: path.to_owned(),
        reason: reason(&error),
    })?;
    Ok(key)
}
