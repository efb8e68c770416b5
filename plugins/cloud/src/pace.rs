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
    /// The longest retry delay that a service may request. If the service requests a longer delay, the request is not retried.
    pub longest_wait: Duration,
    /// The delay before a slow request is reported to the user.
    pub slow: Duration,
    /// The pause before the second check of whether a set, build or deployment is ready. Each later pause is twice as long.
    pub first_look: Duration,
    /// The longest pause between two checks of whether a set, build or deployment is ready.
    pub longest_look: Duration,
    /// The time limit for `--wait`.
    pub ready: Duration,
    /// The time limit for the upload of a build context.
    pub upload: Duration,
    /// The time limit for a build by the service.
    pub build: Duration,
}

impl Pace {
    /// The default values.
    pub const USUAL: Self = Self {
        connect: Duration::from_secs(5),
        request: Duration::from_secs(30),
        first_retry: Duration::from_millis(250),
        longest_wait: Duration::from_secs(30),
        slow: Duration::from_millis(500),
        first_look: Duration::from_millis(250),
        longest_look: Duration::from_secs(5),
        ready: Duration::from_secs(300),
        upload: Duration::from_secs(3600),
        build: Duration::from_secs(3600),
    };
}

impl Default for Pace {
    fn default() -> Self {
        Self::USUAL
    }
}
