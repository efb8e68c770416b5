//! Standard output on Unix.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, retry_on_intr};

/// A handle for detecting whether the original standard output still has a reader.
#[derive(Debug)]
pub struct Reader(OwnedFd);

/// Returns the original standard output and redirects standard output to standard error, so that stray prints don't reach the host.
pub fn take_stdout() -> io::Result<(Stdout, Reader)> {
    io::stdout().flush()?;
    let real = io::stdout().as_fd().try_clone_to_owned()?;
    let watched = real.try_clone()?;
    rustix::stdio::dup2_stdout(io::stderr())?;
    Ok((Stdout(File::from(real)), Reader(watched)))
}

/// The original standard output, which the parent may have made non-blocking.
#[derive(Debug)]
pub struct Stdout(File);

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match self.0.write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    let mut room = [PollFd::new(&self.0, PollFlags::OUT)];
                    retry_on_intr(|| poll(&mut room, None))?;
                }
                written => return written,
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Reader {
    /// Waits at most `patience` for the reader to close its end, and reports whether it did. A regular file has no reader.
    pub fn has_gone(&self, patience: Duration) -> io::Result<bool> {
        // Without requested flags, `poll` reports only the loss of the reader.
        let mut output = [PollFd::new(&self.0, PollFlags::empty())];
        match poll(&mut output, Timespec::try_from(patience).ok().as_ref()) {
            Err(Errno::INTR) => Ok(false),
            gone => Ok(gone? > 0),
        }
    }
}

/// Does nothing, because terminals on Unix support colors without preparation.
pub const fn allow_colour() {}
