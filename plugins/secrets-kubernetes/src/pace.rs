//! Time limits, in one place, so that tests can shorten them.

use std::time::Duration;

/// Time limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// A connection, until it is there.
    pub connect: Duration,
    /// An answer, until it is complete, where no setting says otherwise.
    pub answer: Duration,
    /// The first wait before a request is tried again; each later one is twice as long.
    pub first_retry: Duration,
    /// The longest wait that a cluster may ask for.
    pub longest_wait: Duration,
}

impl Pace {
    /// The pace of people and networks.
    pub const USUAL: Self = Self {
        connect: Duration::from_secs(10),
        answer: Duration::from_secs(30),
        first_retry: Duration::from_millis(250),
        longest_wait: Duration::from_secs(30),
    };
}
