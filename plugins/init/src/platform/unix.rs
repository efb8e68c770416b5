//! Files and command lines on Unix.

use std::fs::{self, DirBuilder, File, Metadata};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, lchown};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

pub fn without_input(command: &str) -> String {
    format!("{command} </dev/null")
}

/// Returns the command that copies the contents of the folder `from` to `to`. Both paths must already be quoted.
pub fn copy_over(from: &str, to: &str) -> String {
    format!("cp -R {from}/. {to}")
}

pub fn canonicalize(path: &Path) -> io::Result<PathBuf> {
    fs::canonicalize(path)
}

pub fn create_private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}

pub fn is_own(found: &Metadata) -> bool {
    found.uid() == rustix::process::geteuid().as_raw()
}

/// Changes the owner of `files` to the owner of `folder`, if root runs this program in another user's folder. Errors are ignored.
pub fn give_to_owner_of(folder: &Metadata, files: &[PathBuf]) {
    if rustix::process::geteuid().is_root() && !is_own(folder) {
        for file in files {
            let _ = lchown(file, Some(folder.uid()), Some(folder.gid()));
        }
    }
}

pub fn sync(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

pub fn remove_locked(file: &Path, lock: File) -> io::Result<()> {
    let removed = fs::remove_file(file);
    drop(lock);
    removed
}

/// Renames a file or folder without replacing an existing one.
pub fn move_new(from: &Path, to: &Path) -> io::Result<()> {
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // Some filesystems do not support the flag.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => match fs::symlink_metadata(to) {
            Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
            Err(_) => fs::rename(from, to),
        },
        other => Ok(other?),
    }
}
