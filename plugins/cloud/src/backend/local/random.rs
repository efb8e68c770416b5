//! Random numbers of the system, whose absence is an error and no panic.

use chacha20poly1305::aead::OsRng;
use chacha20poly1305::aead::rand_core::RngCore;

/// Fills `bytes` with random numbers of the system.
pub fn random(bytes: &mut [u8]) -> Result<(), String> {
    OsRng
        .try_fill_bytes(bytes)
        .map_err(|error| format!("the system gives no random numbers: {error}"))
}
