//! The observer of a long operation, and waiting.

use std::thread;
use std::time::{Duration, Instant};

/// After how long the user is told what is waited for.
const SOON: Duration = Duration::from_secs(1);

/// The interval between two looks.
const TICK: Duration = Duration::from_millis(10);

/// The user, as far as slow work has to do with one.
pub trait Watch {
    /// Whether the user wants to stop.
    fn cancelled(&self) -> bool;

    /// Reports that something is not as it should be, and the work goes on.
    fn warn(&self, _line: &str) {}

    /// Reports that a request is made.
    fn requested(&self, _line: &str) {}

    /// Reports that something takes longer than a moment.
    fn waiting(&self, _line: &str) {}

    /// Shows a line to the user at once.
    fn note(&self, _line: &str) {}
}

/// Work that runs to its end in silence.
pub struct Nobody;

impl Watch for Nobody {
    fn cancelled(&self) -> bool {
        false
    }
}

/// Why a wait ended in vain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InVain {
    /// The user did not want to wait any longer.
    Cancelled,
    /// The time was over.
    TimedOut,
}

/// Waits until `look` finds something. Where that takes longer than a moment, the user is told what for.
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
