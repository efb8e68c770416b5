//! Writes a set of files to a target as one transaction.
//!
//! All files are first written to a staging folder inside or next to the target. A new target is created with a single rename. For an
//! existing target, the files are synced to disk, then each new subtree and each changed file is renamed into place.
//!
//! If an error occurs, the renames are reversed. If a run is killed between the renames, each file has either its old or its new contents.
//! The record is written last. Until then, the staging folder has a copy of it, which tells the next run what the killed run had begun.

mod commit;
mod staging;

use std::io;
use std::path::{Component, Path};

use bot_cli_protocol::failure::{Exit, Failure, reason};

use crate::record;
use staging::Staging;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The path relative to the target, with `/` separators.
    pub path: String,
    /// The new contents; `None` removes the file.
    pub bytes: Option<Vec<u8>>,
    /// The current contents; `None` if the file does not exist.
    pub replaces: Option<Vec<u8>>,
}

impl Change {
    pub fn create(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            path: path.into(),
            bytes: Some(bytes.into()),
            replaces: None,
        }
    }

    pub fn replace(
        path: impl Into<String>,
        old: impl Into<Vec<u8>>,
        new: impl Into<Vec<u8>>,
    ) -> Self {
        Self {
            replaces: Some(old.into()),
            ..Self::create(path, new)
        }
    }

    /// Returns a change that removes a file with the contents `old`, along with any folders that become empty.
    pub fn remove(path: impl Into<String>, old: impl Into<Vec<u8>>) -> Self {
        Self {
            path: path.into(),
            bytes: None,
            replaces: Some(old.into()),
        }
    }

    pub fn is_of_record(&self) -> bool {
        Path::new(&self.path).starts_with(record::FOLDER)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Old {
    /// Make no backup, because version control or the record contains the files.
    Given,
    /// Move the files to [`BEFORE`], which replaces the backup of an earlier update.
    Kept,
}

/// The backup folder for files that the last update replaced or removed.
pub const BEFORE: &str = ".bot-cli/before";

/// The files, relative to the target, that an interrupted update would have moved to [`BEFORE`].
pub const ABOUT_TO_BE_KEPT: &str = ".bot-cli-init-staging/old/files";

/// The failure code for a run that made only some of its changes.
const STUCK: &str = "interrupted";

/// Removes the staging folders of earlier runs, except for that of a run that was interrupted between its changes.
pub fn recover(target: &Path) -> Result<(), Failure> {
    for place in staging::places(target) {
        if let Some(staging) = Staging::left_at(&place)?
            && begun(target).is_none()
        {
            staging.remove()?;
        }
    }
    Ok(())
}

/// Returns the record that an interrupted run would have written last, if any.
pub fn begun(target: &Path) -> Option<Vec<u8>> {
    let read = |path: &str| Some(commit::read(&commit::inside(target, path).ok()?).ok()?.0);
    let begun = read(&format!("{}/{}", staging::INSIDE, staging::BEGUN));
    begun.filter(|record| read(record::PROJECT).as_ref() != Some(record))
}

/// Makes all changes or none of them. `cancelled` is checked until the first change is made.
pub fn write(
    target: &Path,
    changes: &[Change],
    old: Old,
    cancelled: &dyn Fn() -> bool,
) -> Result<(), Failure> {
    if changes.is_empty() {
        return Ok(());
    }
    if let Some(outside) = changes.iter().find(|change| !is_inside(&change.path)) {
        let error = io::Error::other("it is not a file of the project");
        return Err(unwritten(Path::new(&outside.path), error));
    }
    let goes_on = begun(target).is_some();
    let mut staging = Staging::at(&staging::place(target))?;
    let done = fill(target, &mut staging, changes, old, cancelled).and_then(|()| {
        match staging::first_missing(target) {
            Some(root) => commit::appear(&staging, &root, changes),
            None => commit::put_all(&staging, target, changes, old),
        }
    });
    // The next run needs the record of what was begun. It removes anything else that is left here.
    let is_needed = |failure: &Failure| goes_on || failure.code == STUCK;
    if !done.as_ref().is_err_and(is_needed) {
        let _ = staging.remove();
    }
    done
}

/// Reports whether a path is inside the project and not in a `.git` folder.
fn is_inside(path: &str) -> bool {
    let mut parts = Path::new(path).components();
    !path.is_empty()
        && parts.all(|part| match part {
            Component::Normal(name) => !name.eq_ignore_ascii_case(".git"),
            Component::Prefix(_)
            | Component::RootDir
            | Component::CurDir
            | Component::ParentDir => false,
        })
}

fn fill(
    target: &Path,
    staging: &mut Staging,
    changes: &[Change],
    old: Old,
    cancelled: &dyn Fn() -> bool,
) -> Result<(), Failure> {
    let stop = || {
        let words = "cancelled, nothing was written";
        let failure = || Failure::new(Exit::Cancelled, "cancelled", words);
        if cancelled() { Err(failure()) } else { Ok(()) }
    };
    staging.clear()?;
    let root = staging::first_missing(target);
    let inner = (root.as_deref()).and_then(|root| target.strip_prefix(root).ok());
    let new = staging.new_files().join(inner.unwrap_or(Path::new("")));
    for change in changes {
        stop()?;
        if let Some(bytes) = &change.bytes {
            staging::write(&new, Path::new(&change.path), bytes)?;
        }
        if let (Some(former), Old::Kept) = (&change.replaces, old) {
            staging.keep(&change.path, former)?;
        }
    }
    // A folder that is new can be made again.
    if root.is_none() {
        if let Some(record) = recorded_last(changes) {
            staging.prepare(record)?;
        }
        staging.sync(target)?;
    }
    stop()
}

/// Returns the new record, or `None` if the changes only create a record, because an interrupted run then leaves nothing to complete.
fn recorded_last(changes: &[Change]) -> Option<&[u8]> {
    let record = changes.iter().find(|it| it.path == record::PROJECT)?;
    let is_alone = record.replaces.is_none() && changes.iter().all(Change::is_of_record);
    record.bytes.as_deref().filter(|_| !is_alone)
}

fn busy(staging: &Path) -> Failure {
    let message = format!(
        "another run is writing to the target (it uses `{}`)",
        staging.display()
    );
    Failure::new(Exit::Failed, "busy", message).hint("wait until it has ended, then try again")
}

fn changed(path: &Path) -> Failure {
    let message = format!(
        "`{}` was changed while the project was written",
        path.display()
    );
    Failure::new(Exit::Failed, "conflict", message)
        .hint("nothing was changed; run the same command again: it looks at the file as it is now")
}

fn unwritten(path: &Path, error: io::Error) -> Failure {
    let could_not = format!("could not write `{}`", path.display());
    Failure::because(Exit::Failed, "write_failed", could_not, error).hint("nothing was changed")
}

fn stuck(path: &str, error: io::Error) -> Failure {
    let message = format!(
        "could not write `{path}`: {}; a part of the changes is made",
        reason(&error)
    );
    Failure::new(Exit::Failed, STUCK, message)
        .caused_by(error)
        .hint("fix the cause and run the same command again: it completes what was begun")
}

#[cfg(test)]
mod tests;
