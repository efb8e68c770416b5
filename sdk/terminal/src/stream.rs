//! Writes to standard output and standard error.

use std::io::{self, Write};

/// Writes text to standard output. Ignores a closed pipe, because its reader needs no more output.
pub fn to_stdout(text: &str) -> io::Result<()> {
    match written(text) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
        _ => Ok(()),
    }
}

/// Writes text to standard output. Reports whether the output still has a reader. Ignores other errors.
pub fn is_read(text: &str) -> bool {
    let error = written(text).err();
    error.is_none_or(|error| error.kind() != io::ErrorKind::BrokenPipe)
}

fn written(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}

/// Writes text to standard error. Ignores errors, because there is no other place to report them.
pub fn to_stderr(text: &str) {
    drop(io::stderr().lock().write_all(text.as_bytes()));
}
