//! Programs that a test needs beside those of every system.

use std::io;
use std::path::PathBuf;

/// The first of `names` that is on the path.
pub fn program(names: &[&str]) -> io::Result<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<_> = std::env::split_paths(&path).collect();
    names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|file| file.is_file())
        .ok_or_else(|| io::Error::other(format!("`{}` is not on PATH", names.join("` or `"))))
}
