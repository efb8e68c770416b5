//! Puts plugins in place and takes them away, so that there is the old one or the new one whenever the process ends.

use std::fs;
use std::io;
use std::path::Path;

use bot_cli_sdk::failure::{Exit, Failure, reason};
use tempfile::TempDir;

use super::disk::{self, OLD, STAGING, not_written};
use super::home::{Form, Home, Turn};
use super::record::{Entry, Record};
use super::sum;

/// What is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replace {
    /// There is nothing in the place.
    Nothing,
    /// A plugin of the same form is in the place.
    Old,
    /// What is in the place is the plugin, and stays as it is.
    Keep,
}

/// What is in the place of a plugin that somebody wants to have there.
#[derive(Debug)]
pub enum Found {
    /// There is nothing.
    Nothing,
    /// The same plugin, with its sum.
    Same(String, Replace),
    /// Something else, with its sum if it can be read.
    Other(Option<String>),
}

impl Found {
    /// Looks at `place` for a plugin of the sum `wanted`, which was given as `given`.
    pub fn look(place: &Path, wanted: &str, given: &Path) -> Self {
        let Ok(facts) = fs::symlink_metadata(place) else {
            return Self::Nothing;
        };
        let Ok(sum) = sum::of(place) else {
            return Self::Other(None);
        };
        let is_given = || {
            let real = fs::canonicalize(given);
            real.is_ok_and(|real| fs::canonicalize(place).is_ok_and(|place| place == real))
        };
        if sum == wanted && !facts.is_symlink() {
            // The copy has the right owner and rights, too.
            Self::Same(sum, Replace::Old)
        } else if sum == wanted || is_given() {
            // A link stays one, and the files of a folder that are not copied stay as well.
            Self::Same(sum, Replace::Keep)
        } else {
            Self::Other(Some(sum))
        }
    }
}

/// A private folder on the file system of the plugins.
pub fn staging(home: &Home) -> Result<TempDir, Failure> {
    disk::private_folders()
        .prefix(STAGING)
        .tempdir_in(&home.folder)
        .map_err(|error| not_written(&home.folder, error))
}

/// A private folder where nothing is put in place from.
pub fn staging_elsewhere() -> Result<TempDir, Failure> {
    let made = disk::private_folders().tempdir();
    made.map_err(|error| not_written(&std::env::temp_dir(), error))
}

/// Puts the plugin at `staged` in its place, and `entry` into the record.
pub fn put(
    home: &Home,
    _turn: &Turn,
    record: &mut Record,
    staged: &Path,
    entry: Entry,
    replace: Replace,
) -> Result<(), Failure> {
    let place = home.place(&entry.name, entry.form);
    let pending = Entry {
        pending: true,
        ..entry.clone()
    };
    record.write(home, Some(pending))?;
    if let Err(error) = moved(staged, &place, entry.form, replace) {
        // Without a plugin of that sum the pending entry means nothing, so that it may stay.
        let _ = record.write(home, None);
        return Err(not_written(&place, error));
    }
    record.set(entry);
    // The pending entry says the same.
    let _ = record.write(home, None);
    Ok(())
}

fn moved(staged: &Path, place: &Path, form: Form, replace: Replace) -> io::Result<()> {
    let folder = place.parent().unwrap_or(Path::new("/"));
    match (form, replace) {
        (Form::Folder, Replace::Old) => exchange(staged, place)?,
        (Form::File, Replace::Old) | (Form::File | Form::Folder, Replace::Nothing) => {
            fs::rename(staged, place)?;
        }
        (Form::File | Form::Folder, Replace::Keep) => {}
    }
    // The plugin is in place, whether or not that is on the disk already.
    let _ = disk::sync_folder(folder);
    Ok(())
}

/// Puts the folder at `staged` in the place of another, in one step where the system can.
fn exchange(staged: &Path, place: &Path) -> io::Result<()> {
    if disk::exchange(staged, place).is_ok() {
        return Ok(());
    }
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    let old = place.with_file_name(format!("{OLD}{name}"));
    fs::rename(place, &old)?;
    if let Err(error) = fs::rename(staged, place) {
        fs::rename(&old, place)?;
        return Err(error);
    }
    // The next command removes what stays.
    let _ = fs::remove_dir_all(old);
    Ok(())
}

/// Takes a plugin away, and its entry out of the record.
pub fn remove(
    home: &Home,
    _turn: &Turn,
    record: &mut Record,
    entry: &Entry,
) -> Result<(), Failure> {
    let place = home.place(&entry.name, entry.form);
    let removed = match entry.form {
        Form::File => fs::remove_file(&place),
        Form::Folder => {
            let away = staging(home)?;
            fs::rename(&place, away.path().join("removed"))
        }
    };
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            let message = format!(
                "could not remove `{}`: {}; nothing was changed",
                place.display(),
                reason(&error)
            );
            return Err(Failure::new(Exit::Failed, "not_removed", message).caused_by(error));
        }
        Ok(()) | Err(_) => {}
    }
    record.forget(&entry.name);
    record.write(home, None).map_err(|failure| {
        let path = home.record();
        let message = format!(
            "`{}` was removed, but not its entry in `{}`",
            place.display(),
            path.display()
        );
        Failure::new(Exit::Failed, "not_written", message)
            .caused_by(failure)
            .hint(format!("bot-cli plugin remove {}", entry.name))
    })
}
