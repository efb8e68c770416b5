//! Time limits and pauses, in one place so that tests can shorten them.

use std::time::Duration;

/// Time limits and pauses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// The time limit for establishing a connection.
    pub connect: Duration,
    /// The time limit for a request, including its response.
    pub request: Duration,
    /// The pause before the first retry. Each later pause is twice as long.
    pub first_retry: Duration,
    /// The longest pause that a service may ask for.
    pub longest_wait: Duration,
    /// The delay before a slow request is reported to the user.
    pub slow: Duration,
    /// The first pause between two checks of a set that is not ready yet. Each later pause is twice as long.
    pub first_look: Duration,
    /// The longest pause between two checks.
    pub longest_look: Duration,
    /// The time limit of `--wait`.
    pub ready: Duration,
}

impl Pace {
    /// The values for normal use.
    pub const USUAL: Self = Self {
        connect: Duration::from_secs(5),
        request: Duration::from_secs(30),
        first_retry: Duration::from_millis(250),
        longest_wait: Duration::from_secs(30),
        slow: Duration::from_millis(500),
        first_look: Duration::from_millis(250),
        longest_look: Duration::from_secs(5),
        ready: Duration::from_secs(300),
    };
}

impl Default for Pace {
    fn default() -> Self {
        Self::USUAL
    }
}
