//! Standard output on Windows.

use std::fs::File;
use std::io::{self, Write};
use std::os::windows::io::AsHandle;
use std::time::Duration;

use bot_cli_system::console::{self, Stream};
use bot_cli_system::stdio;

/// The reader of what was standard output.
#[derive(Debug)]
pub struct Reader(());

/// Puts real standard output aside and standard error in its place, so that no stray print reaches the host.
pub fn take_stdout() -> io::Result<(File, Reader)> {
    io::stdout().flush()?;
    let real = io::stdout().as_handle().try_clone_to_owned()?;
    stdio::stderr_as_stdout()?;
    Ok((File::from(real), Reader(())))
}

impl Reader {
    /// Whether the reader is gone, which can't be seen here. A host that ends takes its plugins with it: they are in its jobs.
    pub fn has_gone(&self, _: Duration) -> io::Result<bool> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Has consoles understand the escape sequences for colour. One that can't, from before Windows 10, shows them as they are.
pub fn allow_colour() {
    for stream in [Stream::Output, Stream::Error] {
        let _ = console::show_sequences(stream);
    }
}
