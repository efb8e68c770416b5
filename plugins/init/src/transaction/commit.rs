//! Moves the prepared files into place, or takes back what was moved.

use std::fs::{self, Permissions};
use std::io;
use std::path::{Path, PathBuf};

use bot_cli_protocol::failure::Failure;

use super::staging::{Staging, ignore_missing};
use super::{BEFORE, Change, Old, changed, stuck, unwritten};
use crate::platform::{give_to_owner_of, move_new, sync as sync_folder};
use crate::record;

/// A rename from the staging folder into the target, or the removal of a file.
#[derive(Clone, Copy)]
pub(super) struct PathChange<'c> {
    /// The path of a file, or of a new folder with its contents, relative to the target.
    pub(super) path: &'c str,
    change: &'c Change,
}

/// Combines `changes` into the fewest possible renames, moving each new subtree as a whole. The record comes last. Within the record, the
/// archive is last, because it can be rebuilt from the other files.
pub(super) fn steps<'c>(changes: &'c [Change], target: &Path) -> Vec<PathChange<'c>> {
    let mut ordered: Vec<&Change> = changes.iter().collect();
    ordered.sort_by_key(|change| {
        let is_base = change.path == record::BASE;
        (change.is_of_record(), is_base, change.bytes.is_none())
    });
    let mut steps: Vec<PathChange> = Vec::new();
    for change in ordered {
        let path = match change.replaces {
            None => new_part(&change.path, target),
            Some(_) => &change.path,
        };
        if steps.iter().all(|step| step.path != path) {
            steps.push(PathChange { path, change });
        }
    }
    steps
}

/// Returns the shortest prefix of `path` that does not exist in the target.
fn new_part<'a>(path: &'a str, target: &Path) -> &'a str {
    path.match_indices('/')
        .map(|(end, _)| &path[..end])
        .find(|part| !is_there(&target.join(part)))
        .unwrap_or(path)
}

