//! Staged files go to their places.

use std::fs;
use std::io;
use std::path::Path;

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

use super::Error;
use super::journal::{Journal, Step, hash};
use super::staging::{Staging, sync_folder};

/// The staged tree becomes `root`, which is not there yet.
pub(super) fn appear(staging: &Staging, root: &Path) -> Result<(), Error> {
    move_new(&staging.new_files(), root).map_err(|error| explain(root, error))?;
    root.parent()
        .map_or(Ok(()), sync_folder)
        .map_err(|error| Error::io(root, error))
}

/// The staged files join those of `target`. After an error `target` is as it was.
pub(super) fn merge(journal: &Journal, staging: &Staging, target: &Path) -> Result<(), Error> {
    for step in journal.steps.iter().filter(|step| step.replaces.is_some()) {
        keep_old(step, staging, target)
            .map_err(|error| Error::Io(step.path.clone().into(), error))?;
    }
    journal
        .write(staging)
        .map_err(|error| Error::io(staging.path(), error))?;
    for (done, step) in journal.steps.iter().enumerate() {
        if let Err(error) = put(step, staging, target) {
            for step in journal.steps[..done].iter().rev() {
                take_back(step, staging, target)
                    .map_err(|error| Error::Stuck(step.path.clone().into(), error))?;
            }
            return Err(explain(Path::new(&step.path), error));
        }
    }
    sync(journal, target);
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
    sync(journal, target);
    Ok(())
}

/// One rename; `AlreadyExists` when something else is in its place.
fn put(step: &Step, staging: &Staging, target: &Path) -> io::Result<()> {
    let (from, to) = (
        staging.new_files().join(&step.path),
        target.join(&step.path),
    );
    match &step.replaces {
        None => move_new(&from, &to),
        Some(expected) => {
            let found = fs::symlink_metadata(&to)?;
            if !found.is_file() || hash(&fs::read(&to)?) != *expected {
                return Err(io::ErrorKind::AlreadyExists.into());
            }
            fs::set_permissions(&from, found.permissions())?;
            fs::rename(&from, &to)
        }
    }
}

fn take_back(step: &Step, staging: &Staging, target: &Path) -> io::Result<()> {
    let (new, to) = (
        staging.new_files().join(&step.path),
        target.join(&step.path),
    );
    if step.replaces.is_none() {
        return fs::rename(to, new);
    }
    let old = staging.old_files().join(&step.path);
    // An exchange leaves no moment without the file, and the new one stays for a later run.
    match renameat_with(CWD, &old, CWD, &to, RenameFlags::EXCHANGE) {
        Ok(()) => fs::rename(old, new),
        Err(_) => fs::rename(old, to),
    }
}

/// A second name for the file that will be replaced, or a copy where the filesystem has no such thing.
fn keep_old(step: &Step, staging: &Staging, target: &Path) -> io::Result<()> {
    let (from, to) = (
        target.join(&step.path),
        staging.old_files().join(&step.path),
    );
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::hard_link(&from, &to).or_else(|_| fs::copy(&from, &to).map(|_| ()))
}

/// A rename that never replaces anything.
fn move_new(from: &Path, to: &Path) -> io::Result<()> {
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // Some filesystems can't promise it.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => match fs::symlink_metadata(to) {
            Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
            Err(_) => fs::rename(from, to),
        },
        Err(other) => Err(other.into()),
        Ok(()) => Ok(()),
    }
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

fn sync(journal: &Journal, target: &Path) {
    let mut folders: Vec<_> = journal
        .steps
        .iter()
        .filter_map(|step| target.join(&step.path).parent().map(Path::to_owned))
        .collect();
    folders.dedup();
    // Everything is in its place: that a folder can't be synced is no reason to take it back.
    for folder in folders {
        let _ = sync_folder(&folder);
    }
}
