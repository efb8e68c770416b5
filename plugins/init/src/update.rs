//! Changes a project that its user has worked on: compares what was generated, what is there, and what is generated now. Nothing is
//! written here.

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

use std::collections::BTreeMap;
use std::path::Path;

use bot_cli_protocol::failure::Failure;

use crate::merge;
use crate::plan::PlannedFile;
use crate::record;
use crate::target::compare::{Comparison, unreadable};
use crate::transaction::Change;
pub(crate) use settle::{gone, is_recorded};

/// The generated files of a project, as they were.
#[derive(Debug)]
pub(crate) struct Base {
    /// The SHA-256 of each, by its path.
    pub hashes: BTreeMap<String, String>,
    /// Their texts, as far as they are known.
    pub texts: BTreeMap<String, String>,
}

/// An update, with a word on every file that it is about. Lists are in the order of their paths.
#[derive(Debug, Default)]
pub(crate) struct Update {
    /// The files to write and to remove. Where something is in conflict, the text has markers.
    pub changes: Vec<Change>,
    pub files: Vec<(Fate, String)>,
    /// Lines that the user and the update have changed in different ways.
    pub conflicts: Vec<Conflict>,
    pub notes: Vec<Note>,
}

/// What becomes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fate {
    Created,
    /// Without edits of the user.
    Changed,
    /// With the edits of the user and those of the update.
    Merged,
    /// No longer generated, and not edited by the user.
    Removed,
    /// Deleted by the user before; it stays deleted.
    Deleted,
}

impl Fate {
    pub(crate) const ALL: [(Self, &'static str); 5] = [
        (Self::Created, "created"),
        (Self::Changed, "changed"),
        (Self::Merged, "merged"),
        (Self::Removed, "removed"),
        (Self::Deleted, "deleted"),
    ];
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Conflict {
    pub path: String,
    pub lines: merge::Conflict,
    /// The line of its first marker, if it is written.
    pub marker: usize,
}

/// A sentence about a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Note {
    pub about: About,
    /// The file; `None`: the project as a whole.
    pub path: Option<String>,
    /// The line, counted from 1.
    pub line: Option<usize>,
    /// Without a full stop. Of an obstacle, the rest of a sentence about the file.
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum About {
    /// A file that stays although the update would have done something to it.
    Kept,
    /// The update can't be made.
    Obstacle,
    /// To look at although nothing is in conflict.
    Review,
    /// The record and the code say different things.
    Disagreement,
}

impl Update {
    /// Compares the files of a project in `target`, of which `base` is known, with those that `new` generates. The project was made for
    /// the range `framework` of releases.
    pub(crate) fn plan(
        target: &Path,
        base: &Base,
        new: &[PlannedFile],
        framework: &str,
    ) -> Result<Self, Failure> {
        let mut update = settle::all(target, base, new)?;
        if !update.changes.is_empty() {
            update.look_over(target, framework)?;
        }
        Ok(update)
    }

    /// Looks at the Python of the project as it would be after the update, for what no file shows for itself: imports of what is gone, and
    /// names that the framework had in the range `framework` of releases.
    fn look_over(&mut self, target: &Path, framework: &str) -> Result<(), Failure> {
        let before = walk::python(target).map_err(|error| unreadable(target, error))?;
        let mut after = before.clone();
        let is_in_conflict = |path: &str| self.conflicts.iter().any(|one| one.path == path);
        for change in &self.changes {
            match change.bytes.as_deref().map(str::from_utf8) {
                // Markers are no code.
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
        Ok(())
    }

    /// Adds the guides and the record.
    pub(crate) fn add(&mut self, beside: Comparison) {
        for change in beside.changes {
            let fate = match change.replaces {
                None => Fate::Created,
                Some(_) => Fate::Changed,
            };
            self.files.push((fate, change.path.clone()));
            self.changes.push(change);
        }
        for (path, reason) in beside.conflicts {
            self.note(About::Obstacle, &path, reason);
        }
        for kept in beside.kept {
            self.note(About::Kept, &kept.change.path, kept.guide.words());
        }
        self.files.sort();
        self.changes.sort_by(|one, other| one.path.cmp(&other.path));
    }

    /// Returns whether the update can't be made without the user.
    pub(crate) fn has_conflicts(&self) -> bool {
        !self.conflicts.is_empty() || self.about(About::Obstacle).next().is_some()
    }

    /// Returns whether the user's files stay as they are. The record alone is no affair of theirs.
    pub(crate) fn changes_nothing(&self) -> bool {
        self.changes.iter().all(is_of_record)
            && !self.has_conflicts()
            && self.about(About::Disagreement).next().is_none()
    }

    pub(crate) fn about(&self, about: About) -> impl Iterator<Item = &Note> {
        self.notes.iter().filter(move |note| note.about == about)
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

/// Returns whether a change is of the record.
pub(crate) fn is_of_record(change: &Change) -> bool {
    change.path.starts_with(record::FOLDER)
}