fn is_there(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// Renames the staged tree to `root`, which must not exist yet.
pub(super) fn appear(staging: &Staging, root: &Path, changes: &[Change]) -> Result<(), Failure> {
    if let Some(gone) = changes.iter().find(|change| change.replaces.is_some()) {
        return Err(changed(Path::new(&gone.path)));
    }
    move_new(&staging.new_files(), root).map_err(|error| failure(root, error))?;
    if let Some(parent) = root.parent() {
        // Everything is in its place, so a failed sync is no reason to undo it.
        let _ = sync_folder(parent);
    }
    Ok(())
}

/// Makes all changes. If a step fails, reverses the previous steps.
pub(super) fn put_all(
    staging: &Staging,
    target: &Path,
    changes: &[Change],
    old: Old,
) -> Result<(), Failure> {
    let steps = steps(changes, target);
    let files = steps.partition_point(|step| !step.change.is_of_record());
    let (mut done, mut is_kept) = (0, false);
    let mut put_each = |steps: &[PathChange]| {
        steps.iter().try_for_each(|step| {
            put(step, staging, target).map_err(|error| failure(Path::new(step.path), error))?;
            done += 1;
            Ok(())
        })
    };
    let made = (staging.begin())
        .and_then(|()| put_each(&steps[..files]))
        .and_then(|()| match old {
            Old::Given => Ok(()),
            Old::Kept => {
                is_kept = true;
                keep(staging, target)
            }
        })
        .and_then(|()| put_each(&steps[files..]));
    if made.is_ok() {
        finish(&steps, target);
        return Ok(());
    }
    if is_kept {
        give_back(staging, target).map_err(|error| stuck(BEFORE, error))?;
    }
    for step in steps[..done].iter().rev() {
        take_back(step, staging, target, changes).map_err(|error| stuck(step.path, error))?;
    }
    made
}

/// Performs one step. Fails with `AlreadyExists` if the target contains an unexpected file.
fn put(step: &PathChange, staging: &Staging, target: &Path) -> io::Result<()> {
    let from = staging.new_files().join(step.path);
    let to = inside(target, step.path)?;
    let Some(expected) = &step.change.replaces else {
        return move_new(&from, &to);
    };
    let (contents, permissions) = read(&to)?;
    if contents != *expected {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    if step.change.bytes.is_none() {
        return fs::rename(to, staging.removed(step.path));
    }
    fs::set_permissions(&from, permissions)?;
    fs::rename(from, to)
}

/// Replaces the backup of an earlier update, which moves to the staging folder.
fn keep(staging: &Staging, target: &Path) -> Result<(), Failure> {
    let kept = || -> io::Result<()> {
        let before = inside(target, BEFORE)?;
        ignore_missing(fs::rename(&before, staging.older()))?;
        fs::rename(staging.old(), before)
    };
    kept().map_err(|error| unwritten(Path::new(BEFORE), error))
}

/// Reverses [`keep`], even if it failed halfway.
fn give_back(staging: &Staging, target: &Path) -> io::Result<()> {
    let before = || inside(target, BEFORE);
    if !is_there(&staging.old()) {
        ignore_missing(fs::rename(before()?, staging.old()))?;
    }
    if is_there(&staging.older()) {
        fs::rename(staging.older(), before()?)?;
    }
    Ok(())
}

/// Joins `path` to the target. Returns an error if a symbolic link in the path could lead outside the target.
pub(super) fn inside(target: &Path, path: &str) -> io::Result<PathBuf> {
    for (end, _) in path.match_indices('/') {
        if !fs::symlink_metadata(target.join(&path[..end]))?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
    }
    Ok(target.join(path))
}

/// Reads a regular file. Fails with `AlreadyExists` for any other file type.
pub(super) fn read(path: &Path) -> io::Result<(Vec<u8>, Permissions)> {
    let found = fs::symlink_metadata(path)?;
    if found.is_file() {
        Ok((fs::read(path)?, found.permissions()))
    } else {
        Err(io::ErrorKind::AlreadyExists.into())
    }
}

/// Reverses one step. Keeps a new folder if another program has added a file to it.
fn take_back(
    step: &PathChange,
    staging: &Staging,
    target: &Path,
    changes: &[Change],
) -> io::Result<()> {
    let of_step = |change: &&Change| Path::new(&change.path).starts_with(step.path);
    for change in changes.iter().filter(of_step) {
        let at = inside(target, &change.path)?;
        let removed = staging.removed(&change.path);
        let Some(former) = &change.replaces else {
            fs::rename(at, removed)?;
            remove_empty_folders(&change.path, step.path.len(), target);
            continue;
        };
        if change.bytes.is_some() {
            let (_, permissions) = read(&at)?;
            fs::write(&removed, former)?;
            fs::set_permissions(&removed, permissions)?;
            give_to_owner_of(&fs::metadata(target)?, std::slice::from_ref(&removed));
        }
        fs::rename(removed, at)?;
    }
    Ok(())
}

/// Removes the empty parent folders of a path, innermost first. Stops when a folder's path is shorter than `least` bytes.
fn remove_empty_folders(path: &str, least: usize, target: &Path) {
    let folders = path.match_indices('/').rev().map(|(end, _)| &path[..end]);
    for folder in folders.take_while(|folder| folder.len() >= least) {
        if inside(target, folder).and_then(fs::remove_dir).is_err() {
            break;
        }
    }
}

/// Converts a step's error to a failure. An unexpected or missing file means that the target changed during the run.
fn failure(path: &Path, error: io::Error) -> Failure {
    let is_change = matches!(
        error.kind(),
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    );
    if is_change {
        changed(path)
    } else {
        unwritten(path, error)
    }
}

/// Syncs the renames and removes folders left empty by removals. Errors are ignored, because all files are already in place.
fn finish(steps: &[PathChange], target: &Path) {
    let mut folders: Vec<_> = (steps.iter())
        .filter_map(|step| target.join(step.path).parent().map(Path::to_owned))
        .collect();
    folders.dedup();
    for folder in folders {
        let _ = sync_folder(&folder);
    }
    for step in steps.iter().filter(|step| step.change.bytes.is_none()) {
        remove_empty_folders(step.path, 0, target);
    }
}
