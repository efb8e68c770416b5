//! A place in the target, reached without ever going through a symbolic link or a junction.

use std::fs::{self, File, Permissions};
use std::io::{self, Read};
use std::os::windows::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use windows_sys::Win32::Storage::FileSystem::{
    FILE_FLAG_BACKUP_SEMANTICS, FILE_FLAG_OPEN_REPARSE_POINT, FILE_LIST_DIRECTORY, FILE_SHARE_READ,
    FILE_SHARE_WRITE,
};

/// A name in a folder. All folders from the target to it are held open, so that nobody can move or replace one of them.
#[derive(Debug)]
pub struct AnchoredPath {
    _folders: Vec<File>,
    path: PathBuf,
}

impl AnchoredPath {
    /// The place `path` in `target`. The target itself may be reached through a link, nothing in it may.
    pub fn open(target: &Path, path: &str) -> io::Result<Self> {
        let mut folder = target.to_owned();
        let mut folders = vec![hold(&folder, 0)?];
        let (parents, name) = path.rsplit_once('/').unwrap_or(("", path));
        for parent in parents.split('/').filter(|part| !part.is_empty()) {
            folder.push(parent);
            folders.push(hold(&folder, FILE_FLAG_OPEN_REPARSE_POINT)?);
        }
        folder.push(name);
        Ok(Self {
            _folders: folders,
            path: folder,
        })
    }

    /// The contents of the regular file that is here; anything else is `AlreadyExists`.
    pub fn read(&self) -> io::Result<(Vec<u8>, Permissions)> {
        let found = fs::symlink_metadata(&self.path)?;
        if !found.is_file() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let mut file = File::options()
            .read(true)
            .custom_flags(FILE_FLAG_OPEN_REPARSE_POINT)
            .open(&self.path)?;
        let found = file.metadata()?;
        if !found.is_file() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let mut contents = Vec::new();
        file.read_to_end(&mut contents)?;
        Ok((contents, found.permissions()))
    }

    /// Moves `from` here; `AlreadyExists` when something is here already.
    pub fn receive_new(&self, from: &Path) -> io::Result<()> {
        move_new(from, &self.path)
    }

    /// Moves `from` here, in the place of what is here.
    pub fn receive(&self, from: &Path) -> io::Result<()> {
        fs::rename(from, &self.path)
    }

    /// Moves what is here to `to`.
    pub fn give(&self, to: &Path) -> io::Result<()> {
        fs::rename(&self.path, to)
    }

    /// Removes the folder that is here if there is nothing in it.
    pub fn remove_empty_folder(&self) -> io::Result<()> {
        if !fs::symlink_metadata(&self.path)?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        fs::remove_dir(&self.path)
    }
}

/// A rename that never replaces anything.
pub fn move_new(from: &Path, to: &Path) -> io::Result<()> {
    bot_cli_system::file::move_new(from, to)
}

/// Opens a folder so that nobody can rename or remove it. A link in its place is something that somebody else has put there.
fn hold(folder: &Path, more_flags: u32) -> io::Result<File> {
    let held = File::options()
        .access_mode(FILE_LIST_DIRECTORY)
        .share_mode(FILE_SHARE_READ | FILE_SHARE_WRITE)
        .custom_flags(FILE_FLAG_BACKUP_SEMANTICS | more_flags)
        .open(folder)?;
    if held.metadata()?.is_dir() {
        Ok(held)
    } else {
        Err(io::ErrorKind::NotADirectory.into())
    }
}
