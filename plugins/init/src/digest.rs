//! The hash by which files are told apart.

use sha2::{Digest as _, Sha256};

/// Returns the SHA-256 of `bytes` in lower-case hexadecimal.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}
