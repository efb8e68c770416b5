//! Stores the vault's key, an age identity, in the keyring or in a private file.

use age::secrecy::ExposeSecret;
use age::x25519::Identity;
use bot_cli_protocol::secret::Secret;

use crate::VaultError;
use crate::files::Reason;
use crate::keyring::KeyringError;
use crate::random::random;
use crate::secret_file::{SecretFile, SecretFileError, Storage};

/// Reads the vault's keys. Returns one key, two keys during a rekey, or no keys if the file is missing.
pub fn read(file: &SecretFile<'_>) -> Result<Vec<Identity>, VaultError> {
    let unusable = |reason: Reason| VaultError::File(file.path().to_owned(), reason);
    let Some(text) = file.read().map_err(|error| failed(file, error, unusable))? else {
        return Ok(Vec::new());
    };
    let lines = text.expose().lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let keys: Result<Vec<Identity>, _> = lines.map(str::parse).collect();
    keys.ok()
        .filter(|keys| !keys.is_empty())
        .ok_or_else(|| VaultError::NotAKey(file.path().to_owned()))
}

/// Generates a key. Error messages mention `file`.
pub fn generate(file: &SecretFile<'_>) -> Result<Identity, VaultError> {
    // Without random numbers, `generate` would panic.
    random(&mut [0; 32]).map_err(|reason| VaultError::not_written(file.path(), reason))?;
    Ok(Identity::generate())
}

/// Replaces the stored keys and returns the storage used. Falls back to the file if the keyring is unavailable.
pub fn write(
    file: &SecretFile<'_>,
    keys: &[&Identity],
    wanted: Storage,
) -> Result<Storage, VaultError> {
    let not_written = |reason: Reason| VaultError::NotWritten(file.path().to_owned(), reason);
    let lines = keys.iter().map(|key| key.to_string());
    let lines: Vec<_> = lines.collect();
    let lines: Vec<&str> = lines.iter().map(ExposeSecret::expose_secret).collect();
    let text = Secret::new(lines.join("\n"));
    file.write(&text, wanted)
        .map_err(|error| failed(file, error, not_written))
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
        // A key whose file may be lost must not seal anything, so both cases are failures.
        SecretFileError::NotSynced(reason) | SecretFileError::File(reason) => with_file(reason),
        SecretFileError::Keyring(KeyringError::Cancelled) => VaultError::Cancelled,
        SecretFileError::Keyring(error) => VaultError::Keyring(error),
    }
}
