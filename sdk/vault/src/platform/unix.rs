use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, lchown};
use std::path::Path;

use tempfile::NamedTempFile;

/// Creates a folder and its parents, accessible only to their owner.
pub fn create_private_folders(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Gives a file or folder created by root to the owner of its parent folder, so that `sudo` doesn't lock the user out.
pub fn give_to_owner(new: &Path) -> io::Result<()> {
    let folder = fs::metadata(new.parent().unwrap_or(Path::new("/")))?;
    if rustix::process::geteuid().is_root() && folder.uid() != 0 {
        lchown(new, Some(folder.uid()), Some(folder.gid()))?;
    }
    Ok(())
}

/// Returns options that create a file accessible only to its owner.
pub fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.mode(0o600);
    options
}

pub fn put_in_place(temporary: NamedTempFile, path: &Path) -> io::Result<()> {
    let renamed = temporary.persist(path);
    renamed.map(drop).map_err(|error| error.error)
}

pub fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Returns the file's mode if other users can access the file, otherwise `None`.
pub fn readable_by_others(path: &Path) -> io::Result<Option<u32>> {
    Ok(mode_with(&fs::metadata(path)?, 0o077))
}

/// Returns the mode of a file or folder if other users can write to it, otherwise `None`.
pub fn writable_by_others(found: &Metadata) -> Option<u32> {
    mode_with(found, 0o022)
}

/// Returns the owner's user ID if the owner is neither this user nor root. Always returns `None` for root.
pub fn foreign_owner(found: &Metadata) -> Option<u32> {
    let user = rustix::process::geteuid().as_raw();
    let owner = found.uid();
    (user != 0 && owner != user && owner != 0).then_some(owner)
}

fn mode_with(found: &Metadata, bits: u32) -> Option<u32> {
    let mode = found.permissions().mode() & 0o777;
    (mode & bits != 0).then_some(mode)
}
