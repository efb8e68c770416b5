//! Writes files to a target.
//!
//! All files are first written to a staging folder inside or next to the target. A new target is created with a single rename. For an
//! existing target, the files are synced to disk, then each new subtree and each changed file is renamed into place.
//!
//! Project creation is all or nothing: if an error occurs, the renames are reversed, and if a run is interrupted, the next run completes
//! the creation from a journal. An update has no journal. Instead, the record is written last, so that the next update can make any
//! remaining changes.

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

/// The old and new contents of a file.
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
    /// Returns a change that creates a file.
    pub fn create(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            path: path.into(),
            bytes: Some(bytes.into()),
            replaces: None,
        }
    }

    /// Returns a change that replaces a file with the contents `old`.
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
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recovered {
    /// No run was interrupted, or the interrupted run had not changed anything.
    Nothing,
    /// The interrupted run is now complete, except for these paths, which have changed in the meantime. The record is written only if the
    /// list is empty.
    Completed(Vec<String>),
    /// An update was interrupted. The next update continues it.
    Update,
}

/// The backup strategy for files that an update replaces or removes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Old {
    /// Make no backup, because version control or the record contains the files.
    Given,
    /// Copy the files to [`BEFORE`], replacing the backup from an earlier update.
    Kept,
    /// Add the files to [`BEFORE`], which contains the backup from the interrupted update.
    Added,
}

/// The backup folder for files that the last update replaced or removed.
pub const BEFORE: &str = ".bot-cli/before";

/// The failure code for a run that made only some of its changes.
const STUCK: &str = "interrupted";

/// Recovers from an interrupted run. Completes an unfinished creation and removes leftover staging folders, but keeps an unfinished update
/// for the next update to continue.
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
        staging.remove().map_err(|mut failure| {
            if recovered != Recovered::Nothing {
                failure.hints = vec!["the earlier run is completed, apart from this".to_owned()];
            }
            failure
        })?;
    }
    Ok(recovered)
}

/// Returns the record that an interrupted update would have written last, if any.
pub fn begun(target: &Path) -> Option<Vec<u8>> {
    let read = |path| Some(commit::read(&commit::inside(target, path).ok()?).ok()?.0);
    read(staging::BEGUN).filter(|record| read(record::PROJECT).as_ref() != Some(record))
}

/// Reports whether an earlier run did not finish creating the project. Returns `true` if the staging folder of an earlier run is
/// inaccessible, for example because it belongs to another user.
pub fn is_unfinished(target: &Path) -> bool {
    staging::places(target)
        .iter()
        .any(|place| place.join(staging::JOURNAL).try_exists().unwrap_or(true))
}

/// Creates a project completely or not at all. `cancelled` is checked until the first change is made.
pub fn create(
    target: &Path,
    changes: &[Change],
    cancelled: &dyn Fn() -> bool,
) -> Result<(), Failure> {
    if changes.is_empty() {
        return Ok(());
    }
    refuse_outside(changes)?;
    let staging = Staging::create(&staging::place(target))?;
    write(target, staging, changes, None, cancelled)
}

/// Makes the changes in an update, with the record last. If the update fails midway, the next update makes the remaining changes.
pub fn update(
    target: &Path,
    changes: &[Change],
    old: Old,
    cancelled: &dyn Fn() -> bool,
) -> Result<(), Failure> {
    refuse_outside(changes)?;
    let place = staging::place(target);
    let staging = match Staging::left_at(&place)? {
        Some(left) => left.cleared()?,
        None => Staging::create(&place)?,
    };
    let is_kept = |kept: &Change| match old {
        Old::Given => false,
        Old::Kept => true,
        Old::Added => !target.join(&kept.path).exists(),
    };
    let kept = kept(changes).filter(is_kept);
    let all: Vec<Change> = kept.chain(changes.iter().cloned()).collect();
    write(target, staging, &all, Some(old), cancelled)
}

/// Returns changes that back up the replaced and removed files in a folder that version control ignores.
fn kept(changes: &[Change]) -> impl Iterator<Item = Change> {
    let old = changes.iter().filter_map(|change| {
        let path = format!("{BEFORE}/files/{}", change.path);
        Some(Change::create(path, change.replaces.clone()?))
    });
    let ignore = Change::create(format!("{BEFORE}/.gitignore"), "*\n");
    old.chain([ignore])
}

/// Reports whether a path is inside the project and not in a `.git` folder.
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

fn refuse_outside(changes: &[Change]) -> Result<(), Failure> {
    changes.iter().try_for_each(|change| {
        let outside = || io::Error::other("it is not a file of the project");
        let is_inside = is_inside(&change.path).then_some(());
        is_inside.ok_or_else(|| unwritten(Path::new(&change.path), outside()))
    })
}

fn write(
    target: &Path,
    staging: Staging,
    changes: &[Change],
    update: Option<Old>,
    cancelled: &dyn Fn() -> bool,
) -> Result<(), Failure> {
    let goes_on = begun(target).is_some();
    let done = fill(target, &staging, changes, update, cancelled).and_then(|()| {
        match (staging::first_missing(target), update) {
            (Some(root), _) => commit::appear(&staging, &root, changes),
            (None, None) => commit::create(changes, &staging, target),
            (None, Some(old)) => commit::update(changes, &staging, target, old),
        }
    });
    // After a partial change, the next run needs the staging folder. Otherwise, the next run removes anything left here.
    let is_needed = |failure: &Failure| goes_on || failure.code == STUCK;
    if !done.as_ref().is_err_and(is_needed) {
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
        // Files that only their owner may read must not become readable in the backup.
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
