//! Windows.

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Whether the system starts a file that begins with `#!`.
pub const STARTS_SCRIPTS: bool = false;

/// Creates a file that is not there yet. It has the rights of its folder.
pub fn create_file(path: &Path, _mode: u32) -> io::Result<File> {
    File::create_new(path)
}

/// Opens a file to lock it. It is made if it is not there.
pub fn lock_file(path: &Path) -> io::Result<File> {
    File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)
}

/// Creates a folder and those above it. They have the rights of the folder that they are in.
pub fn create_folders(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

/// Makes temporary folders. They have the rights of the folder that they are in.
pub fn private_folders() -> tempfile::Builder<'static, 'static> {
    tempfile::Builder::new()
}

/// Fails: no single step exchanges two folders.
pub fn exchange(_one: &Path, _other: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Does nothing: what the name of a file ends in says whether it is run.
#[expect(clippy::unnecessary_wraps, reason = "it fails on other systems")]
pub fn make_executable(_path: &Path) -> io::Result<()> {
    Ok(())
}

/// Does nothing: a rename is on the disk when it is done.
#[expect(clippy::unnecessary_wraps, reason = "it fails on other systems")]
pub fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}
