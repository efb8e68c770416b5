//! Staged files go to their places.

use std::fs;
use std::io;
use std::path::Path;

use super::journal::{Journal, Rename};
use super::staging::{BEGUN, Staging, write_synced};
use super::{BEFORE, Change, Error, Old, Work};
use crate::digest::sha256;
use crate::platform::{AnchoredPath, give_to_owner_of, move_new, sync as sync_folder};
use crate::record;

/// The staged tree becomes `root`, which is not there yet.
pub(super) fn appear(staging: &Staging, root: &Path) -> Result<(), Error> {
    move_new(&staging.new_files(), root).map_err(|error| explain(root, error))?;
    if let Some(parent) = root.parent() {
        // Everything is in its place: that a folder can't be synced is no reason to take it back.
        let _ = sync_folder(parent);
    }
    Ok(())
}

/// The staged files join those of `target`, and those to remove leave it. After an error `target` is as it was.
pub(super) fn merge(
    changes: &[Change],
    staging: &Staging,
    target: &Path,
    work: Work,
) -> Result<(), Error> {
    let former = staging.path().join("before");
    let before = AnchoredPath::open(target, BEFORE);
    let is_kept_anew = work == Work::Update(Old::Kept);
    let had_before = is_kept_anew && before.as_ref().is_ok_and(|it| it.give(&former).is_ok());
    let done = make_all(changes, staging, target, work);
    if let (true, true, Ok(before)) = (done.is_err(), had_before, before) {
        let _ = before.receive_new(&former);
    }
    done
}

/// Puts back what an update that was killed before it changed anything has taken out of [`BEFORE`].
pub(super) fn give_back(staging: &Staging, target: &Path) {
    let former = staging.path().join("before");
    if is_there(&former)
        && let Ok(before) = AnchoredPath::open(target, BEFORE)
    {
        // Something newer may be there.
        let _ = before.receive_new(&former);
    }
}

fn make_all(changes: &[Change], staging: &Staging, target: &Path, work: Work) -> Result<(), Error> {
    let journal = Journal::of(changes, target);
    for step in journal.steps.iter().filter(|step| step.replaces.is_some()) {
        // What is removed goes there, and what is taken back comes from there.
        make_parent(&staging.removed_files().join(&step.path))
            .map_err(|error| Error::io(staging.path(), error))?;
    }
    let project = changes.iter().find(|it| it.path == record::PROJECT);
    let record = project.and_then(|project| project.bytes.as_deref());
    match (work, record) {
        (Work::Creation, _) => journal.write(staging),
        (Work::Update(_), Some(record)) => staging.put(&target.join(BEGUN), record),
        (Work::Update(_), None) => Ok(()),
    }
    .map_err(|error| Error::io(staging.path(), error))?;
    for (done, step) in journal.steps.iter().enumerate() {
        if let Err(error) = make(step, staging, target) {
            for step in journal.steps[..done].iter().rev() {
                take_back(step, staging, target, changes)
                    .map_err(|error| Error::Stuck(step.path.clone().into(), error))?;
            }
            return Err(explain(Path::new(&step.path), error));
        }
    }
    finish(&journal, target);
    Ok(())
}

/// Carries out what is left of a journal, and returns the paths that are left as they are: somebody has changed them since, or taken back
/// what was done there. The record does not say that they are done.
pub(super) fn complete(
    journal: &Journal,
    staging: &Staging,
    target: &Path,
) -> Result<Vec<String>, Error> {
    let mut left = Vec::new();
    for step in &journal.steps {
        if !is_there(&staging.new_files().join(&step.path)) {
            if is_as_before(step, target) {
                left.push(step.path.clone());
            }
            continue;
        }
        if !left.is_empty() && step.is_of_record() {
            continue;
        }
        match put(step, staging, target) {
            Ok(()) => {}
            Err(error) if somebody_else(&error) => {
                if !is_as_staged(step, staging, target) {
                    left.push(step.path.clone());
                }
            }
            Err(error) => return Err(Error::Stuck(step.path.clone().into(), error)),
        }
    }
    finish(journal, target);
    Ok(left)
}

/// Whether somebody has taken back a step that was done, as `git checkout` and `git clean` do.
fn is_as_before(step: &Rename, target: &Path) -> bool {
    let there = AnchoredPath::open(target, &step.path).and_then(|place| place.read());
    match (&step.replaces, there) {
        (Some(before), Ok((there, _))) => sha256(&there) == *before,
        (_, _) => !is_there(&target.join(&step.path)),
    }
}

