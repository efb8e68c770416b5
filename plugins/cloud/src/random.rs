//! Random numbers from the system. Their absence is an error, not a panic.

/// Fills `bytes` with random numbers from the system.
pub fn random(bytes: &mut [u8]) -> Result<(), String> {
    getrandom::fill(bytes).map_err(|error| format!("the system gives no random numbers: {error}"))
}
