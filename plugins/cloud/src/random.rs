//! Random numbers of the system, whose absence is an error and no panic.

/// Fills `bytes` with random numbers of the system.
pub fn random(bytes: &mut [u8]) -> Result<(), String> {
    getrandom::fill(bytes).map_err(|error| format!("the system gives no random numbers: {error}"))
}
