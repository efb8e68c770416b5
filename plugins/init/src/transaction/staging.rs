//! The staging folder, where changes are prepared.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread;

use bot_cli_protocol::failure::{Exit, Failure};
use walkdir::{DirEntry, WalkDir};

use super::{busy, unwritten};
use crate::digest::sha256;
use crate::platform::{create_private_folder, give_to_owner_of, is_own, remove_locked, sync};

/// A staging folder locked by this process. [`Staging::remove`] deletes the folder.
#[derive(Debug)]
pub(super) struct Staging {
    path: PathBuf,
    mark: File,
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

pub(super) const INSIDE: &str = ".bot-cli-init-staging";

/// The record that the run in progress writes last.
pub(super) const BEGUN: &str = "begun.json";

const DRAFT: &str = "begun.draft";

/// The file that identifies a staging folder. Version control always ignores the folder, because this file is created first and removed
/// last.
const MARK: &str = ".gitignore";

const MARK_TEXT: &[u8] = b"# bot-cli init makes its changes ready in this folder.\n*\n";

impl Staging {
    /// Creates the folder, accessible only to the current user, or reuses the folder of an earlier run.
    pub(super) fn at(path: &Path) -> Result<Self, Failure> {
        match create_private_folder(path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(unwritten(path.parent().unwrap_or(path), error));
            }
            Ok(()) | Err(_) => {}
        }
        Self::left_at(path)?.ok_or_else(|| foreign(path))
    }

