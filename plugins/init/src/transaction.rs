//! Files of a target are created, replaced and removed all together or not at all.
//!
//! Everything is first written and synced in a staging folder in the target, or beside it. A target that is not there
//! yet comes into being by one rename. For one that is there, each new subtree and each changed file is renamed to its
//! place, and each file to remove is renamed into the staging folder. An error takes the renames back.
//!
//! A run that is killed meanwhile has left a journal if it created a project: the next run carries its renames out. An
//! update is not journalled: its record comes last, and until then the next update makes whatever is left to do.

mod commit;
mod journal;
mod staging;

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use bot_cli_protocol::failure::{Exit, Failure, reason};

use crate::platform::{AnchoredPath, create_private_folder};
use crate::record;
use journal::Journal;
use staging::Staging;

/// A file before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Relative to the target, with `/`.
    pub path: String,
    /// The new contents; `None` removes the file.
    pub bytes: Option<Vec<u8>>,
    /// The current contents; `None` if the file does not exist.
    pub replaces: Option<Vec<u8>>,
}

impl Change {
    /// A file that does not exist yet.
    pub fn create(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            path: path.into(),
            bytes: Some(bytes.into()),
            replaces: None,
        }
    }

    /// Other contents for a file that has the contents `old`.
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

    /// The end of a file that has the contents `old`, and of the folders that are empty without it.
    pub fn remove(path: impl Into<String>, old: impl Into<Vec<u8>>) -> Self {
        Self {
            path: path.into(),
            bytes: None,
            replaces: Some(old.into()),
        }
    }
}

/// The outcome of an earlier run that was killed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recovered {
    /// There was none.
    Nothing,
    /// It had changed nothing; its staging folder is removed.
    Discarded,
    /// It had begun to change the target; the rest of its changes is made.
    Completed,
    /// The same, but for these paths and the record of the project: not everything is as the run has left it.
    Partly(Vec<String>),
    /// It was an update, which the next one goes on with.
    Update,
}

/// What a run does to a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    Creation,
    Update(Old),
}

/// What becomes of files that an update replaces and removes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Old {
    /// Version control or the record has them.
    Given,
    /// They are kept in [`BEFORE`], in the place of what an earlier update has kept there.
    Kept,
    /// They are kept beside what the update that this one goes on with has kept there.
    Added,
}

/// The folder of a project with the files that its last update has replaced and removed.
pub const BEFORE: &str = ".bot-cli/before";

/// Finds what a killed run left beside or in `target`, and ends it.
pub fn recover(target: &Path) -> Result<Recovered, Failure> {
    let mut recovered = Recovered::Nothing;
    for place in staging::places(target) {
        let Some(staging) = Staging::left_at(&place).map_err(|error| error.failure(&place))? else {
            continue;
        };
        let journal = Journal::read(&staging).map_err(|error| {
            let path = staging.journal();
            let could_not = format!("could not read `{}`", path.display());
            Failure::because(Exit::Failed, "unreadable", could_not, error).hint(format!(
                "nothing was changed; if it is no run of yours that was interrupted, remove `{}`",
                place.display()
            ))
        })?;
        if let Some(journal) = journal {
            let left = commit::complete(&journal, &staging, target)
                .map_err(|error| error.failure(&place))?;
            recovered = if left.is_empty() {
                Recovered::Completed
            } else {
                Recovered::Partly(left)
            };
        } else if begun(target).is_some() {
            recovered = Recovered::Update;
            continue;
        } else {
            commit::give_back(&staging, target);
            if recovered == Recovered::Nothing {
                recovered = Recovered::Discarded;
            }
        }
        staging.remove().map_err(|error| error.failure(&place))?;
    }
    Ok(recovered)
}

/// Returns the record that an update was to end with which was killed, or could not be completed.
pub fn begun(target: &Path) -> Option<Vec<u8>> {
    let read = |path| Some(AnchoredPath::open(target, path).ok()?.read().ok()?.0);
    read(staging::BEGUN).filter(|record| read(record::PROJECT).as_ref() != Some(record))
}

