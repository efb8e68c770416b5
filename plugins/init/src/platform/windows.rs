//! Windows.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

pub use bot_cli_system::file::move_new;

/// The command with nothing on its standard input, for PowerShell.
pub fn without_input(command: &str) -> String {
    format!("$null | {command}")
}

/// The command that copies everything in the folder `from` over what is in `to`; both are quoted.
pub fn copy_over(from: &str, to: &str) -> String {
    format!("Copy-Item -Recurse -Force {from}/* {to}")
}

/// The path of what is at `path`, without symbolic links, in the form that people know where it has one.
pub fn canonicalize(path: &Path) -> io::Result<PathBuf> {
    dunce::canonicalize(path)
}

/// Creates a folder with the rights of the one that it is in.
pub fn create_private_folder(path: &Path) -> io::Result<()> {
    fs::create_dir(path)
}

/// Whether a file or a folder belongs to the user of this process. Owners are not looked at: who may write to the folder that it is
/// in may write to the target.
pub const fn is_own(_: &Metadata) -> bool {
    true
}

/// Gives files to the owner of a folder: they are as much theirs as that.
pub const fn give_to_owner_of(_: &Metadata, _: &[PathBuf]) {}

/// Makes a file's contents lasting. The entries of a folder can't be synced: the file system's journal keeps them in order.
pub fn sync(path: &Path) -> io::Result<()> {
    if fs::metadata(path)?.is_dir() {
        return Ok(());
    }
    // Only who may write may sync.
    File::options().write(true).open(path)?.sync_all()
}

/// Removes the file of a `lock`. A file that is open stays, so the lock ends before it: whoever comes then finds nothing to complete.
pub fn remove_locked(file: &Path, lock: File) -> io::Result<()> {
    drop(lock);
    fs::remove_file(file)
}
