//! The checksum of generated files.

use sha2::{Digest as _, Sha256};

/// Returns the SHA-256 hash of `bytes` in lowercase hexadecimal.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}
