//! Waiting for a user who may rather want to stop.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use crate::cancel::Cancel;

/// How often a wish to stop is looked for.
const TICK: Duration = Duration::from_millis(20);

/// What `read` reads, or `None` once somebody asked to stop. Reading can't be broken off: it is left behind then, and
/// ends with the process.
pub fn for_user<T: Send + 'static>(
    cancel: &Cancel,
    read: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(read()));
    loop {
        match receiver.recv_timeout(TICK) {
            Ok(answer) => return Some(answer),
            Err(RecvTimeoutError::Timeout) if !cancel.requested() => {}
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return None,
        }
    }
}
