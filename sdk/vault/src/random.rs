//! Random numbers from the operating system. If no random numbers are available, the result is an error rather than a panic.

pub fn random(bytes: &mut [u8]) -> Result<(), String> {
    getrandom::fill(bytes).map_err(|error| format!("the system gives no random numbers: {error}"))
}
