//! Finds programs that some tests need and not every system has.

use std::io;
use std::path::PathBuf;

/// Returns the first of `names` that is on `PATH`.
pub fn program(names: &[&str]) -> io::Result<PathBuf> {
    let mut found = names.iter().filter_map(|name| which::which(name).ok());
    found
        .next()
        .ok_or_else(|| io::Error::other(format!("`{}` is not on PATH", names.join("` or `"))))
}
