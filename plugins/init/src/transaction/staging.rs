//! The staging folder, where changes are prepared.

use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use bot_cli_protocol::failure::{Exit, Failure};

use super::{busy, unwritten};
use crate::digest::sha256;
use crate::platform::{create_private_folder, give_to_owner_of, is_own, remove_locked, sync};
use crate::side_by_side;

/// A staging folder locked by this process. [`Staging::remove`] deletes the folder.
#[derive(Debug)]
pub(super) struct Staging {
    path: PathBuf,
    lock: File,
}

/// Returns the path for the staging folder: inside `target`, or next to the topmost missing folder if `target` does not exist.
pub(super) fn place(target: &Path) -> PathBuf {
    first_missing(target).map_or_else(|| target.join(INSIDE), |root| beside(&root))
}

/// Returns the possible paths of an earlier run's staging folder. The run may have started before `target` existed.
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

/// Returns the topmost missing folder on the path to `target`, or `None` if `target` exists.
pub(super) fn first_missing(target: &Path) -> Option<PathBuf> {
    target
        .ancestors()
        .take_while(|path| fs::symlink_metadata(path).is_err())
        .last()
        .map(Path::to_owned)
}

const INSIDE: &str = ".bot-cli-init-staging";

/// The path, relative to the target, of the record that an update in progress will write last.
pub(super) const BEGUN: &str = ".bot-cli-init-staging/update.json";

pub(super) const JOURNAL: &str = "journal.json";

/// The file that identifies a staging folder. Version control always ignores the folder, because this file is created first and removed
/// last.
const MARK: &str = ".gitignore";

const MARK_TEXT: &str = "# bot-cli init makes its changes ready in this folder.\n*\n";

const LOCK: &str = "lock";

impl Staging {
    /// Creates the folder, accessible only to the current user.
    pub(super) fn create(path: &Path) -> Result<Self, Failure> {
        create_private_folder(path).map_err(|error| {
            if error.kind() != io::ErrorKind::AlreadyExists {
                return unwritten(path.parent().unwrap_or(path), error);
            }
            match Self::left_at(path) {
                Ok(None) => foreign(path),
                // The other run has just ended.
                Ok(Some(_)) => busy(path),
                Err(failure) => failure,
            }
        })?;
        let filled = || -> io::Result<()> {
            fs::write(path.join(MARK), MARK_TEXT)?;
            fs::create_dir(path.join("new"))?;
            fs::create_dir(path.join("removed"))
        };
        filled().map_err(|error| {
            let _ = fs::remove_dir_all(path);
            unwritten(path, error)
        })?;
        Self::lock(path)
    }

    /// Opens and locks a staging folder that an earlier run left behind. Returns `None` for any other folder. A folder that contains
    /// symbolic links is never accepted, because links in a malicious project could lead outside the project.
    pub(super) fn left_at(path: &Path) -> Result<Option<Self>, Failure> {
        let is_ours = fs::symlink_metadata(path).and_then(|found| {
            Ok(found.is_dir() && is_own(&found) && is_marked(path) && is_plain(path)?)
        });
        match is_ours {
            Ok(true) => Self::lock(path).map(Some),
            Ok(false) => Ok(None),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(unwritten(path, error)),
        }
    }

    fn lock(path: &Path) -> Result<Self, Failure> {
        let mut options = File::options();
        let opened = (options.create(true).truncate(false).write(true)).open(path.join(LOCK));
        let lock = opened.map_err(|error| unwritten(path, error))?;
        match lock.try_lock() {
            Ok(()) => Ok(Self {
                path: path.to_owned(),
                lock,
            }),
            Err(TryLockError::WouldBlock) => Err(busy(path)),
            Err(TryLockError::Error(error)) => Err(unwritten(path, error)),
        }
    }

    /// Returns the folder for new files, which has the same layout as the target.
    pub(super) fn new_files(&self) -> PathBuf {
        self.path.join("new")
    }

