//! Writes to standard output and standard error.

use std::io::{self, Write};

/// Writes text to standard output. Ignores a closed pipe, because its reader needs no more output.
pub fn to_stdout(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
    {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
        _ => Ok(()),
    }
}

/// Writes text to standard error. Ignores errors, because there is no other place to report them.
pub fn to_stderr(text: &str) {
    drop(io::stderr().lock().write_all(text.as_bytes()));
}
