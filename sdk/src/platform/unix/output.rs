//! Standard output on Unix.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::retry_on_intr;

/// The reader of what was standard output.
#[derive(Debug)]
pub struct Reader(OwnedFd);

/// Puts real standard output aside and standard error in its place, so that no stray print reaches the host.
pub fn take_stdout() -> io::Result<(File, Reader)> {
    io::stdout().flush()?;
    let real = io::stdout().as_fd().try_clone_to_owned()?;
    let watched = real.try_clone()?;
    rustix::stdio::dup2_stdout(io::stderr())?;
    Ok((File::from(real), Reader(watched)))
}

impl Reader {
    /// Waits until the reader has gone; `false` where that can't be seen. A file has no reader to lose.
    pub fn wait_until_gone(&self) -> bool {
        // Without any flag asked for, only the loss of the reader is reported.
        let mut watched = [PollFd::new(&self.0, PollFlags::empty())];
        retry_on_intr(|| poll(&mut watched, None)).is_ok()
    }
}

/// Prepares the standard streams for colour, which needs nothing here.
pub const fn allow_colour() {}