    pub(super) fn removed(&self, name: &str) -> PathBuf {
        self.path.join("removed").join(name)
    }

    pub(super) fn journal(&self) -> PathBuf {
        self.path.join(JOURNAL)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Creates a file in the staging folder, completely or not at all.
    pub(super) fn put(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let draft = path.with_extension("draft");
        let mut file = File::create_new(&draft)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&draft, path)?;
        sync(&self.path)
    }

    /// Stages a new file at the path `relative` in [`new_files`](Self::new_files).
    pub(super) fn write(&self, relative: &Path, bytes: &[u8]) -> Result<(), Failure> {
        let path = self.new_files().join(relative);
        let written = || -> io::Result<()> {
            fs::create_dir_all(path.parent().unwrap_or(&path))?;
            File::create_new(&path)?.write_all(bytes)
        };
        written().map_err(|error| unwritten(relative, error))
    }

    /// Flushes all staged files to disk, and changes their owner to the target's owner.
    pub(super) fn sync(&self, target: &Path) -> Result<(), Failure> {
        // In parallel, since a filesystem combines simultaneous requests.
        const THREADS: usize = 8;
        let synced = || -> io::Result<()> {
            let mut entries = vec![self.path.join(MARK), self.new_files()];
            below(&self.new_files(), &mut entries)?;
            if let Ok(target) = fs::metadata(target) {
                give_to_owner_of(&target, &entries[2..]);
            }
            let synced = side_by_side::map(&entries, THREADS, |path| sync(path));
            synced.into_iter().collect()
        };
        synced().map_err(|error| unwritten(&self.path, error))
    }

    /// Empties the folder for a new run, but keeps the record of an interrupted update.
    pub(super) fn cleared(self) -> Result<Self, Failure> {
        let cleared = || -> io::Result<()> {
            let begun = Path::new(BEGUN).file_name().unwrap_or_default();
            self.remove_all_but(begun)?;
            fs::write(self.path.join(MARK), MARK_TEXT)?;
            fs::create_dir(self.new_files())?;
            fs::create_dir(self.path.join("removed"))
        };
        cleared().map_err(|error| unwritten(&self.path, error))?;
        Ok(self)
    }

    fn remove_all_but(&self, kept: &OsStr) -> io::Result<()> {
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                fs::remove_dir_all(entry.path())?;
            } else if ![OsStr::new(MARK), OsStr::new(LOCK), kept].contains(&&*entry.file_name()) {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }

    /// Removes the folder. The journal is removed first, so that the next run has nothing to complete. The mark and the lock are removed
    /// last.
    pub(super) fn remove(self) -> Result<(), Failure> {
        let path = self.path.clone();
        let removed = || -> io::Result<()> {
            ignore_missing(fs::remove_file(self.journal()))?;
            self.remove_all_but(OsStr::new(LOCK))?;
            ignore_missing(remove_locked(&self.path.join(LOCK), self.lock))?;
            ignore_missing(fs::remove_dir_all(&self.path))
        };
        removed().map_err(|error| unwritten(&path, error))
    }
}

fn foreign(path: &Path) -> Failure {
    let message = format!(
        "`{}` is in the way: changes are made ready in a folder of that name",
        path.display()
    );
    Failure::new(Exit::Failed, "unsafe_staging", message)
        .hint("nothing was changed; if it is of a run of another user, let that user run the command again; otherwise rename it")
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

/// Reports whether a folder is marked as a staging folder. Accepts an empty folder or an incomplete mark, because a run may be killed
/// early.
fn is_marked(folder: &Path) -> bool {
    let mark = folder.join(MARK);
    let is_short = fs::symlink_metadata(&mark)
        .is_ok_and(|mark| mark.is_file() && mark.len() <= MARK_TEXT.len() as u64);
    let is_empty = || fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none());
    let starts = |text: String| MARK_TEXT.starts_with(&text);
    is_short && fs::read_to_string(mark).is_ok_and(starts) || is_empty()
}

/// Reports whether a folder contains only regular files and folders, at all levels.
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
