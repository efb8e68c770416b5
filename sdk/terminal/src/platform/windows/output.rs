//! Standard output on Windows.

use std::fs::File;
use std::io::{self, Write};
use std::os::windows::io::AsHandle;
use std::time::Duration;

use bot_cli_system::console::{self, Stream};
use bot_cli_system::stdio;

/// A placeholder for the reader of the original standard output, which Windows can't observe.
#[derive(Debug)]
pub struct Reader(());

/// Returns the original standard output and redirects standard output to standard error, so that stray prints don't reach the host.
pub fn take_stdout() -> io::Result<(File, Reader)> {
    io::stdout().flush()?;
    let real = io::stdout().as_handle().try_clone_to_owned()?;
    stdio::stderr_as_stdout()?;
    Ok((File::from(real), Reader(())))
}

impl Reader {
    /// Always fails, because Windows can't detect that a reader is gone. Plugins don't need this detection: when a host exits, its plugins
    /// exit as well, because they run in the host's jobs.
    pub fn has_gone(&self, _: Duration) -> io::Result<bool> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Enables escape sequences for colors in consoles. Consoles older than Windows 10 show the sequences as text.
pub fn allow_colour() {
    for stream in [Stream::Output, Stream::Error] {
        let _ = console::show_sequences(stream);
    }
}
