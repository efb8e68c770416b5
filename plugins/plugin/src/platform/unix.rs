//! Files and folders of added plugins on Unix.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// Whether the system can execute files that begin with `#!`.
pub const STARTS_SCRIPTS: bool = true;

/// Creates a new file that everyone can execute, subject to the umask.
pub fn create_program(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o777).open(path)
}

/// Opens a lock file, creating it if it doesn't exist. A new file is accessible only to its owner.
pub fn lock_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    options.mode(0o600).open(path)
}

/// Creates a folder and its parents. The folders are writable only by their owner, regardless of the umask.
pub fn create_folders(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o755).create(path)
}

/// Returns a builder for temporary folders that only their owner can access, regardless of the umask.
pub fn private_folders() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.permissions(Permissions::from_mode(0o700));
    builder
}

/// Makes a file readable by everyone and writable only by its owner. A program is also executable by everyone.
pub fn share(path: &Path, is_program: bool) -> io::Result<()> {
    let mode = if is_program { 0o755 } else { 0o644 };
    fs::set_permissions(path, Permissions::from_mode(mode))
}
