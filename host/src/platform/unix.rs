//! Unix.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use rustix::fs::{CWD, RenameFlags, renameat_with};

/// Whether the system starts a file that begins with `#!`.
pub const STARTS_SCRIPTS: bool = true;

/// Creates a file that is not there yet, with these rights.
pub fn create_file(path: &Path, mode: u32) -> io::Result<File> {
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(path)
}

/// Opens a file to lock it, which only its owner can do. It is made if it is not there.
pub fn lock_file(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .open(path)
}

/// Creates a folder and those above it, which only their owner can change, whatever the umask is.
pub fn create_folders(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o755).create(path)
}

/// Makes temporary folders that are closed to everybody else, whatever the umask is.
pub fn private_folders() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.permissions(Permissions::from_mode(0o700));
    builder
}

/// Exchanges two files or folders in one step.
pub fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}

/// Lets everybody run a file, and only its owner change it, whatever the umask is.
pub fn make_executable(path: &Path) -> io::Result<()> {
    fs::set_permissions(path, Permissions::from_mode(0o755))
}

/// Writes the entries of a folder to the disk.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}
