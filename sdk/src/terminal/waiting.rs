//! Waiting for a user who may rather want to stop.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use crate::cancel::Cancel;
use crate::failure::Failure;
use crate::ui::withdrawn;

/// How often a wish to stop is looked for.
const TICK: Duration = Duration::from_millis(20);

/// What `read` reads, or why nobody waits for it any more. Reading can't be broken off: it is left behind then, and
/// ends with the process. Where there is no thread for it, only the user's own keys end it.
pub fn for_user<T: Send + 'static>(
    cancel: &Cancel,
    wanted: &mut dyn FnMut() -> bool,
    read: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Failure> {
    let (sender, receiver) = mpsc::channel();
    let (work, given) = mpsc::channel();
    let reader = move || {
        if let Ok(read) = given.recv() {
            let read: Box<dyn FnOnce() -> T + Send> = read;
            // Nobody may wait for it any more.
            let _ = sender.send(read());
        }
    };
    if thread::Builder::new().spawn(reader).is_err() {
        return Ok(read());
    }
    // The thread takes it at once.
    let _ = work.send(Box::new(read));
    loop {
        match receiver.recv_timeout(TICK) {
            Ok(answer) => return Ok(answer),
            Err(RecvTimeoutError::Timeout) if cancel.requested() => {
                return Err(Failure::cancelled());
            }
            Err(RecvTimeoutError::Timeout) if wanted() => {}
            Err(RecvTimeoutError::Timeout) => return Err(withdrawn()),
            Err(RecvTimeoutError::Disconnected) => return Err(Failure::cancelled()),
        }
    }
}
