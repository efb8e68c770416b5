//! Files appear in a target all together or not at all.
//!
//! Everything is first written and synced in a staging folder on the target's filesystem. A target that is not there
//! yet comes into being by one rename. Into one that is there, a journal is written, then each new subtree and each
//! changed file is renamed to its place. An error takes the renames back; whoever finds the journal of a run that was
//! killed carries its renames out.

mod commit;
mod journal;
mod staging;

use std::io;
use std::path::{Path, PathBuf};

use bot_cli_sdk::failure::{Exit, Failure, reason};

use journal::Journal;
use staging::Staging;

/// A file to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Relative to the target, with `/`.
    pub path: String,
    pub bytes: Vec<u8>,
    /// The current contents; `None` if the file does not exist.
    pub replaces: Option<Vec<u8>>,
}

/// The outcome of an earlier run that was killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recovered {
    /// There was none.
    Nothing,
    /// It had changed nothing; its staging folder is removed.
    Discarded,
    /// It had begun to change the target; the rest of its changes is made.
    Completed,
}

/// Finds what a killed run left beside or in `target`, and ends it.
pub fn recover(target: &Path) -> Result<Recovered, Failure> {
    let mut recovered = Recovered::Nothing;
    for place in staging::places(target) {
        let Some(staging) = Staging::left_at(&place).map_err(|error| error.failure(&place))? else {
            continue;
        };
        let journal = Journal::read(&staging)
            .map_err(|error| Error::io(&staging.journal(), error).failure(&place))?;
        if let Some(journal) = journal {
            commit::complete(&journal, &staging, target).map_err(|error| error.failure(&place))?;
            recovered = Recovered::Completed;
        } else if recovered == Recovered::Nothing {
            recovered = Recovered::Discarded;
        }
        staging.remove().map_err(|error| error.failure(&place))?;
    }
    Ok(recovered)
}

/// Makes all changes or none. `cancelled` is asked until the first change is made.
pub fn write(
    target: &Path,
    changes: &[Change],
    cancelled: &dyn Fn() -> bool,
) -> Result<(), Failure> {
    if changes.is_empty() {
        return Ok(());
    }
    let mut last = None;
    for place in staging::places(target) {
        match attempt(target, &place, changes, cancelled) {
            Ok(()) => return Ok(()),
            Err(Error::NoPlace(path, error)) => last = Some(Error::NoPlace(path, error)),
            Err(error) => return Err(error.failure(&place)),
        }
    }
    last.map_or(Ok(()), |error| Err(error.failure(target)))
}

fn attempt(
    target: &Path,
    place: &Path,
    changes: &[Change],
    cancelled: &dyn Fn() -> bool,
) -> Result<(), Error> {
    let staging = Staging::create(place)?;
    let done = fill_and_commit(target, &staging, changes, cancelled);
    // With its changes half taken back, the staging folder is what the next run completes them from. Otherwise it is of
    // no use any more, and what can't be removed now is removed by the next run.
    if !matches!(done, Err(Error::Stuck(..))) {
        let _ = staging.remove();
    }
    done
}

fn fill_and_commit(
    target: &Path,
    staging: &Staging,
    changes: &[Change],
    cancelled: &dyn Fn() -> bool,
) -> Result<(), Error> {
    let root = staging::first_missing(target);
    let inner = root.as_ref().map_or(Path::new(""), |root| {
        target.strip_prefix(root).unwrap_or(Path::new(""))
    });
    for change in changes {
        if cancelled() {
            return Err(Error::Cancelled);
        }
        staging.write(&inner.join(&change.path), &change.bytes)?;
    }
    staging.sync()?;
    if cancelled() {
        return Err(Error::Cancelled);
    }
    match root {
        Some(root) => commit::appear(staging, &root),
        None => commit::merge(changes, staging, target),
    }
}

#[derive(Debug)]
pub(crate) enum Error {
    /// Staging is not possible here.
    NoPlace(PathBuf, io::Error),
    /// Another run is at work on the target.
    Busy,
    /// The staging folder is somebody else's.
    Foreign,
    /// The user wants to stop.
    Cancelled,
    /// The target changed since it was compared.
    Changed(PathBuf),
    /// A file could not be written; nothing was changed.
    Io(PathBuf, io::Error),
    /// Changes could neither be completed nor taken back.
    Stuck(PathBuf, io::Error),
}

impl Error {
    pub(crate) fn io(path: &Path, error: io::Error) -> Self {
        Self::Io(path.to_owned(), error)
    }

    fn failure(self, staging: &Path) -> Failure {
        let failed = |code: &str, message: String| Failure::new(Exit::Failed, code, message);
        let staging = staging.display();
        match self {
            Self::Cancelled => Failure::new(
                Exit::Cancelled,
                "cancelled",
                "cancelled, nothing was written",
            ),
            Self::Busy => failed(
                "busy",
                format!("another run is writing to the target (it uses `{staging}`)"),
            )
            .hint("wait until it has ended, then try again"),
            Self::Foreign => failed(
                "unsafe_staging",
                format!("`{staging}` belongs to another user"),
            )
            .hint("remove it, or choose another target"),
            Self::Changed(path) => failed(
                "conflict",
                format!(
                    "`{}` was changed while the project was written",
                    path.display()
                ),
            )
            .hint("nothing was changed; the same command names the files in the way"),
            Self::NoPlace(path, error) | Self::Io(path, error) => Failure::because(
                Exit::Failed,
                "write_failed",
                format!("could not write `{}`", path.display()),
                error,
            )
            .hint("nothing was changed"),
            Self::Stuck(path, error) => failed(
                "interrupted",
                format!(
                    "could not write `{}`: {}, and could not undo what was written",
                    path.display(),
                    reason(&error)
                ),
            )
            .caused_by(error)
            .hint("fix the cause and run the same command again: it completes what was begun"),
        }
    }
}

#[cfg(test)]
mod tests;
