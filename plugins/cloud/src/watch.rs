//! Progress reports and cancellation for long operations.

use std::thread;
use std::time::{Duration, Instant};

/// The delay before a wait is reported to the user.
const SOON: Duration = Duration::from_secs(1);

const TICK: Duration = Duration::from_millis(10);

/// An observer of a long operation, for progress reports and cancellation.
pub trait Watch {
    fn cancelled(&self) -> bool;

    /// Reports a problem that doesn't stop the operation.
    fn warn(&self, _line: &str) {}

    /// Reports that a request is being sent.
    fn requested(&self, _line: &str) {}

    /// Reports a wait that has become noticeable to the user.
    fn waiting(&self, _line: &str) {}

    /// Reports the progress of a transfer, in bytes.
    fn progress(&self, _line: &str, _done: u64, _total: u64) {}

    /// Shows a line to the user immediately.
    fn note(&self, _line: &str) {}
}

/// An observer that never cancels and shows nothing.
pub struct Nobody;

impl Watch for Nobody {
    fn cancelled(&self) -> bool {
        false
    }
}

/// The reason why a wait failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InVain {
    Cancelled,
    TimedOut,
}

/// Waits until `look` returns a value, for at most `patience`. If the wait lasts longer than a second, shows `what_for` to the user.
pub fn wait<T>(
    watch: &dyn Watch,
    patience: Duration,
    what_for: Option<&str>,
    mut look: impl FnMut() -> Option<T>,
) -> Result<T, InVain> {
    let begun = Instant::now();
    let mut untold = what_for;
    loop {
        if let Some(found) = look() {
            return Ok(found);
        }
        if watch.cancelled() {
            return Err(InVain::Cancelled);
        }
        if begun.elapsed() >= patience {
            return Err(InVain::TimedOut);
        }
        if begun.elapsed() >= SOON
            && let Some(line) = untold.take()
        {
            watch.note(line);
        }
        thread::sleep(TICK.min(patience));
    }
}
