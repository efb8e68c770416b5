//! Files and folders of the data folder, on the way to the disk.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use bot_cli_sdk::failure::{Exit, Failure, reason};

use crate::platform;
pub use crate::platform::{
    create_folders, exchange, lock_file, make_executable, private_folders, sync_folder,
};

/// The names of private folders begin with it.
pub const STAGING: &str = ".adding-";

/// The names of records that are being written begin with it.
pub const WRITING: &str = ".plugins.lock-";

/// The name of an old folder begins with it, where the system can't exchange two folders in one step.
pub const OLD: &str = ".old-";

/// Removes what a process left behind that was killed, and puts back an old folder for which there is no new one.
pub fn sweep(folder: &Path, packs: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        // What can't be removed is in nobody's way.
        if name.starts_with(STAGING) {
            let _ = fs::remove_dir_all(entry.path());
        } else if name.starts_with(WRITING) {
            let _ = fs::remove_file(entry.path());
        }
    }
    for entry in fs::read_dir(packs).into_iter().flatten().flatten() {
        if let Some(name) = entry.file_name().to_string_lossy().strip_prefix(OLD) {
            let place = packs.join(name);
            if fs::symlink_metadata(&place).is_ok() {
                let _ = fs::remove_dir_all(entry.path());
            } else {
                let _ = fs::rename(entry.path(), place);
            }
        }
    }
}

/// Copies what `read` brings into a new file, which is on the disk afterwards.
pub fn write(
    path: &Path,
    mode: u32,
    copy: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        create_folders(folder)?;
    }
    let mut file = platform::create_file(path, mode)?;
    copy(&mut file)?;
    file.sync_all()
}

/// The failure of a change that is not made.
pub fn not_written(path: &Path, error: io::Error) -> Failure {
    let message = format!(
        "could not write `{}`: {}; nothing was changed",
        path.display(),
        reason(&error)
    );
    Failure::new(Exit::Failed, "not_written", message).caused_by(error)
}
