//! The folder in which changes are made ready.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::Error;
use crate::digest::sha256;
use crate::platform::{
    create_private_folder, is_one_filesystem, is_own, remove_locked, set_mode, sync,
};
use crate::side_by_side;

/// A staging folder that this process has locked. It ends with [`Staging::remove`].
#[derive(Debug)]
pub(super) struct Staging {
    path: PathBuf,
    /// Held for its lock.
    lock: File,
}

/// Returns the possible places for the staging of `target`: beside it or, if that is another filesystem or forbidden, in it.
pub(super) fn places(target: &Path) -> Vec<PathBuf> {
    let subject = first_missing(target).unwrap_or_else(|| target.to_owned());
    let mut places = Vec::new();
    if let (Some(parent), Some(name)) = (subject.parent(), subject.file_name()) {
        let digest = sha256(name.as_encoded_bytes());
        let short = &digest[..12];
        if subject != target || !target.exists() || is_one_filesystem(parent, target) {
            places.push(parent.join(format!(".bot-cli-init-{short}")));
        }
    }
    if subject == target && target.exists() {
        places.push(target.join(INSIDE));
    }
    places
}

/// The topmost part of `target` that is not there; `None`: all of it is.
pub(super) fn first_missing(target: &Path) -> Option<PathBuf> {
    target
        .ancestors()
        .take_while(|path| fs::symlink_metadata(path).is_err())
        .last()
        .map(Path::to_owned)
}

/// The journal of a staging folder.
pub(super) fn journal_in(staging: &Path) -> PathBuf {
    staging.join("journal.json")
}

/// The name of a staging folder in the target itself.
const INSIDE: &str = ".bot-cli-init-staging";

impl Staging {
    /// Makes the folder, for this user only.
    pub(super) fn create(path: &Path) -> Result<Self, Error> {
        create_private_folder(path).map_err(|error| {
            if error.kind() == io::ErrorKind::AlreadyExists {
                Error::Busy
            } else {
                Error::NoPlace(path.parent().unwrap_or(path).to_owned(), error)
            }
        })?;
        let made = lock(path).and_then(|lock| {
            let staging = Self {
                path: path.to_owned(),
                lock,
            };
            fs::create_dir(staging.new_files()).map_err(|error| Error::io(path, error))?;
            Ok(staging)
        });
        if matches!(made, Err(Error::Io(..))) {
            let _ = fs::remove_dir_all(path);
        }
        made
    }

    /// The folder of a run that has ended without removing it.
    pub(super) fn left_at(path: &Path) -> Result<Option<Self>, Error> {
        let found = match fs::symlink_metadata(path) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::io(path, error)),
        };
        if !found.is_dir() || !is_own(&found) {
            return Err(Error::Foreign);
        }
        let lock = lock(path)?;
        Ok(Some(Self {
            path: path.to_owned(),
            lock,
        }))
    }

    /// Holds the new files, with the paths that they will have.
    pub(super) fn new_files(&self) -> PathBuf {
        self.path.join("new")
    }

    /// Holds the files that are removed, until all is done.
    pub(super) fn removed_files(&self) -> PathBuf {
        self.path.join("removed")
    }

    /// Holds the files that are replaced, until all is done.
    pub(super) fn old_files(&self) -> PathBuf {
        self.path.join("old")
    }

    /// The staging folder of a note about this one.
    pub(super) fn of_note(&self) -> PathBuf {
        self.path.join("note")
    }

    pub(super) fn journal(&self) -> PathBuf {
        journal_in(&self.path)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file that will have the path `relative`, and the permissions `mode` where they are not the usual ones.
    pub(super) fn write(
        &self,
        relative: &Path,
        bytes: &[u8],
        mode: Option<u32>,
    ) -> Result<(), Error> {
        let path = self.new_files().join(relative);
        let written = || -> io::Result<()> {
            let mut file = match (File::create_new(&path), path.parent()) {
                (Err(error), Some(folder)) if error.kind() == io::ErrorKind::NotFound => {
                    fs::create_dir_all(folder)?;
                    File::create_new(&path)?
                }
                (created, _) => created?,
            };
            if let Some(mode) = mode {
                set_mode(&file, mode)?;
            }
            file.write_all(bytes)
        };
        written().map_err(|error| Error::Io(relative.to_owned(), error))
    }

    /// Makes everything that was written lasting.
    pub(super) fn sync(&self) -> Result<(), Error> {
        let synced = || -> io::Result<()> {
            let mut entries = vec![self.new_files()];
            below(&self.new_files(), &mut entries)?;
            sync_all(&entries)
        };
        synced().map_err(|error| Error::io(&self.path, error))
    }

    /// Removes the folder, the journal first: without it there is nothing to complete.
    pub(super) fn remove(self) -> Result<(), Error> {
        let path = self.path.clone();
        let removed = || -> io::Result<()> {
            ignore_missing(fs::remove_file(self.journal()))?;
            ignore_missing(remove_locked(&self.path, self.lock))
        };
        removed().map_err(|error| Error::io(&path, error))
    }
}

/// Removes a folder in a staging folder, if it is there.
pub(super) fn discard(path: &Path) -> Result<(), Error> {
    ignore_missing(fs::remove_dir_all(path)).map_err(|error| Error::io(path, error))
}

/// Creates a file that reaches the disk before this returns.
pub(super) fn write_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Side by side: a filesystem puts what arrives together into one write to the disk.
fn sync_all(entries: &[PathBuf]) -> io::Result<()> {
    const THREADS: usize = 8;
    side_by_side::map(entries, THREADS, |path| sync(path))
        .into_iter()
        .collect()
}

fn below(folder: &Path, entries: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        entries.push(entry.path());
        if entry.file_type()?.is_dir() {
            below(&entry.path(), entries)?;
        }
    }
    Ok(())
}

fn lock(path: &Path) -> Result<File, Error> {
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path.join("lock"))
        .map_err(|error| Error::io(path, error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Error::Busy),
        Err(TryLockError::Error(error)) => Err(Error::io(path, error)),
    }
}

fn ignore_missing(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}
