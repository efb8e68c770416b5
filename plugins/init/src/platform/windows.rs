//! Files and command lines on Windows.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

pub use bot_cli_system::file::move_new;

/// Returns the PowerShell command with an empty standard input.
pub fn without_input(command: &str) -> String {
    format!("$null | {command}")
}

/// Returns the command that copies the contents of the folder `from` to `to`. Both paths must already be quoted.
pub fn copy_over(from: &str, to: &str) -> String {
    format!("Copy-Item -Recurse -Force {from}/* {to}")
}

/// Resolves all symbolic links in a path, omitting the `\\?\` prefix where possible.
pub fn canonicalize(path: &Path) -> io::Result<PathBuf> {
    dunce::canonicalize(path)
}

/// Creates a folder that inherits its parent's permissions.
pub fn create_private_folder(path: &Path) -> io::Result<()> {
    fs::create_dir(path)
}

/// Returns `true`. Ownership is not checked, because a user who may write to the parent folder may also write to the target.
pub const fn is_own(_: &Metadata) -> bool {
    true
}

/// Does nothing, because new files inherit the folder's permissions.
pub const fn give_to_owner_of(_: &Metadata, _: &[PathBuf]) {}

/// Flushes a file's contents to disk. Does nothing for a folder, which can't be synced: the file system's journal keeps folder entries in
/// order.
pub fn sync(path: &Path) -> io::Result<()> {
    if fs::metadata(path)?.is_dir() {
        return Ok(());
    }
    // Flushing requires write access.
    File::options().write(true).open(path)?.sync_all()
}

/// Releases the lock, then removes the lock file, because an open file can't be removed. A process that acquires the lock in between finds
/// nothing to complete.
pub fn remove_locked(file: &Path, lock: File) -> io::Result<()> {
    drop(lock);
    fs::remove_file(file)
}
