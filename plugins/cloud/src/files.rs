//! Files for one pair of eyes, written whole or not at all.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::NamedTempFile;

use crate::watch::Watch;

/// Makes a folder that only its owner can look into, and the ones above it.
pub fn private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// How the names of temporaries begin.
const TEMPORARY: &str = ".bot-cli-";

/// After how long nobody can still be writing a temporary.
const STALE: Duration = Duration::from_secs(60);

/// How long other processes are waited for.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// After how long the user is told what is waited for.
const SOON: Duration = Duration::from_secs(1);

/// How often a lock is tried.
const TICK: Duration = Duration::from_millis(10);

/// Writes a file that only its owner can read: to a temporary beside it, synced, renamed.
pub fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    Reserved::new(path, 0)?.write(bytes)
}

/// Room on the disk for a file whose content is not known yet. Dropping it changes nothing.
pub struct Reserved {
    temporary: NamedTempFile,
    path: PathBuf,
}

impl Reserved {
    /// Makes sure that a file of up to `length` bytes can be written, without touching the one that is there.
    pub fn new(path: &Path, length: usize) -> io::Result<Self> {
        let folder = path.parent().unwrap_or(Path::new("."));
        private_folder(folder)?;
        sweep(folder);
        // Temporaries are made with mode 0600.
        let mut temporary = tempfile::Builder::new()
            .prefix(TEMPORARY)
            .tempfile_in(folder)?;
        if length > 0 {
            temporary.write_all(&vec![0; length])?;
            temporary.as_file().sync_all()?;
        }
        Ok(Self {
            temporary,
            path: path.to_owned(),
        })
    }

    /// Writes the content, and puts the file in the place of an earlier one.
    pub fn write(mut self, bytes: &[u8]) -> io::Result<()> {
        self.temporary.rewind()?;
        self.temporary.write_all(bytes)?;
        let file = self.temporary.as_file();
        file.set_len(u64::try_from(bytes.len()).unwrap_or(u64::MAX))?;
        file.sync_all()?;
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let persisted = self.temporary.persist(&self.path);
        persisted.map_err(|error| error.error)?;
        File::open(folder)?.sync_all()
    }
}

/// Removes what a process left behind that was killed while it wrote: it may be a secret that nobody wants any more.
pub fn sweep(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| is_temporary(&entry.file_name())) {
        let written = entry.metadata().and_then(|found| found.modified());
        if written.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > STALE)) {
            // Somebody else may sweep as well.
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn is_temporary(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(TEMPORARY.as_bytes())
}

/// Opens the file by which processes let one another in. It stays empty.
pub fn lock_file(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .open(path)
}

/// Why a lock was not taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process kept it for so long.
    #[error("another process has kept it locked for {} seconds", .0.as_secs())]
    Busy(Duration),
    /// The user did not want to wait any longer.
    #[error("cancelled")]
    Cancelled,
    /// The file can't be opened or locked.
    #[error(transparent)]
    File(#[from] io::Error),
}

/// Takes the lock of the file at `path`, and waits up to `patience` for other processes that have it. Where that takes
/// longer than a moment, `waiting` tells the user what for. The lock ends with what is returned.
pub fn lock(
    path: &Path,
    patience: Duration,
    waiting: &str,
    watch: &dyn Watch,
) -> Result<File, LockError> {
    let file = lock_file(path)?;
    let begun = Instant::now();
    let mut told = false;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        if watch.cancelled() {
            return Err(LockError::Cancelled);
        }
        if begun.elapsed() >= patience {
            return Err(LockError::Busy(patience));
        }
        if begun.elapsed() >= SOON && !told {
            told = true;
            watch.notice(waiting);
        }
        thread::sleep(TICK);
    }
}

/// Leaves an empty file as a mark; `false` where it is there already.
#[must_use]
pub fn first_time(mark: &Path) -> bool {
    let folder = mark.parent().unwrap_or(Path::new("."));
    let made = private_folder(folder).and_then(|()| {
        OpenOptions::new()
            .create_new(true)
            .write(true)
            .mode(0o600)
            .open(mark)
    });
    !matches!(made, Err(error) if error.kind() == io::ErrorKind::AlreadyExists)
}

/// The mode of a file that others than its owner can read or write.
pub fn too_open(path: &Path) -> io::Result<Option<u32>> {
    let mode = fs::metadata(path)?.permissions().mode() & 0o777;
    Ok((mode & 0o077 != 0).then_some(mode))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use std::time::Duration;

    use super::{LockError, Reserved, lock, too_open, write_private};
    use crate::watch::Nobody;

    #[test]
    fn what_was_reserved_is_written_whole_and_otherwise_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        write_private(&path, b"one").unwrap();
        drop(Reserved::new(&path, 4096).unwrap());
        let reserved = Reserved::new(&path, 4096).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"one");
        reserved.write(b"two").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        let below_a_file = path.join("file");
        assert!(Reserved::new(&below_a_file, 1).is_err());
    }

    #[test]
    fn a_lock_is_waited_for_and_not_for_ever() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let take = || lock(&path, Duration::from_millis(30), "waiting", &Nobody);
        let first = take().unwrap();
        assert!(matches!(take(), Err(LockError::Busy(_))));
        drop(first);
        assert!(take().is_ok());
        let nowhere = folder.path().join("none/lock");
        let taken = lock(&nowhere, Duration::ZERO, "waiting", &Nobody);
        assert!(matches!(taken, Err(LockError::File(_))));
    }

    #[test]
    fn a_private_file_is_for_its_owner_from_the_start() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/file");
        write_private(&path, b"one").unwrap();
        write_private(&path, b"two").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        assert_eq!(too_open(&path).unwrap(), None);
        assert_eq!(
            std::fs::read_dir(path.parent().unwrap()).unwrap().count(),
            1
        );
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
        assert_eq!(too_open(&path).unwrap(), Some(0o640));
    }

    #[test]
    fn what_a_killed_process_left_is_swept_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let long_ago = std::time::SystemTime::now() - super::STALE * 2;
        for (name, old) in [
            (".bot-cli-old", true),
            (".bot-cli-new", false),
            ("old", true),
        ] {
            let file = std::fs::File::create(folder.path().join(name)).unwrap();
            if old {
                file.set_modified(long_ago).unwrap();
            }
        }
        write_private(&folder.path().join("file"), b"one").unwrap();
        let mut left: Vec<_> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        left.sort();
        assert_eq!(left, [".bot-cli-new", "file", "old"]);
    }
}
