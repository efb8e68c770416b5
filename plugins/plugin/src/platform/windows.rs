//! Windows, where files and folders have the rights of the folder that they are in.

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Whether the system starts a file that begins with `#!`.
pub const STARTS_SCRIPTS: bool = false;

/// Creates a file that is not there yet. Windows runs it by the ending of its name.
pub fn create_program(path: &Path) -> io::Result<File> {
    File::create_new(path)
}

/// Opens a file to lock it. It is made if it is not there.
pub fn lock_file(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.create(true).truncate(false).write(true).open(path)
}

/// Creates a folder and those above it.
pub fn create_folders(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

/// Makes temporary folders.
pub fn private_folders() -> tempfile::Builder<'static, 'static> {
    tempfile::Builder::new()
}

/// Does nothing.
#[expect(clippy::unnecessary_wraps, reason = "it fails on other systems")]
pub fn share(_path: &Path, _is_program: bool) -> io::Result<()> {
    Ok(())
}
