//! The folder in which changes are made ready.

use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::Error;
use crate::digest::sha256;
use crate::platform::{create_private_folder, give_to_owner_of, is_own, remove_locked, sync};
use crate::side_by_side;

/// A staging folder that this process has locked. It ends with [`Staging::remove`].
#[derive(Debug)]
pub(super) struct Staging {
    path: PathBuf,
    /// Held for its lock.
    lock: File,
}

/// Returns the place for the staging of `target`: in it, where it stays with the project, or beside what is not there yet.
pub(super) fn place(target: &Path) -> PathBuf {
    first_missing(target).map_or_else(|| target.join(INSIDE), |root| beside(&root))
}

/// Returns the places where an earlier run may have left its staging folder: `target` may not have been there then.
pub(super) fn places(target: &Path) -> Vec<PathBuf> {
    match first_missing(target) {
        Some(root) => vec![beside(&root)],
        None => vec![beside(target), target.join(INSIDE)],
    }
}

fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default();
    let digest = sha256(name.as_encoded_bytes());
    path.with_file_name(format!(".bot-cli-init-{}", &digest[..12]))
}

/// Whether a folder has no journal, whoever made it. One that this user may not enter may have one.
pub(super) fn lacks_journal(folder: &Path) -> bool {
    let journal = fs::symlink_metadata(folder.join(JOURNAL));
    journal.is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

/// The topmost part of `target` that is not there; `None`: all of it is.
pub(super) fn first_missing(target: &Path) -> Option<PathBuf> {
    target
        .ancestors()
        .take_while(|path| fs::symlink_metadata(path).is_err())
        .last()
        .map(Path::to_owned)
}

/// The name of a staging folder in the target itself.
const INSIDE: &str = ".bot-cli-init-staging";

/// The record that an update in progress is to end with, from the target.
pub(super) const BEGUN: &str = ".bot-cli-init-staging/update.json";

/// The journal of a staging folder.
const JOURNAL: &str = "journal.json";

/// The file by which a staging folder is known. It is the first to come and the last to go, so that at no time the folder is there for
/// version control.
const MARK: &str = ".gitignore";

/// The text of that file.
const MARK_TEXT: &str = "# bot-cli init makes its changes ready in this folder.\n*\n";

/// The file that is locked.
const LOCK: &str = "lock";

impl Staging {
    /// Makes the folder, for this user only.
    pub(super) fn create(path: &Path) -> Result<Self, Error> {
        create_private_folder(path).map_err(|error| {
            if error.kind() != io::ErrorKind::AlreadyExists {
                return Error::io(path.parent().unwrap_or(path), error);
            }
            match Self::left_at(path) {
                Ok(None) if fs::symlink_metadata(path).is_ok() => Error::Foreign,
                // The other run has just ended.
                Ok(_) => Error::Busy,
                Err(error) => error,
            }
        })?;
        let made = Self::fill(path);
        match made {
            // Another run took the folder for one that was left, which it was not yet to be told from.
            Err(Error::Io(_, error)) if error.kind() == io::ErrorKind::NotFound => Err(Error::Busy),
            Err(Error::Io(..)) => {
                let _ = fs::remove_dir_all(path);
                made
            }
            made => made,
        }
    }

    fn fill(path: &Path) -> Result<Self, Error> {
        let explain = |error| Error::io(path, error);
        fs::write(path.join(MARK), MARK_TEXT).map_err(explain)?;
        let staging = Self {
            path: path.to_owned(),
            lock: lock(path)?,
        };
        fs::create_dir(staging.new_files()).map_err(explain)?;
        Ok(staging)
    }

    /// The folder of a run that has ended without removing it. What is not provably such a folder is left alone. It may have come with a
    /// project of somebody else's, so that no link in it may lead out of it.
    pub(super) fn left_at(path: &Path) -> Result<Option<Self>, Error> {
        let found = match fs::symlink_metadata(path) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::io(path, error)),
        };
        if found.is_dir() && !is_own(&found) && path.ends_with(INSIDE) {
            return Err(Error::Others);
        }
        if !found.is_dir() || !is_own(&found) || !is_marked(path) {
            return Ok(None);
        }
        match is_plain(path) {
            Ok(true) => {}
            Ok(false) => return Ok(None),
            // It is going with the run that has just ended.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(Error::Busy),
            Err(error) => return Err(Error::io(path, error)),
        }
        Ok(Some(Self {
            path: path.to_owned(),
            lock: lock(path)?,
        }))
    }

    /// Holds the new files, with the paths that they will have.
    pub(super) fn new_files(&self) -> PathBuf {
        self.path.join("new")
    }

    /// Holds the files that are removed or taken back, until all is done.
    pub(super) fn removed_files(&self) -> PathBuf {
        self.path.join("removed")
    }

    pub(super) fn journal(&self) -> PathBuf {
        self.path.join(JOURNAL)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Creates a file in the folder, whole or not at all.
    pub(super) fn put(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let draft = path.with_extension("draft");
        write_synced(&draft, bytes)?;
        fs::rename(&draft, path)?;
        sync(&self.path)
    }

    /// Writes a file that will have the path `relative`.
    pub(super) fn write(&self, relative: &Path, bytes: &[u8]) -> Result<(), Error> {
        let path = self.new_files().join(relative);
        let written = || -> io::Result<()> {
            let mut file = match (File::create_new(&path), path.parent()) {
                (Err(error), Some(folder)) if error.kind() == io::ErrorKind::NotFound => {
                    fs::create_dir_all(folder)?;
                    File::create_new(&path)?
                }
                (created, _) => created?,
            };
            file.write_all(bytes)
        };
        written().map_err(|error| Error::Io(relative.to_owned(), error))
    }

    /// Makes everything that was written lasting. It belongs to whom the target belongs.
    pub(super) fn sync(&self, target: &Path) -> Result<(), Error> {
        let synced = || -> io::Result<()> {
            let mut entries = vec![self.path.join(MARK), self.new_files()];
            below(&self.new_files(), &mut entries)?;
            if let Ok(target) = fs::metadata(target) {
                give_to_owner_of(&target, &entries[2..]);
            }
            sync_all(&entries)
        };
        synced().map_err(|error| Error::io(&self.path, error))
    }

    /// Removes the folder, the journal first: without it there is nothing to complete. Until the end it is known as ours.
    pub(super) fn remove(self) -> Result<(), Error> {
        let path = self.path.clone();
        let removed = || -> io::Result<()> {
            ignore_missing(fs::remove_file(self.journal()))?;
            for entry in fs::read_dir(&self.path)? {
                let entry = entry?;
                if entry.file_type()?.is_dir() {
                    fs::remove_dir_all(entry.path())?;
                } else if ![MARK, LOCK].map(OsStr::new).contains(&&*entry.file_name()) {
                    fs::remove_file(entry.path())?;
                }
            }
            ignore_missing(remove_locked(&self.path.join(LOCK), self.lock))?;
            ignore_missing(fs::remove_dir_all(&self.path))
        };
        removed().map_err(|error| Error::io(&path, error))
    }
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
    let name = path.join(LOCK);
    let mut options = File::options();
    let opened = options.create(true).truncate(false).write(true).open(&name);
    let file = opened.or_else(|error| {
        if error.kind() == io::ErrorKind::ReadOnlyFilesystem {
            // To look is allowed.
            File::open(&name)
        } else {
            Err(error)
        }
    });
    let file = file.map_err(|error| Error::io(path, error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Error::Busy),
        Err(TryLockError::Error(error)) => Err(Error::io(path, error)),
    }
}

/// Whether a folder says that it is a staging folder. A run that was killed before it had said so has written nothing else.
fn is_marked(folder: &Path) -> bool {
    let Ok(entries) = fs::read_dir(folder).map(Iterator::count) else {
        return false;
    };
    let mark = folder.join(MARK);
    let is_file = fs::symlink_metadata(&mark).is_ok_and(|mark| mark.is_file());
    let mut text = String::new();
    let read = File::open(&mark).and_then(|mark| {
        let mut start = mark.take(MARK_TEXT.len() as u64 + 1);
        start.read_to_string(&mut text)
    });
    match entries {
        0 => true,
        1 => is_file && read.is_ok() && MARK_TEXT.starts_with(&text),
        _ => is_file && read.is_ok() && text == MARK_TEXT,
    }
}

/// Whether a folder holds nothing but files and folders.
fn is_plain(folder: &Path) -> io::Result<bool> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        let plain = kind.is_file() || kind.is_dir() && is_plain(&entry.path())?;
        if !plain {
            return Ok(false);
        }
    }
    Ok(true)
}

fn ignore_missing(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}
