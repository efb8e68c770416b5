//! Writes the files of a target.
//!
//! Everything is first written in a staging folder. A target that does not exist yet appears with one rename. In a target
//! that exists, the files are synced, and each new subtree and each changed file is renamed to its place.
//!
//! A project is created as a whole or not at all: an error takes the renames back, and a run that is killed leaves a
//! journal, by which the next run completes it. An update has no journal: its record is written last, and until then
//! the next update does what is left.

mod commit;
mod staging;

use std::fs;
use std::io;
use std::path::{Component, Path};

use bot_cli_protocol::failure::{Exit, Failure, reason};

use crate::platform::create_private_folder;
use crate::record;
use commit::Journal;
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
    /// There was none, or it had changed nothing.
    Nothing,
    /// It is completed now, except for these paths, which have changed since, and the record of the project.
    Completed(Vec<String>),
    /// It was an update, which the next one goes on with.
    Update,
}

/// The treatment of files that an update replaces and removes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Old {
    /// Version control or the record has them.
    Given,
    /// They are kept in [`BEFORE`], instead of the files of an earlier update.
    Kept,
    /// They are added to the files in [`BEFORE`], which are of the interrupted update that this one goes on with.
    Added,
}

/// The folder of a project with the files that its last update has replaced and removed.
pub const BEFORE: &str = ".bot-cli/before";

/// The code of a failure after which a part of the changes is made.
const STUCK: &str = "interrupted";

/// Completes or removes what a killed run left beside or in `target`.
pub fn recover(target: &Path) -> Result<Recovered, Failure> {
    let mut recovered = Recovered::Nothing;
    for place in staging::places(target) {
        let Some(staging) = Staging::left_at(&place)? else {
            continue;
        };
        let journal = Journal::read(&staging).map_err(|error| {
            let path = staging.journal();
            let could_not = format!("could not read `{}`", path.display());
            Failure::because(Exit::Failed, "unreadable", could_not, error).hint(format!(
                "nothing was changed; if no run of yours was interrupted, remove `{}`",
                place.display()
            ))
        })?;
        if let Some(journal) = journal {
            recovered = Recovered::Completed(commit::complete(&journal, &staging, target)?);
        } else if begun(target).is_some() {
            recovered = Recovered::Update;
            continue;
        }
        staging.remove()?;
    }
    Ok(recovered)
}

/// Returns the record that an interrupted update would have written last.
pub fn begun(target: &Path) -> Option<Vec<u8>> {
    let read = |path| Some(commit::read(&commit::inside(target, path).ok()?).ok()?.0);
    read(staging::BEGUN).filter(|record| read(record::PROJECT).as_ref() != Some(record))
}

/// Returns whether an earlier run has not finished creating the project. One of another user may not have.
pub fn is_unfinished(target: &Path) -> bool {
    staging::places(target)
        .iter()
        .any(|place| place.join(staging::JOURNAL).try_exists().unwrap_or(true))
}

/// Makes all changes of a new project or none. `cancelled` is asked until the first change is made.
pub fn create(
    target: &Path,
    changes: &[Change],
    cancelled: &dyn Fn() -> bool,
) -> Result<(), Failure> {
    write(target, changes, None, cancelled)
}

/// Makes the changes of an update, the record last. If that fails midway, the next update does the rest.
pub fn update(
    target: &Path,
    changes: &[Change],
    old: Old,
    cancelled: &dyn Fn() -> bool,
) -> Result<(), Failure> {
    if let Some(left) = Staging::left_at(&staging::place(target))? {
        left.remove()?;
    }
    let is_kept = |kept: &Change| match old {
        Old::Given => false,
        Old::Kept => true,
        Old::Added => !target.join(&kept.path).exists(),
    };
    let kept = kept(changes).filter(is_kept);
    let all: Vec<Change> = kept.chain(changes.iter().cloned()).collect();
    write(target, &all, Some(old), cancelled)
}

/// Returns the changes that keep what others replace and remove, out of version control.
fn kept(changes: &[Change]) -> impl Iterator<Item = Change> {
    let old = changes.iter().filter_map(|change| {
        let path = format!("{BEFORE}/files/{}", change.path);
        Some(Change::create(path, change.replaces.clone()?))
    });
    let ignore = Change::create(format!("{BEFORE}/.gitignore"), "*\n");
    old.chain([ignore])
}

/// Returns whether a path can be that of a file of a project: inside it, and not in the folder of git.
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

fn write(
    target: &Path,
    changes: &[Change],
    update: Option<Old>,
    cancelled: &dyn Fn() -> bool,
) -> Result<(), Failure> {
    if changes.is_empty() {
        return Ok(());
    }
    if let Some(outside) = changes.iter().find(|change| !is_inside(&change.path)) {
        let error = io::Error::other("it is not a file of the project");
        return Err(unwritten(Path::new(&outside.path), error));
    }
    let staging = Staging::create(&staging::place(target))?;
    let done = fill(target, &staging, changes, update, cancelled).and_then(|()| {
        match (staging::first_missing(target), update) {
            (Some(root), _) => commit::appear(&staging, &root, changes),
            (None, None) => commit::create(changes, &staging, target),
            (None, Some(old)) => commit::update(changes, &staging, target, old),
        }
    });
    // The next run needs the staging folder of changes that are made in part. Otherwise, what can't be removed now is
    // removed by the next run.
    if !matches!(&done, Err(failure) if failure.code == STUCK) {
        let _ = staging.remove();
    }
    done
}

fn fill(
    target: &Path,
    staging: &Staging,
    changes: &[Change],
    update: Option<Old>,
    cancelled: &dyn Fn() -> bool,
) -> Result<(), Failure> {
    let stop = || {
        let words = "cancelled, nothing was written";
        let failure = || Failure::new(Exit::Cancelled, "cancelled", words);
        if cancelled() { Err(failure()) } else { Ok(()) }
    };
    if update == Some(Old::Kept) {
        // Files that only their owner may read must not become readable here.
        let folder = staging.new_files().join(BEFORE);
        fs::create_dir_all(folder.parent().unwrap_or(&folder))
            .and_then(|()| create_private_folder(&folder))
            .map_err(|error| unwritten(&folder, error))?;
    }
    let root = staging::first_missing(target);
    let inner = root
        .as_deref()
        .and_then(|root| target.strip_prefix(root).ok().map(Path::to_owned));
    let inner = inner.unwrap_or_default();
    for change in changes {
        stop()?;
        if let Some(bytes) = &change.bytes {
            staging.write(&inner.join(&change.path), bytes)?;
        }
    }
    // A folder that is new can be made again.
    if root.is_none() {
        staging.sync(target)?;
    }
    stop()
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
