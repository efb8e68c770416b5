//! A place in the target, reached without ever going through a symbolic link.

use std::fs::{File, Permissions};
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::fs::{
    AtFlags, CWD, Mode, OFlags, RenameFlags, openat, renameat, renameat_with, statat, unlinkat,
};
use rustix::io::Errno;

/// A name in a folder that is held open: whatever happens to the path, it stays the same folder.
#[derive(Debug)]
pub struct AnchoredPath<'a> {
    folder: OwnedFd,
    name: &'a str,
}

impl<'a> AnchoredPath<'a> {
    /// The place `path` in `target`. The target itself may be reached through a link, nothing in it may.
    pub fn open(target: &Path, path: &'a str) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let mut folder = openat(CWD, target, flags, Mode::empty())?;
        let (parents, name) = path.rsplit_once('/').unwrap_or(("", path));
        for parent in parents.split('/').filter(|part| !part.is_empty()) {
            folder = openat(&folder, parent, flags | OFlags::NOFOLLOW, Mode::empty())
                .map_err(not_followed)?;
        }
        Ok(Self { folder, name })
    }

    /// The contents of the regular file that is here; anything else is `AlreadyExists`.
    pub fn read(&self) -> io::Result<(Vec<u8>, Permissions)> {
        // Without NONBLOCK a named pipe would hold us up.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = openat(&self.folder, self.name, flags, Mode::empty()).map_err(not_followed)?;
        let mut file = File::from(file);
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
        move_new_at(from, self.folder.as_fd(), Path::new(self.name))
    }

    /// Moves `from` here, in the place of what is here.
    pub fn receive(&self, from: &Path) -> io::Result<()> {
        Ok(renameat(CWD, from, &self.folder, self.name)?)
    }

    /// Moves what is here to `to`.
    pub fn give(&self, to: &Path) -> io::Result<()> {
        Ok(renameat(&self.folder, self.name, CWD, to)?)
    }

    /// Removes the folder that is here if there is nothing in it.
    pub fn remove_empty_folder(&self) -> io::Result<()> {
        Ok(unlinkat(&self.folder, self.name, AtFlags::REMOVEDIR)?)
    }
}

/// A rename that never replaces anything.
pub fn move_new(from: &Path, to: &Path) -> io::Result<()> {
    move_new_at(from, CWD, to)
}

fn move_new_at(from: &Path, folder: std::os::fd::BorrowedFd<'_>, to: &Path) -> io::Result<()> {
    match renameat_with(CWD, from, folder, to, RenameFlags::NOREPLACE) {
        // Some filesystems can't promise it.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            match statat(folder, to, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
                Err(_) => Ok(renameat(CWD, from, folder, to)?),
            }
        }
        other => Ok(other?),
    }
}

/// A link where a folder or a file was is something that somebody else has put there.
fn not_followed(error: Errno) -> io::Error {
    match error {
        Errno::LOOP | Errno::MLINK | Errno::NOTDIR => io::ErrorKind::NotADirectory.into(),
        other => other.into(),
    }
}
