//! Puts plugins in place and takes them away. The record is ready on the disk before, so that only renames are left: that of the record
//! comes first for what is put in place, and last for what is taken away.

use std::fs;
use std::io;
use std::path::Path;

use bot_cli_protocol::failure::{Exit, Failure, reason};
use tempfile::NamedTempFile;

use super::home::{Form, Home, Turn, is_there, not_written};
use super::record::{Entry, Record};

/// Puts the plugin at `staged` in its place, and `entry` into the record.
pub fn put(
    home: &Home,
    turn: &Turn,
    record: &mut Record,
    staged: &Path,
    entry: Entry,
) -> Result<(), Failure> {
    let staging = home.staging(Some(turn))?;
    let place = home.place(&entry.name, entry.form);
    let old = home.old(&place);
    // A file is replaced in one step, a folder in two. Between them, the next command puts the old one back.
    let is_moved = entry.form == Form::Folder && is_there(&place);
    let before = record.prepare(home, staging.path())?;
    record.set(entry);
    let written = record.prepare(home, staging.path())?;
    replace(home, written, "nothing was changed")?;
    let moved = || -> io::Result<()> {
        if is_moved {
            fs::rename(&place, &old)?;
        }
        fs::rename(staged, &place)
    };
    let moved = moved();
    home.sweep(turn);
    moved.map_err(|error| {
        let failed = not_written(&place, error);
        let done = format!(
            "`{}` was not replaced, but the record says so",
            place.display()
        );
        match replace(home, before, &done) {
            Ok(()) => failed,
            Err(failure) => failure.caused_by(failed),
        }
    })
}

/// Puts the entry of a plugin that is in place into the record.
pub fn write_down(
    home: &Home,
    turn: &Turn,
    record: &mut Record,
    entry: Entry,
) -> Result<(), Failure> {
    let staging = home.staging(Some(turn))?;
    record.set(entry);
    let written = record.prepare(home, staging.path())?;
    replace(home, written, "nothing was changed")
}

/// Takes a plugin away, and its entry out of the record.
pub fn remove(home: &Home, turn: &Turn, record: &mut Record, entry: &Entry) -> Result<(), Failure> {
    let staging = home.staging(Some(turn))?;
    let place = home.place(&entry.name, entry.form);
    record.forget(&entry.name);
    let written = record.prepare(home, staging.path())?;
    match fs::rename(&place, staging.path().join("removed")) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            let could_not = format!(
                "could not remove `{}`: {}; nothing was changed",
                place.display(),
                reason(&error)
            );
            return Err(Failure::new(Exit::Failed, "not_removed", could_not).caused_by(error));
        }
        Ok(()) | Err(_) => {}
    }
    replace(home, written, &format!("`{}` was removed", place.display()))
}

/// Puts the new record in the place of the old one. `done` says what was done before.
fn replace(home: &Home, written: NamedTempFile, done: &str) -> Result<(), Failure> {
    let path = home.record();
    match written.persist(&path) {
        Ok(_) => Ok(()),
        Err(error) => {
            let error = error.error;
            let could_not = format!(
                "could not write `{}`: {}; {done}",
                path.display(),
                reason(&error)
            );
            Err(Failure::new(Exit::Failed, "not_written", could_not).caused_by(error))
        }
    }
}
