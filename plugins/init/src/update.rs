//! Plans the update of an edited project by comparing the originally generated, existing and newly generated files. Writes nothing.

pub(crate) mod brought;
pub(crate) mod committed;
pub(crate) mod differences;
mod imports;
pub(crate) mod markers;
mod migrations;
pub(crate) mod overlay;
pub(crate) mod reading;
mod settle;
pub(crate) mod walk;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use bot_cli_protocol::failure::Failure;

use crate::merge;
use crate::plan::PlannedFile;
use crate::target::compare::Comparison;
use crate::transaction::Change;
pub(crate) use settle::{gone, is_recorded};

/// A project's generated files in their original form.
#[derive(Debug)]
pub(crate) struct Base {
    /// The SHA-256 hash of each file, by path.
    pub hashes: BTreeMap<String, String>,
    /// The recovered file contents, by path.
    pub texts: BTreeMap<String, String>,
}

#[derive(Debug, Default)]
pub(crate) struct Update {
    /// The files to write and to remove. Files with conflicts contain conflict markers.
    pub changes: Vec<Change>,
    pub conflicts: Vec<ConflictingFile>,
    pub notes: Vec<Note>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ConflictingFile {
    pub path: String,
    pub lines: merge::Conflict,
    /// The line number of the first conflict marker, if the markers are written.
    pub marker: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Note {
    pub about: About,
    /// The path of the file, or `None` for the whole project.
    pub path: Option<String>,
    /// The line number, starting at 1.
    pub line: Option<usize>,
    /// The text, without a final period. For an obstacle, the text may continue a sentence that starts with the path.
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum About {
    Created,
    /// Replaced by the new version, because the user had not edited the file.
    Changed,
    Merged,
    /// Removed, because the file is no longer generated and the user had not edited it.
    Removed,
    /// Deleted by the user, and not recreated by the update.
    Deleted,
    Kept,
    Obstacle,
    /// A place for the user to check, even without a conflict.
    Review,
    Disagreement,
}

/// The notes that state only the outcome of a file, each with the outcome's name in reports.
pub(crate) const FATES: [(About, &str); 5] = [
    (About::Created, "created"),
    (About::Changed, "changed"),
    (About::Merged, "merged"),
    (About::Removed, "removed"),
    (About::Deleted, "deleted"),
];

impl Update {
    /// Plans the update of the project in `target` from the files in `base` to the `new` files. `framework` is the range of framework
    /// releases that the project was generated for.
    pub(crate) fn plan(
        target: &Path,
        base: &Base,
        new: &[PlannedFile],
        framework: &str,
    ) -> Result<Self, Failure> {
        let mut update = settle::all(target, base, new)?;
        if !update.changes.is_empty() {
            update.look_over(target, framework);
        }
        Ok(update)
    }

    /// Checks the updated Python code for imports of removed names, and for framework names that have changed since the releases in the
    /// `framework` range.
    fn look_over(&mut self, target: &Path, framework: &str) {
        let before = walk::python(target);
        let mut after = before.clone();
        let is_in_conflict = |path: &str| self.conflicts.iter().any(|one| one.path == path);
        for change in &self.changes {
            match change.bytes.as_deref().map(str::from_utf8) {
                // A file with markers is not valid code.
                _ if is_in_conflict(&change.path) => {}
                Some(Ok(text)) if walk::is_python(&change.path) => {
                    after.insert(change.path.clone(), text.to_owned());
                }
                Some(_) => {}
                None => drop(after.remove(&change.path)),
            }
        }
        self.notes.extend(imports::broken(&before, &after));
        self.notes.extend(migrations::uses(framework, &after));
    }

    pub(crate) fn add(&mut self, beside: Comparison) {
        for change in beside.changes {
            let about = match change.replaces {
                None => About::Created,
                Some(_) => About::Changed,
            };
            self.change(about, change);
        }
        for (path, reason) in beside.conflicts {
            self.note(About::Obstacle, &path, reason);
        }
        for kept in beside.kept {
            self.note(About::Kept, &kept.change.path, kept.guide.words());
        }
    }

    pub(crate) fn has_conflicts(&self) -> bool {
        !self.conflicts.is_empty() || self.about(About::Obstacle).next().is_some()
    }

    /// Reports whether the project needs no update. Changes to the record alone do not count.
    pub(crate) fn changes_nothing(&self) -> bool {
        self.changes.iter().all(Change::is_of_record)
            && !self.has_conflicts()
            && self.about(About::Disagreement).next().is_none()
    }

    pub(crate) fn about(&self, about: About) -> impl Iterator<Item = &Note> {
        self.notes.iter().filter(move |note| note.about == about)
    }

    pub(crate) fn paths(&self, fate: About) -> BTreeSet<&str> {
        let paths = self.about(fate).filter_map(|note| note.path.as_deref());
        paths.collect()
    }

    fn change(&mut self, fate: About, change: Change) {
        self.note(fate, &change.path, "");
        self.changes.push(change);
    }

    pub(crate) fn note(&mut self, about: About, path: &str, text: impl Into<String>) {
        self.notes.push(Note {
            about,
            path: Some(path.to_owned()),
            line: None,
            text: text.into(),
        });
    }
}
