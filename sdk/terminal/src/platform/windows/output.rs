//! Standard output on Windows.

use std::fs::File;
use std::io::{self, Write};
use std::os::windows::io::AsHandle;
use std::time::Duration;

use bot_cli_system::console::{self, Stream};
use bot_cli_system::stdio;

/// The reader of the original standard output.
#[derive(Debug)]
pub struct Reader(());

/// Takes the original standard output and puts standard error in its place, so that stray prints don't reach the host.
pub fn take_stdout() -> io::Result<(File, Reader)> {
    io::stdout().flush()?;
    let real = io::stdout().as_handle().try_clone_to_owned()?;
    stdio::stderr_as_stdout()?;
    Ok((File::from(real), Reader(())))
}

impl Reader {
    /// Always fails, because Windows can't detect that a reader is gone. A host that ends also ends its plugins, which run in its jobs.
    pub fn has_gone(&self, _: Duration) -> io::Result<bool> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Enables colour sequences in consoles. A console older than Windows 10 shows them as text.
pub fn allow_colour() {
    for stream in [Stream::Output, Stream::Error] {
        let _ = console::show_sequences(stream);
    }
}