/// Whether a file is in its place although it is staged, too.
fn is_as_staged(step: &Rename, staging: &Staging, target: &Path) -> bool {
    let there = AnchoredPath::open(target, &step.path).and_then(|place| place.read());
    let staged = fs::read(staging.new_files().join(&step.path));
    matches!((there, staged), (Ok((there, _)), Ok(staged)) if there == staged)
}

fn is_there(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

fn make(step: &Rename, staging: &Staging, target: &Path) -> io::Result<()> {
    if step.removes {
        take_away(step, staging, target)
    } else {
        put(step, staging, target)
    }
}

/// One rename; `AlreadyExists` when something else is in its place.
fn put(step: &Rename, staging: &Staging, target: &Path) -> io::Result<()> {
    let from = staging.new_files().join(&step.path);
    let to = AnchoredPath::open(target, &step.path)?;
    match &step.replaces {
        None => to.receive_new(&from),
        Some(expected) => {
            let (contents, permissions) = to.read()?;
            if sha256(&contents) != *expected {
                return Err(io::ErrorKind::AlreadyExists.into());
            }
            fs::set_permissions(&from, permissions)?;
            to.receive(&from)
        }
    }
}

/// One rename out of the target; `AlreadyExists` when the file is not the one to remove.
fn take_away(step: &Rename, staging: &Staging, target: &Path) -> io::Result<()> {
    let from = AnchoredPath::open(target, &step.path)?;
    let (contents, _) = from.read()?;
    if step.replaces.as_ref() != Some(&sha256(&contents)) {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    from.give(&staging.removed_files().join(&step.path))
}

/// `changes` say what a new folder may hold: what somebody else has put there since must not vanish with it.
fn take_back(
    step: &Rename,
    staging: &Staging,
    target: &Path,
    changes: &[Change],
) -> io::Result<()> {
    let new = staging.new_files().join(&step.path);
    let to = AnchoredPath::open(target, &step.path)?;
    if step.removes {
        return to.receive_new(&staging.removed_files().join(&step.path));
    }
    if step.replaces.is_none() {
        only_ours(target, &step.path, changes)?;
        return to.give(&new);
    }
    let change = changes.iter().find(|change| change.path == step.path);
    let former = change.and_then(|change| change.replaces.as_deref());
    let old = staging.removed_files().join(&step.path);
    let (contents, permissions) = to.read()?;
    write_synced(&old, former.unwrap_or_default())?;
    fs::set_permissions(&old, permissions)?;
    give_to_owner_of(&fs::metadata(target)?, std::slice::from_ref(&old));
    // The new one stays for a later run.
    write_synced(&new, &contents)?;
    to.receive(&old)
}

/// Fails when the file or folder at `path` holds a file that no change has put there.
fn only_ours(target: &Path, path: &str, changes: &[Change]) -> io::Result<()> {
    let found = target.join(path);
    if !fs::symlink_metadata(&found)?.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(found)? {
        let entry = entry?;
        let name = entry.file_name();
        let ours = name.to_str().map(|name| format!("{path}/{name}"));
        let ours = ours.filter(|ours| {
            let below = format!("{ours}/");
            changes
                .iter()
                .any(|change| change.path == *ours || change.path.starts_with(&below))
        });
        match ours {
            Some(ours) => only_ours(target, &ours, changes)?,
            None => {
                return Err(io::Error::other(format!(
                    "`{}` was created there in the meantime",
                    entry.path().display()
                )));
            }
        }
    }
    Ok(())
}

fn make_parent(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)
}

fn explain(path: &Path, error: io::Error) -> Error {
    if somebody_else(&error) {
        Error::Changed(path.to_owned())
    } else {
        Error::io(path, error)
    }
}

/// Whether an error says that somebody has put something in place, or taken it away, since the target was compared.
fn somebody_else(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// Makes the renames lasting, and removes the folders that they have left empty. Everything is in its place: that neither is
/// possible is no reason to take it back.
fn finish(journal: &Journal, target: &Path) {
    let mut folders: Vec<_> = (journal.steps.iter())
        .filter_map(|step| target.join(&step.path).parent().map(Path::to_owned))
        .collect();
    folders.dedup();
    for folder in folders {
        let _ = sync_folder(&folder);
    }
    for step in journal.steps.iter().filter(|step| step.removes) {
        for (end, _) in step.path.match_indices('/').rev() {
            let folder = AnchoredPath::open(target, &step.path[..end]);
            if folder.is_ok_and(|folder| folder.remove_empty_folder().is_err()) {
                break;
            }
        }
    }
}