    /// Opens and locks a staging folder that an earlier run left behind. Returns `None` for any other folder. A folder that contains
    /// symbolic links is never accepted, because links in a malicious project could lead outside the project.
    pub(super) fn left_at(path: &Path) -> Result<Option<Self>, Failure> {
        let opened = || -> io::Result<Option<File>> {
            let found = fs::symlink_metadata(path)?;
            if !found.is_dir() || !is_own(&found) {
                return Ok(None);
            }
            let files = below(path)?;
            let is_plain = |it: &DirEntry| it.file_type().is_file() || it.file_type().is_dir();
            // A run may be killed before it marks the folder.
            let mut options = File::options();
            let options = options.read(true).write(true).create(files.is_empty());
            let is_plain = files.iter().all(is_plain);
            is_plain.then(|| options.open(path.join(MARK))).transpose()
        };
        let mut mark = match opened() {
            Ok(Some(mark)) => mark,
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                // An empty folder is of no use to anyone.
                let _ = fs::remove_dir(path);
                return Err(unwritten(path, error));
            }
            Ok(None) | Err(_) => return Ok(None),
        };
        match mark.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(busy(path)),
            Err(TryLockError::Error(error)) => return Err(unwritten(path, error)),
        }
        let mut text = Vec::new();
        let read = (&mut mark)
            .take(MARK_TEXT.len() as u64 + 1)
            .read_to_end(&mut text);
        read.map_err(|error| unwritten(path, error))?;
        let path = path.to_owned();
        Ok(MARK_TEXT.starts_with(&text).then_some(Self { path, mark }))
    }

    /// Returns the folder for new files, which has the same layout as the target.
    pub(super) fn new_files(&self) -> PathBuf {
        self.path.join("new")
    }

    pub(super) fn old(&self) -> PathBuf {
        self.path.join("old")
    }

    /// Returns a place for the backup of an earlier update.
    pub(super) fn older(&self) -> PathBuf {
        self.path.join("older")
    }

    pub(super) fn removed(&self, path: &str) -> PathBuf {
        self.path.join("removed").join(sha256(path.as_bytes()))
    }

    /// Empties the folder for a new run, but keeps the record and the backup of an interrupted one.
    pub(super) fn clear(&mut self) -> Result<(), Failure> {
        let mut cleared = || -> io::Result<()> {
            self.remove_all_but(&[MARK, BEGUN, "old"])?;
            self.mark.rewind()?;
            self.mark.write_all(MARK_TEXT)?;
            fs::create_dir(self.new_files())?;
            fs::create_dir(self.path.join("removed"))
        };
        cleared().map_err(|error| unwritten(&self.path, error))
    }

    /// Copies a file that the update replaces to the backup, unless the interrupted update has done so.
    pub(super) fn keep(&self, path: &str, former: &[u8]) -> Result<(), Failure> {
        let old = self.old();
        // Files that only their owner may read must not become readable in the backup.
        if create_private_folder(&old).is_ok() {
            write(&old, Path::new(".gitignore"), b"*\n")?;
        }
        let files = old.join("files");
        if files.join(path).exists() {
            return Ok(());
        }
        write(&files, Path::new(path), former)
    }

    /// Stages the record for [`begin`](Self::begin).
    pub(super) fn prepare(&self, record: &[u8]) -> Result<(), Failure> {
        write(&self.path, Path::new(DRAFT), record)
    }

    /// Moves the staged record to [`BEGUN`], so that a later run recognizes an interrupted one.
    pub(super) fn begin(&self) -> Result<(), Failure> {
        ignore_missing(fs::rename(self.path.join(DRAFT), self.path.join(BEGUN)))
            .and_then(|()| sync(&self.path))
            .map_err(|error| unwritten(&self.path, error))
    }

    /// Flushes all staged files to disk, and changes their owner to the target's owner.
    pub(super) fn sync(&self, target: &Path) -> Result<(), Failure> {
        // In parallel, since a filesystem combines simultaneous requests.
        const THREADS: usize = 8;
        let synced = || -> io::Result<()> {
            let entries = below(&self.path)?;
            let entries: Vec<PathBuf> = entries.into_iter().map(DirEntry::into_path).collect();
            if let Ok(target) = fs::metadata(target) {
                give_to_owner_of(&target, &entries);
            }
            thread::scope(|scope| {
                let parts = entries.chunks(entries.len().div_ceil(THREADS).max(1));
                let threads = parts.map(|part| {
                    let work = || part.iter().try_for_each(|path| sync(path));
                    let started = thread::Builder::new().spawn_scoped(scope, work);
                    // The system may allow no more threads.
                    started.map_err(|_| work())
                });
                let threads: Vec<_> = threads.collect();
                threads.into_iter().try_for_each(|thread| match thread {
                    Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
                    Err(synced) => synced,
                })
            })
        };
        synced().map_err(|error| unwritten(&self.path, error))
    }

    fn remove_all_but(&self, kept: &[&str]) -> io::Result<()> {
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            if kept.iter().any(|kept| entry.file_name() == **kept) {
                continue;
            }
            if entry.file_type()?.is_dir() {
                fs::remove_dir_all(entry.path())?;
            } else {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }

    /// Removes the folder: first [`BEGUN`], last the locked [`MARK`].
    pub(super) fn remove(self) -> Result<(), Failure> {
        let path = self.path.clone();
        let removed = || -> io::Result<()> {
            ignore_missing(fs::remove_file(self.path.join(BEGUN)))?;
            self.remove_all_but(&[MARK])?;
            ignore_missing(remove_locked(&self.path.join(MARK), self.mark))?;
            ignore_missing(fs::remove_dir(&self.path))
        };
        removed().map_err(|error| unwritten(&path, error))
    }
}

pub(super) fn write(folder: &Path, relative: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let path = folder.join(relative);
    let written = || -> io::Result<()> {
        let file = match File::create_new(&path) {
            // Most files are in a folder with others.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::create_dir_all(path.parent().unwrap_or(folder))?;
                File::create_new(&path)
            }
            created => created,
        };
        file?.write_all(bytes)
    };
    written().map_err(|error| unwritten(relative, error))
}

fn foreign(path: &Path) -> Failure {
    let message = format!(
        "`{}` is in the way: changes are made ready in a folder of that name",
        path.display()
    );
    Failure::new(Exit::Failed, "unsafe_staging", message)
        .hint("nothing was changed; if it is of a run of another user, let that user run the command again; otherwise rename it")
}

fn below(folder: &Path) -> io::Result<Vec<DirEntry>> {
    let entries = WalkDir::new(folder).min_depth(1).contents_first(true);
    let entries: walkdir::Result<_> = entries.into_iter().collect();
    // The message of walkdir's own error names the path again.
    entries.map_err(|error| {
        error
            .into_io_error()
            .unwrap_or_else(|| io::ErrorKind::Other.into())
    })
}

pub(super) fn ignore_missing(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}
