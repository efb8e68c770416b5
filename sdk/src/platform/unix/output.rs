//! Standard output on Unix.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

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

impl AsFd for Reader {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Prepares the standard streams for colour, which needs nothing here.
pub const fn allow_colour() {}
