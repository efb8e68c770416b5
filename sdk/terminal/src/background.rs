//! Detached threads.

use std::{io, thread};

use bot_cli_protocol::failure::{Exit, Failure};

/// Runs `work` in a detached thread.
pub fn spawn(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().spawn(work).map(drop)
}

/// Returns the failure for a thread that could not be started. The failure's class is `Unavailable`, because a later attempt may succeed.
pub fn no_thread(error: io::Error) -> Failure {
    let could_not = "could not start a thread";
    Failure::because(Exit::Unavailable, "no_thread", could_not, error)
}
