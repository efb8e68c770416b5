//! Unix.

use std::fs::{self, DirBuilder, File, Metadata};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, lchown};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

/// The command with nothing on its standard input.
pub fn without_input(command: &str) -> String {
    format!("{command} </dev/null")
}

/// The command that copies everything in the folder `from` over what is in `to`; both are quoted.
pub fn copy_over(from: &str, to: &str) -> String {
    format!("cp -R {from}/. {to}")
}

/// The path of what is at `path`, without symbolic links.
pub fn canonicalize(path: &Path) -> io::Result<PathBuf> {
    fs::canonicalize(path)
}

/// Creates a folder that only this user can enter.
pub fn create_private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}

/// Whether a file or a folder belongs to the user of this process.
pub fn is_own(found: &Metadata) -> bool {
    found.uid() == rustix::process::geteuid().as_raw()
}

/// Gives files to the owner of `folder`, for whom root works in there. Where root may not, they stay root's.
pub fn give_to_owner_of(folder: &Metadata, files: &[PathBuf]) {
    if rustix::process::geteuid().is_root() && !is_own(folder) {
        for file in files {
            let _ = lchown(file, Some(folder.uid()), Some(folder.gid()));
        }
    }
}

/// Makes a file's contents lasting, or a folder's entries.
pub fn sync(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Removes the file of a `lock`, which ends after that.
pub fn remove_locked(file: &Path, lock: File) -> io::Result<()> {
    let removed = fs::remove_file(file);
    drop(lock);
    removed
}

/// A rename that never replaces anything.
pub fn move_new(from: &Path, to: &Path) -> io::Result<()> {
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // Some filesystems can't promise it.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => match fs::symlink_metadata(to) {
            Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
            Err(_) => fs::rename(from, to),
        },
        other => Ok(other?),
    }
}
