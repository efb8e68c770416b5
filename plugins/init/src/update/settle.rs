//! Decides the outcome of an update for each file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use bot_cli_protocol::failure::Failure;

use super::{About, Base, ConflictingFile, Update, markers};
use crate::digest::sha256;
use crate::merge::{self, Merged, Versions};
use crate::plan::{Existing, PlannedFile};
use crate::target::compare::{PathState, find, with_lines};
use crate::transaction::Change;

pub(super) fn all(target: &Path, base: &Base, new: &[PlannedFile]) -> Result<Update, Failure> {
    let mut update = Update::default();
    let planned: BTreeMap<&str, &PlannedFile> =
        new.iter().map(|file| (file.path.as_str(), file)).collect();
    let paths: BTreeSet<&str> = (base.hashes.keys().map(String::as_str))
        .chain(planned.keys().copied())
        .collect();
    for path in paths {
        let was = base.hashes.get(path);
        let new = planned.get(path).copied();
        match (new, find(target, path)?) {
            (None, PathState::Nothing) => {}
            (Some(new), PathState::Nothing) => {
                // A deleted folder must not reappear with only some of its files.
                if was.is_some() || base.has_deleted_folder(target, path) {
                    update.note(About::Deleted, path, "");
                } else {
                    update.change(About::Created, Change::create(path, new.text.as_str()));
                }
            }
            (Some(new), _) if was == Some(&sha256(new.text.as_bytes())) => {}
            (Some(new), PathState::File(bytes)) => update.settle(base, new, bytes),
            (Some(_), there) => update.note(About::Obstacle, path, there.obstacle()),
            (None, PathState::File(bytes)) if base.has(path, &bytes) => {
                update.change(About::Removed, Change::remove(path, bytes));
            }
            (None, PathState::File(_)) => {
                update.note(About::Kept, path, "no longer generated, and edited by you");
            }
            (None, there) => {
                let why = format!("no longer generated, and {}", there.obstacle());
                update.note(About::Kept, path, why);
            }
        }
    }
    Ok(update)
}

pub(crate) fn is_recorded(base: &Base, change: &Change) -> bool {
    let there = change.replaces.as_deref();
    there.is_some_and(|there| base.has(&change.path, there))
}

impl Base {
    /// Reports whether `path` is in a folder that contained generated files and that the user deleted.
    fn has_deleted_folder(&self, target: &Path, path: &str) -> bool {
        let folder = gone(target, path);
        folder != path && self.hashes.keys().any(|file| file.starts_with(folder))
    }

    /// Reports whether a file is unchanged except for line endings. Requires the recovered text, because a matching hash is not enough.
    fn has(&self, path: &str, bytes: &[u8]) -> bool {
        let text = self.texts.get(path);
        text.is_some_and(|text| same_lines(bytes, text.as_bytes()))
    }
}

impl Update {
    fn settle(&mut self, base: &Base, new: &PlannedFile, bytes: Vec<u8>) {
        let path = new.path.as_str();
        if same_lines(&bytes, new.text.as_bytes()) {
            return;
        }
        let is_generated = base.hashes.contains_key(path);
        if !is_generated && new.existing == Existing::AddLines {
            if let Some(merged) = with_lines(&bytes, &new.text) {
                self.change(About::Merged, Change::replace(path, bytes, merged));
            }
            return;
        }
        let Ok(yours) = String::from_utf8(bytes) else {
            return self.note(About::Obstacle, path, "is not UTF-8, so it can't be merged");
        };
        let versions = |base| Versions {
            base,
            yours: &yours,
            new: &new.text,
        };
        let merged = match base.texts.get(path) {
            Some(base) => merge::merge(path, &versions(base)),
            None if is_generated => {
                let why = "was edited, and the record no longer has the text that was generated";
                return self.note(About::Obstacle, path, why);
            }
            None => Merged::contested(&versions("")),
        };
        for note in &merged.notes {
            self.note(About::Review, path, note);
        }
        match merged.text() {
            Some(text) if text == yours => {}
            Some(text) => {
                let is_unedited = text == new.text || base.has(path, yours.as_bytes());
                let fate = if is_unedited {
                    About::Changed
                } else {
                    About::Merged
                };
                self.change(fate, Change::replace(path, yours, text));
            }
            None => {
                let (text, markers) = markers::write(&merged);
                let conflicts = merged.conflicts().zip(markers);
                self.conflicts
                    .extend(conflicts.map(|(lines, marker)| ConflictingFile {
                        path: path.to_owned(),
                        lines: lines.clone(),
                        marker,
                    }));
                self.changes.push(Change::replace(path, yours, text));
            }
        }
    }
}

/// Returns the topmost missing folder in a path, with a trailing `/`, or the path itself if no folder is missing.
pub(crate) fn gone<'p>(target: &Path, path: &'p str) -> &'p str {
    let mut folders = path.match_indices('/').map(|(end, _)| &path[..=end]);
    let gone = folders.find(|folder| !target.join(folder).exists());
    gone.unwrap_or(path)
}

/// Reports whether two files have the same lines, regardless of line endings.
pub(super) fn same_lines(one: &[u8], other: &[u8]) -> bool {
    plain_lines(one).eq(plain_lines(other))
}

fn plain_lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = text.split(|byte| *byte == b'\n');
    lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line))
}
