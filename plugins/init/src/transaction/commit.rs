//! Moves staged files into place.

use std::fs::{self, Permissions};
use std::io;
use std::path::{Path, PathBuf};

use bot_cli_protocol::failure::Failure;
use serde::{Deserialize, Serialize};

use super::staging::{BEGUN, Staging};
use super::{BEFORE, Change, Old, changed, is_inside, stuck, unwritten};
use crate::digest::sha256;
use crate::platform::{give_to_owner_of, move_new, sync as sync_folder};
use crate::record;

/// The steps of a creation or an update, in order. The next run uses a saved journal to complete an interrupted creation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Journal {
    pub(super) steps: Vec<Step>,
}

/// A rename from the staging folder into the target, or the removal of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Step {
    /// The path of a file, or of a new folder with its contents, relative to the target.
    pub(super) path: String,
    /// The hash of the file to replace or remove, or `None` if the file must not exist yet.
    pub(super) replaces: Option<String>,
    /// Whether the step removes a file. Not serialized, because a saved journal contains no removals.
    #[serde(skip)]
    pub(super) removes: bool,
}

impl Journal {
    /// Combines `changes` into the fewest possible renames, moving each new subtree as a whole. Backups come first and the record comes
    /// last. Within the record, the archive is last, because it can be rebuilt from the other files.
    pub(super) fn of(changes: &[Change], target: &Path) -> Self {
        let mut ordered: Vec<&Change> = changes.iter().collect();
        ordered.sort_by_key(|change| {
            let is_base = change.path == record::BASE;
            let is_kept = change.path.starts_with(BEFORE);
            let is_of_record = is_of_record(&change.path) && !is_kept;
            (!is_kept, is_of_record, is_base, change.bytes.is_none())
        });
        let mut steps: Vec<Step> = Vec::new();
        for change in ordered {
            let step = Step {
                path: match change.replaces {
                    None => new_part(&change.path, target).to_owned(),
                    Some(_) => change.path.clone(),
                },
                replaces: change.replaces.as_deref().map(sha256),
                removes: change.bytes.is_none(),
            };
            if !steps.contains(&step) {
                steps.push(step);
            }
        }
        Self { steps }
    }

    /// Saves the journal, so that the next run can complete the steps after an interruption.
    pub(super) fn write(&self, staging: &Staging) -> io::Result<()> {
        staging.put(&staging.journal(), &serde_json::to_vec(self)?)
    }

    pub(super) fn read(staging: &Staging) -> io::Result<Option<Self>> {
        let bytes = match fs::read(staging.journal()) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let journal: Self = serde_json::from_slice(&bytes)?;
        if journal.steps.iter().all(|step| is_inside(&step.path)) {
            Ok(Some(journal))
        } else {
            Err(io::Error::other("it names a path outside the target"))
        }
    }
}

