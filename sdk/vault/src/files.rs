//! Private files, which are readable only by their owner and replaced atomically.

/// Locks between processes.
pub mod lock;

use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, SystemTime};

use bot_cli_protocol::failure::{Exit, Failure, reason};
use bot_cli_terminal::shell;

use crate::platform::{self, create_private_folders, give_to_owner, private_file, put_in_place};
pub use crate::platform::{foreign_owner, readable_by_others as too_open, writable_by_others};

const TEMPORARY: &str = ".bot-cli-";

/// The age at which a temporary file is considered abandoned by its process.
pub const STALE: Duration = Duration::from_secs(60);

/// The reason why a write failed or may not be durable.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The existing file is unchanged.
    #[error("{}", reason(.0))]
    NotWritten(#[source] io::Error),
    /// The file has the new text, which a power failure may undo.
    #[error("it was written, but the disk did not confirm it: {}", reason(.0))]
    NotSynced(#[source] io::Error),
}

pub(crate) const UNCHANGED: &str =
    "nothing has changed; look at the disk's free space and at the folder's rights";

pub(crate) const UNSYNCED: &str =
    "the change is in place, but a power failure may undo it; look at the disk, then try again";

/// Whether a file may replace another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overwrite {
    /// It may.
    Allow,
    /// An existing file is an error.
    Refuse,
}

/// The cause of a failure, for messages of the form `could not …: cause`. Contains no secrets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Reason(String);

impl From<io::Error> for Reason {
    fn from(error: io::Error) -> Self {
        Self(reason(&error))
    }
}

