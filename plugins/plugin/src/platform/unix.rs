//! Files and folders on Unix.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// Whether the system starts files that begin with `#!`.
pub const STARTS_SCRIPTS: bool = true;

/// Creates a new file that everyone may run, as far as the umask allows.
pub fn create_program(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o777).open(path)
}

/// Opens a lock file, which only its owner can open. Creates the file if it doesn't exist.
pub fn lock_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    options.mode(0o600).open(path)
}

/// Creates a folder and its parents. Only their owner can change them, whatever the umask is.
pub fn create_folders(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o755).create(path)
}

/// Returns a builder of temporary folders that only their owner can enter, whatever the umask is.
pub fn private_folders() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.permissions(Permissions::from_mode(0o700));
    builder
}

/// Makes a file readable by everyone and writable only by its owner. Everyone may run a program.
pub fn share(path: &Path, is_program: bool) -> io::Result<()> {
    let mode = if is_program { 0o755 } else { 0o644 };
    fs::set_permissions(path, Permissions::from_mode(mode))
}