fn is_of_record(path: &str) -> bool {
    Path::new(path).starts_with(record::FOLDER)
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

/// Makes the changes for a new project. If a step fails, reverses the previous steps.
pub(super) fn create(changes: &[Change], staging: &Staging, target: &Path) -> Result<(), Failure> {
    let journal = Journal::of(changes, target);
    (journal.write(staging)).map_err(|error| unwritten(staging.path(), error))?;
    for (done, step) in journal.steps.iter().enumerate() {
        if let Err(error) = put(step, staging, target) {
            for step in journal.steps[..done].iter().rev() {
                take_back(step, staging, target, changes)
                    .map_err(|error| stuck(&step.path, error))?;
            }
            return Err(failure(Path::new(&step.path), error));
        }
    }
    finish(&journal, target);
    Ok(())
}

/// Makes the changes in an update. If the first change fails, `target` is unchanged.
pub(super) fn update(
    changes: &[Change],
    staging: &Staging,
    target: &Path,
    old: Old,
) -> Result<(), Failure> {
    let project = changes.iter().find(|it| it.path == record::PROJECT);
    if let Some(record) = project.and_then(|project| project.bytes.as_deref()) {
        let begun = target.join(BEGUN);
        (staging.put(&begun, record)).map_err(|error| unwritten(&begun, error))?;
    }
    let former = staging.removed("before");
    if old == Old::Kept
        && is_there(&target.join(BEFORE))
        && let Err(error) = inside(target, BEFORE).and_then(|before| fs::rename(before, &former))
    {
        return Err(unwritten(Path::new(BEFORE), error));
    }
    let journal = Journal::of(changes, target);
    for (done, step) in journal.steps.iter().enumerate() {
        if let Err(error) = put(step, staging, target) {
            if done > 0 {
                return Err(stuck(&step.path, error));
            }
            if is_there(&former) {
                let _ = fs::rename(&former, target.join(BEFORE));
            }
            return Err(failure(Path::new(&step.path), error));
        }
    }
    finish(&journal, target);
    Ok(())
}

/// Completes the steps in a journal, and returns the paths that have changed in the meantime. The record is written only if no paths have
/// changed.
pub(super) fn complete(
    journal: &Journal,
    staging: &Staging,
    target: &Path,
) -> Result<Vec<String>, Failure> {
    let mut left = Vec::new();
    for step in &journal.steps {
        let is_done = !is_there(&staging.new_files().join(&step.path));
        if is_done || !left.is_empty() && is_of_record(&step.path) {
            continue;
        }
        match put(step, staging, target) {
            Ok(()) => {}
            Err(error) if is_change(&error) => left.push(step.path.clone()),
            Err(error) => return Err(stuck(&step.path, error)),
        }
    }
    finish(journal, target);
    Ok(left)
}

/// Performs one step. Fails with `AlreadyExists` if the target contains an unexpected file.
fn put(step: &Step, staging: &Staging, target: &Path) -> io::Result<()> {
    let from = staging.new_files().join(&step.path);
    let to = inside(target, &step.path)?;
    let Some(expected) = &step.replaces else {
        return move_new(&from, &to);
    };
    let (contents, permissions) = read(&to)?;
    let hash = sha256(&contents);
    if hash != *expected {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    if step.removes {
        return fs::rename(to, staging.removed(&hash));
    }
    fs::set_permissions(&from, permissions)?;
    fs::rename(from, to)
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

/// Reverses one step of a creation. Keeps a new folder if another program has added a file to it.
fn take_back(step: &Step, staging: &Staging, target: &Path, changes: &[Change]) -> io::Result<()> {
    let of_step = |change: &&Change| Path::new(&change.path).starts_with(&step.path);
    for change in changes.iter().filter(of_step) {
        let at = inside(target, &change.path)?;
        let Some(former) = &change.replaces else {
            fs::rename(at, staging.removed(&sha256(change.path.as_bytes())))?;
            remove_empty_folders(&change.path, step.path.len(), target);
            continue;
        };
        let (_, permissions) = read(&at)?;
        let old = staging.removed(&sha256(former));
        staging.put(&old, former)?;
        fs::set_permissions(&old, permissions)?;
        give_to_owner_of(&fs::metadata(target)?, std::slice::from_ref(&old));
        fs::rename(&old, at)?;
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

fn failure(path: &Path, error: io::Error) -> Failure {
    if is_change(&error) {
        changed(path)
    } else {
        unwritten(path, error)
    }
}

/// Reports whether an error indicates that the target changed after the comparison.
fn is_change(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// Syncs the renames and removes folders left empty by removals. Errors are ignored, because all files are already in place.
fn finish(journal: &Journal, target: &Path) {
    let mut folders: Vec<_> = (journal.steps.iter())
        .filter_map(|step| target.join(&step.path).parent().map(Path::to_owned))
        .collect();
    folders.dedup();
    for folder in folders {
        let _ = sync_folder(&folder);
    }
    for step in journal.steps.iter().filter(|step| step.removes) {
        remove_empty_folders(&step.path, 0, target);
    }
}
