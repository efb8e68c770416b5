//! The Windows implementation.
//!
//! Owners and access control lists are neither set nor checked. Files inherit the permissions of their folder. By default, only the user
//! and administrators can access the folders of a user profile.

use std::fs::{self, Metadata, OpenOptions};
use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use tempfile::NamedTempFile;

/// The time limit for retrying a rename, which fails while a virus scanner has the new file open.
const PATIENCE: Duration = Duration::from_secs(2);

const TICK: Duration = Duration::from_millis(10);

/// Creates a folder and its parents.
pub fn create_private_folders(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

/// Does nothing, because new files inherit the permissions of their folder.
#[expect(clippy::unnecessary_wraps, reason = "the same on every system")]
pub const fn give_to_owner(_new: &Path) -> io::Result<()> {
    Ok(())
}

/// Returns the default options, because new files inherit the permissions of their folder.
pub fn private_file() -> OpenOptions {
    OpenOptions::new()
}

/// Replaces `path` with the temporary file, even while other processes read the old file.
pub fn put_in_place(temporary: NamedTempFile, path: &Path) -> io::Result<()> {
    let kept = temporary.into_temp_path().keep();
    let from = kept.map_err(|error| error.error)?;
    let deadline = Instant::now() + PATIENCE;
    loop {
        match fs::rename(&from, path) {
            Err(error)
                if error.kind() == io::ErrorKind::PermissionDenied && Instant::now() < deadline =>
            {
                thread::sleep(TICK);
            }
            Err(error) => {
                // The file may contain secrets.
                let _ = fs::remove_file(&from);
                return Err(error);
            }
            Ok(()) => return Ok(()),
        }
    }
}

/// Does nothing, because the file system's journal makes renames durable and Windows can't sync a folder.
#[expect(clippy::unnecessary_wraps, reason = "it fails on other systems")]
pub const fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Returns `None`, because Windows files have no Unix mode.
pub fn readable_by_others(path: &Path) -> io::Result<Option<u32>> {
    fs::metadata(path).map(|_| None)
}

/// Returns `None`, because Windows files have no Unix mode.
pub const fn writable_by_others(_: &Metadata) -> Option<u32> {
    None
}

/// Returns `None`, because owners are not checked on Windows.
pub const fn foreign_owner(_: &Metadata) -> Option<u32> {
    None
}
