//! Waiting for what another process or thread does, and never for longer than it can take.

use std::thread;
use std::time::{Duration, Instant};

/// Far more than anything takes on a busy machine; only a test that fails waits so long.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Waits until `done`.
///
/// # Panics
///
/// If it is not in [`PATIENCE`], with `what` was waited for.
#[track_caller]
pub fn wait_until(what: &str, done: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !done() {
        assert!(Instant::now() < deadline, "waited for {what} in vain");
        thread::yield_now();
    }
}