impl From<String> for Reason {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for Reason {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

/// Returns the failure for a file that was not written.
pub fn not_written(path: &Path, reason: Reason) -> Failure {
    let could_not = format!("could not write `{}`", path.display());
    Failure::because(Exit::Failed, "not_written", could_not, reason).hint(UNCHANGED)
}

/// Returns the failure for a file that was written, but perhaps not durably.
pub fn not_synced(path: &Path, reason: Reason) -> Failure {
    let path = path.display();
    let written = format!("`{path}` was written, but the disk did not confirm it");
    Failure::because(Exit::Failed, "not_synced", written, reason).hint(UNSYNCED)
}

/// Returns the failure for a write.
pub fn write_failure(path: &Path, error: WriteError) -> Failure {
    match error {
        WriteError::NotWritten(error) => not_written(path, error.into()),
        WriteError::NotSynced(error) => not_synced(path, error.into()),
    }
}

/// Returns the command that makes a file private.
pub fn close(path: &Path) -> String {
    format!("chmod 600 {}", quoted(path))
}

pub(crate) fn quoted(path: &Path) -> String {
    shell::quoted(&path.display().to_string())
}

/// Creates a folder and its parents, accessible only to their owner.
pub fn private_folder(path: &Path) -> io::Result<()> {
    faults::step()?;
    let ancestors = path.ancestors();
    let new: Vec<&Path> = ancestors.take_while(|it| !it.exists()).collect();
    create_private_folders(path)?;
    new.into_iter().rev().try_for_each(give_to_owner)
}

/// Fails for anything except a regular file or a folder. Reading from a FIFO, for example, would block until another process writes to it.
pub fn refuse_special(metadata: &Metadata) -> io::Result<()> {
    let kind = metadata.file_type();
    if kind.is_file() || kind.is_dir() {
        Ok(())
    } else {
        Err(io::Error::other("it is not a regular file"))
    }
}

/// Reports whether `path` exists. A dangling link is an error, because its target may be on a disk that is not mounted.
pub fn exists(path: &Path) -> io::Result<bool> {
    match fs::metadata(path) {
        Ok(_) => return Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let mut parts = path.ancestors();
    match parts.find(|part| fs::symlink_metadata(part).is_ok()) {
        Some(link) if fs::metadata(link).is_err() => {
            let target = fs::read_link(link).unwrap_or_default();
            let (link, target) = (link.display(), target.display());
            let problem = format!("`{link}` is a link to `{target}`, which is not there");
            Err(io::Error::other(problem))
        }
        Some(_) | None => Ok(false),
    }
}

/// Writes a file that only its owner can read. If `path` is a link, writes the link's target.
///
/// Creates the folder and removes temporary files left by interrupted writes.
pub fn write_private(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let prepared = || {
        let path = match fs::symlink_metadata(path) {
            Ok(found) if found.is_symlink() => fs::canonicalize(path)?,
            Ok(_) | Err(_) => path.to_owned(),
        };
        private_folder(folder_of(&path))?;
        sweep(folder_of(&path), STALE);
        Ok(path)
    };
    replace(
        &prepared().map_err(WriteError::NotWritten)?,
        bytes,
        Overwrite::Allow,
    )
}

/// Atomically writes a file that only its owner can read.
///
/// Writes and syncs a temporary file in the same folder, renames it, and syncs the folder.
pub fn replace(path: &Path, bytes: &[u8], overwrite: Overwrite) -> Result<(), WriteError> {
    let written = || {
        faults::step()?;
        // Temporary files are created with mode 0600.
        let mut temporary = tempfile::Builder::new()
            .prefix(TEMPORARY)
            .tempfile_in(folder_of(path))?;
        give_to_owner(temporary.path())?;
        faults::step()?;
        temporary.write_all(bytes)?;
        faults::step()?;
        temporary.as_file().sync_all()?;
        faults::step()?;
        match overwrite {
            Overwrite::Allow => put_in_place(temporary, path),
            Overwrite::Refuse => {
                let renamed = temporary.persist_noclobber(path);
                renamed.map(drop).map_err(|error| error.error)
            }
        }
    };
    match written() {
        Ok(()) => sync_folder(path).map_err(WriteError::NotSynced),
        // On a network file system, a rename may succeed although it reports an error.
        Err(error)
            if overwrite == Overwrite::Allow
                && fs::read(path).is_ok_and(|found| found == bytes) =>
        {
            Err(WriteError::NotSynced(error))
        }
        Err(error) => Err(WriteError::NotWritten(error)),
    }
}

/// Syncs the folder of `path`, which makes a rename in the folder durable.
fn sync_folder(path: &Path) -> io::Result<()> {
    faults::step()?;
    platform::sync_folder(folder_of(path))
}

/// Returns the folder of a file, or `.` for a bare file name.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        Some(_) | None => Path::new("."),
    }
}

/// Removes temporary files left by killed processes, because the files may contain secrets. Keeps files that are newer than `age`.
pub fn sweep(folder: &Path, age: Duration) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| is_temporary(&entry.file_name())) {
        let written = entry.metadata().and_then(|found| found.modified());
        // After the clock is set back, a file's date may be in the future.
        let is_stale = |at: SystemTime| match at.elapsed() {
            Ok(found) => found >= age,
            Err(ahead) => ahead.duration() > age,
        };
        if written.is_ok_and(is_stale) {
            // Another process may have removed the file already.
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn is_temporary(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(TEMPORARY.as_bytes())
}

/// Creates an empty marker file. Returns `false` if the file already exists.
pub fn first_time(mark: &Path) -> bool {
    let folder = mark.parent().unwrap_or(Path::new("."));
    let made = private_folder(folder).and_then(|()| {
        let mut options = private_file();
        options.create_new(true).write(true).open(mark)
    });
    !matches!(made, Err(error) if error.kind() == io::ErrorKind::AlreadyExists)
}

#[cfg(not(test))]
mod faults {
    #[expect(clippy::unnecessary_wraps, reason = "it fails in tests")]
    pub(super) const fn step() -> std::io::Result<()> {
        Ok(())
    }
}

/// Fault injection, which lets a test fail any step of a write.
#[cfg(test)]
pub(crate) mod faults {
    use std::cell::Cell;
    use std::io;

    thread_local! {
        static LEFT: Cell<Option<u32>> = const { Cell::new(None) };
        static STICKY: Cell<bool> = const { Cell::new(false) };
    }

    /// The behavior of the steps after the failing one.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum After {
        Works,
        Fails,
    }

    /// Runs `work` with the given step failing. Also returns whether that step was reached.
    pub(crate) fn at<T>(step: u32, after: After, work: impl FnOnce() -> T) -> (T, bool) {
        LEFT.set(Some(step));
        STICKY.set(after == After::Fails);
        let result = work();
        (result, LEFT.replace(None).is_none_or(|left| left == 0))
    }

    pub(super) fn step() -> io::Result<()> {
        match LEFT.get() {
            Some(0) if STICKY.get() => {}
            None | Some(0) => return Ok(()),
            Some(1) => LEFT.set(Some(0)),
            Some(left) => {
                LEFT.set(Some(left - 1));
                return Ok(());
            }
        }
        Err(io::Error::other("an injected fault"))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::{exists, too_open, write_private};

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
        let now = std::time::SystemTime::now();
        let long_ago = now - super::STALE * 2;
        for (name, time) in [
            (".bot-cli-old", long_ago),
            (".bot-cli-new", now),
            (".bot-cli-soon", now + super::STALE / 2),
            (".bot-cli-late", now + super::STALE * 2),
            ("old", long_ago),
        ] {
            let file = std::fs::File::create(folder.path().join(name)).unwrap();
            file.set_modified(time).unwrap();
        }
        write_private(&folder.path().join("file"), b"one").unwrap();
        let mut left: Vec<_> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        left.sort();
        assert_eq!(left, [".bot-cli-new", ".bot-cli-soon", "file", "old"]);
    }

    #[test]
    fn link_that_leads_nowhere_is_not_an_absence() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "").unwrap();
        std::os::unix::fs::symlink("nowhere", at("dangling")).unwrap();
        std::os::unix::fs::symlink("loop", at("loop")).unwrap();
        std::os::unix::fs::symlink(".", at("here")).unwrap();
        for (name, is_there) in [
            ("file", true),
            ("here/file", true),
            ("here/none/none", false),
        ] {
            assert_eq!(exists(&at(name)).unwrap(), is_there, "{name}");
        }
        for name in ["dangling", "dangling/a/b", "loop", "loop/a", "file/a"] {
            assert!(exists(&at(name)).is_err(), "{name}");
        }
    }
}
