//! Time limits, in one place, so that tests can shorten them.

use std::time::Duration;

/// Time limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// A connection, until it is there.
    pub connect: Duration,
    /// A request, until its answer is complete.
    pub request: Duration,
    /// The first wait before a request is tried again; each later one is twice as long.
    pub first_retry: Duration,
    /// The longest wait that a service may ask for.
    pub longest_wait: Duration,
    /// After so long the user is told what is waited for.
    pub slow: Duration,
    /// The first pause between two looks at a set that is not ready yet; each later one is twice as long.
    pub first_look: Duration,
    /// The longest pause between two looks.
    pub longest_look: Duration,
    /// The longest that `--wait` waits.
    pub ready: Duration,
}

impl Pace {
    /// The pace of people and networks.
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
