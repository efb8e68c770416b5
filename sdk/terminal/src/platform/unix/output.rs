//! Standard output on Unix.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::retry_on_intr;

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

impl AsFd for Reader {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Prepares the standard streams for colour, which needs nothing here.
pub const fn allow_colour() {}
