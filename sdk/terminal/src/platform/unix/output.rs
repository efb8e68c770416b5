//! Standard output on Unix.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, retry_on_intr};

/// The reader of what was standard output.
#[derive(Debug)]
pub struct Reader(OwnedFd);

/// Puts real standard output aside and standard error in its place, so that no stray print reaches the host.
pub fn take_stdout() -> io::Result<(Stdout, Reader)> {
    io::stdout().flush()?;
    let real = io::stdout().as_fd().try_clone_to_owned()?;
    let watched = real.try_clone()?;
    rustix::stdio::dup2_stdout(io::stderr())?;
    Ok((Stdout(File::from(real)), Reader(watched)))
}

/// Real standard output. The parent may have made it non-blocking.
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
    /// Whether the reader is gone, or goes within that time. A file has no reader to lose.
    pub fn has_gone(&self, patience: Duration) -> io::Result<bool> {
        // Without any flag asked for, only the loss of the reader is reported.
        let mut output = [PollFd::new(&self.0, PollFlags::empty())];
        match poll(&mut output, Timespec::try_from(patience).ok().as_ref()) {
            Err(Errno::INTR) => Ok(false),
            gone => Ok(gone? > 0),
        }
    }
}

/// Prepares the standard streams for colour, which needs nothing here.
pub const fn allow_colour() {}
