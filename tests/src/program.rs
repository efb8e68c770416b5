//! Programs that a test needs beside those of every system.

use std::io;
use std::path::PathBuf;

/// The first of `names` that is on the path.
pub fn program(names: &[&str]) -> io::Result<PathBuf> {
    let mut found = names.iter().filter_map(|name| which::which(name).ok());
    found
        .next()
        .ok_or_else(|| io::Error::other(format!("`{}` is not on PATH", names.join("` or `"))))
}
