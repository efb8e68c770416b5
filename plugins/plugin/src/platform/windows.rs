//! Files and folders on Windows, which inherit the permissions of their parent folder.

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Whether the system can execute files that begin with `#!`.
pub const STARTS_SCRIPTS: bool = false;

/// Creates a new file. Windows recognizes a program by its extension.
pub fn create_program(path: &Path) -> io::Result<File> {
    File::create_new(path)
}

/// Opens a lock file, creating it if it doesn't exist.
pub fn lock_file(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.create(true).truncate(false).write(true).open(path)
}

pub fn create_folders(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

pub fn private_folders() -> tempfile::Builder<'static, 'static> {
    tempfile::Builder::new()
}

/// Does nothing, because a file inherits its folder's permissions.
#[expect(clippy::unnecessary_wraps, reason = "it fails on other systems")]
pub fn share(_path: &Path, _is_program: bool) -> io::Result<()> {
    Ok(())
}
