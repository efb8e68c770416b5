//! Waits for something, unless the user cancels.

use std::thread;
use std::time::{Duration, Instant};

use bot_cli_sdk::session::Session;

/// The delay before a wait is reported to the user.
const SOON: Duration = Duration::from_secs(1);

const TICK: Duration = Duration::from_millis(10);

/// The reason why a wait failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InVain {
    /// The user cancelled.
    Cancelled,
    /// The time limit was reached.
    TimedOut,
}

/// Waits until `look` returns a value, for at most `patience`. If the wait lasts longer than a second, shows `what_for` to the user.
pub fn wait<T>(
    session: &Session,
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
        if session.cancelled() {
            return Err(InVain::Cancelled);
        }
        if begun.elapsed() >= patience {
            return Err(InVain::TimedOut);
        }
        if begun.elapsed() >= SOON
            && let Some(line) = untold.take()
        {
            session.note(line);
        }
        thread::sleep(TICK.min(patience));
    }
}