/// Whether a killed run has left changes of `target` that the next run completes. Nothing is written.
pub fn is_unfinished(target: &Path) -> Result<bool, Failure> {
    for place in staging::places(target) {
        if !staging::lacks_journal(&place)
            && Staging::left_at(&place)
                .map_err(|error| error.failure(&place))?
                .is_some()
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Makes all changes or none. `cancelled` is asked until the first change is made.
pub fn write(
    target: &Path,
    changes: &[Change],
    work: Work,
    cancelled: &dyn Fn() -> bool,
) -> Result<(), Failure> {
    if changes.is_empty() {
        return Ok(());
    }
    if let Some(outside) = changes.iter().find(|change| !is_inside(&change.path)) {
        let path = Path::new(&outside.path);
        let error = io::Error::other("it is not a file of the project");
        return Err(Error::io(path, error).failure(target));
    }
    let place = staging::place(target);
    attempt(target, &place, changes, work, cancelled).map_err(|error| error.failure(&place))
}

/// Whether a path can be that of a file of a project: it leads neither out of it nor into what belongs to git.
pub fn is_inside(path: &str) -> bool {
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

fn attempt(
    target: &Path,
    place: &Path,
    changes: &[Change],
    work: Work,
    cancelled: &dyn Fn() -> bool,
) -> Result<(), Error> {
    if work != Work::Creation
        && let Some(left) = Staging::left_at(place)?
    {
        left.remove()?;
    }
    let staging = Staging::create(place)?;
    let done = fill_and_commit(target, &staging, changes, work, cancelled);
    // With its changes half taken back, the staging folder says what the next run is to complete. Otherwise it is of
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
    work: Work,
    cancelled: &dyn Fn() -> bool,
) -> Result<(), Error> {
    let root = staging::first_missing(target);
    let inner = root.as_ref().map_or(Path::new(""), |root| {
        target.strip_prefix(root).unwrap_or(Path::new(""))
    });
    let kept = if work == Work::Update(Old::Kept) {
        // What the user let nobody else read must not become readable here.
        let folder = staging.new_files().join(BEFORE);
        fs::create_dir_all(folder.parent().unwrap_or(&folder))
            .and_then(|()| create_private_folder(&folder))
            .map_err(|error| Error::io(&folder, error))?;
        kept(changes)
    } else if work == Work::Update(Old::Added) {
        let mut kept = kept(changes);
        kept.retain(|change| !target.join(&change.path).exists());
        kept
    } else {
        Vec::new()
    };
    let changes = &[changes, &kept].concat();
    for change in changes {
        if cancelled() {
            return Err(Error::Cancelled);
        }
        if let Some(bytes) = &change.bytes {
            staging.write(&inner.join(&change.path), bytes)?;
        }
    }
    staging.sync(target)?;
    if cancelled() {
        return Err(Error::Cancelled);
    }
    let Some(root) = root else {
        return commit::merge(changes, staging, target, work);
    };
    match changes.iter().find(|change| change.replaces.is_some()) {
        Some(gone) => Err(Error::Changed(gone.path.clone().into())),
        None => commit::appear(staging, &root),
    }
}

/// Returns the changes that keep what others replace and remove, out of version control.
fn kept(changes: &[Change]) -> Vec<Change> {
    let old = changes.iter().filter_map(|change| {
        let path = format!("{BEFORE}/files/{}", change.path);
        Some(Change::create(path, change.replaces.clone()?))
    });
    let ignore = Change::create(format!("{BEFORE}/.gitignore"), "*\n");
    old.chain([ignore]).collect()
}

#[derive(Debug)]
pub(crate) enum Error {
    /// Another run is at work on the target.
    Busy,
    /// Something else is in the place of the staging folder.
    Foreign,
    /// It is there, and another user's.
    Others,
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
                format!("`{staging}` is in the way: changes are made ready in a folder of that name"),
            )
            .hint("nothing was changed; rename it, or choose another target"),
            Self::Others => failed(
                "busy",
                format!("a run of another user is at work, or was interrupted, in `{staging}`"),
            )
            .hint("nothing was changed; let that user run the command again, or remove the folder"),
            Self::Changed(path) => failed(
                "conflict",
                format!(
                    "`{}` was changed while the project was written",
                    path.display()
                ),
            )
            .hint("nothing was changed; run the same command again: it looks at the file as it is now"),
            Self::Io(path, error) => Failure::because(
                Exit::Failed,
                "write_failed",
                format!("could not write `{}`", path.display()),
                error,
            )
            .hint("nothing was changed"),
            Self::Stuck(path, error) => failed(
                "interrupted",
                format!(
                    "could not write `{}`: {}; what was begun is neither completed nor taken back",
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
