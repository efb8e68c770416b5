//! Staged files go to their places.

use std::fs;
use std::io;
use std::path::Path;

use super::journal::{Journal, Removal, Rename};
use super::staging::{Staging, write_synced};
use super::{Change, Error};
use crate::digest::sha256;
use crate::platform::{AnchoredPath, move_new, sync as sync_folder};

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
pub(super) fn merge(changes: &[Change], staging: &Staging, target: &Path) -> Result<(), Error> {
    let journal = Journal::of(changes, target);
    for step in journal.steps.iter().filter(|step| step.replaces.is_some()) {
        keep_old(step, staging, target).map_err(|error| explain(Path::new(&step.path), error))?;
    }
    for removal in &journal.removals {
        make_parent(&staging.removed_files().join(&removal.path))
            .map_err(|error| Error::io(staging.path(), error))?;
    }
    journal
        .write(staging)
        .map_err(|error| Error::io(staging.path(), error))?;
    let mut done = Journal::default();
    for step in &journal.steps {
        if let Err(error) = put(step, staging, target) {
            all_back(&done, staging, target, changes)?;
            return Err(explain(Path::new(&step.path), error));
        }
        done.steps.push(step.clone());
    }
    for removal in &journal.removals {
        if let Err(error) = take_away(removal, staging, target) {
            all_back(&done, staging, target, changes)?;
            return Err(explain(Path::new(&removal.path), error));
        }
        done.removals.push(removal.clone());
    }
    finish(&journal, target);
    Ok(())
}

/// Takes back what is done.
fn all_back(
    done: &Journal,
    staging: &Staging,
    target: &Path,
    changes: &[Change],
) -> Result<(), Error> {
    for removal in done.removals.iter().rev() {
        AnchoredPath::open(target, &removal.path)
            .and_then(|to| to.receive_new(&staging.removed_files().join(&removal.path)))
            .map_err(|error| Error::Stuck(removal.path.clone().into(), error))?;
    }
    for step in done.steps.iter().rev() {
        take_back(step, staging, target, changes)
            .map_err(|error| Error::Stuck(step.path.clone().into(), error))?;
    }
    Ok(())
}

/// Carries out what is left of a journal. What somebody has put in place since is left as it is.
pub(super) fn complete(journal: &Journal, staging: &Staging, target: &Path) -> Result<(), Error> {
    for step in &journal.steps {
        if fs::symlink_metadata(staging.new_files().join(&step.path)).is_err() {
            continue;
        }
        if let Err(error) = put(step, staging, target)
            && !somebody_else(&error)
        {
            return Err(Error::Stuck(step.path.clone().into(), error));
        }
    }
    for removal in &journal.removals {
        if fs::symlink_metadata(staging.removed_files().join(&removal.path)).is_ok() {
            continue;
        }
        if let Err(error) = take_away(removal, staging, target)
            && !somebody_else(&error)
        {
            return Err(Error::Stuck(removal.path.clone().into(), error));
        }
    }
    finish(journal, target);
    Ok(())
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
fn take_away(removal: &Removal, staging: &Staging, target: &Path) -> io::Result<()> {
    let from = AnchoredPath::open(target, &removal.path)?;
    let (contents, _) = from.read()?;
    if sha256(&contents) != removal.removes {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    from.give(&staging.removed_files().join(&removal.path))
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
    if step.replaces.is_none() {
        only_ours(target, &step.path, changes)?;
        return to.give(&new);
    }
    let old = staging.old_files().join(&step.path);
    // An exchange leaves no moment without the file, and the new one stays for a later run.
    if to.exchange(&old).is_ok() {
        return fs::rename(old, new);
    }
    second(&to, &new)?;
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

fn keep_old(step: &Rename, staging: &Staging, target: &Path) -> io::Result<()> {
    let to = staging.old_files().join(&step.path);
    make_parent(&to)?;
    second(&AnchoredPath::open(target, &step.path)?, &to)
}

/// A second name for a file, or a copy where the filesystem has no such thing.
fn second(from: &AnchoredPath, to: &Path) -> io::Result<()> {
    from.link(to).or_else(|_| {
        let (contents, permissions) = from.read()?;
        write_synced(to, &contents)?;
        fs::set_permissions(to, permissions)
    })
}

fn make_parent(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)
}

fn explain(path: &Path, error: io::Error) -> Error {
    if somebody_else(&error) {
        Error::Changed(path.to_owned())
    } else if error.kind() == io::ErrorKind::CrossesDevices {
        // Only the first rename shows whether the staging folder is on the target's filesystem after all.
        Error::NoPlace(path.to_owned(), error)
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
    let mut folders: Vec<_> = journal
        .paths()
        .filter_map(|path| target.join(path).parent().map(Path::to_owned))
        .collect();
    folders.dedup();
    for folder in folders {
        let _ = sync_folder(&folder);
    }
    for removal in &journal.removals {
        let folders = removal.path.match_indices('/').rev();
        for (end, _) in folders {
            let folder = AnchoredPath::open(target, &removal.path[..end]);
            if folder.is_ok_and(|folder| folder.remove_empty_folder().is_err()) {
                break;
            }
        }
    }
}
