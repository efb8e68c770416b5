//! Detached threads.

use std::{io, thread};

use bot_cli_protocol::failure::{Exit, Failure};

/// Does `work` in a thread of its own.
pub fn spawn(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().spawn(work).map(drop)
}

/// Explains why there is no thread. A system that has none left has one later.
pub fn no_thread(error: io::Error) -> Failure {
    let could_not = "could not start a thread";
    Failure::because(Exit::Unavailable, "no_thread", could_not, error)
}
