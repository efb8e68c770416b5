//! Changes a project that its user has worked on: compares what was generated, what is there, and what is generated now. Nothing is
//! written here.

pub(crate) mod brought;
pub(crate) mod committed;
pub(crate) mod differences;
mod imports;
pub(crate) mod markers;
mod migrations;
pub(crate) mod overlay;
mod settle;
pub(crate) mod walk;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use bot_cli_protocol::failure::Failure;

use crate::config::Config;
use crate::merge;
use crate::plan::PlannedFile;
use crate::target::compare::unreadable;
use crate::transaction::Change;

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
    /// New files.
    pub created: Vec<String>,
    /// Updated files without user edits.
    pub changed: Vec<String>,
    /// Files with the user's edits and those of the update.
    pub merged: Vec<String>,
    /// Files that are no longer generated and that the user has not edited.
    pub removed: Vec<String>,
    /// Files that stay although the update would have done something to them.
    pub kept: Vec<Kept>,
    /// Generated files that the user has deleted.
    pub deleted: Vec<String>,
    /// The same, each folder that is gone as a whole once, with `/` at its end.
    pub gone: BTreeSet<String>,
    /// Lines that the user and the update have changed in different ways.
    pub conflicts: Vec<Conflict>,
    /// Files that can't be merged.
    pub obstacles: Vec<Obstacle>,
    /// What to look at although nothing is in conflict.
    pub review: Vec<Review>,
    /// What is not there of recorded options.
    pub missing: Vec<Review>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Kept {
    pub path: String,
    /// The reason, in a few words.
    pub why: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Conflict {
    pub path: String,
    pub lines: merge::Conflict,
    /// The line of its first marker, if it is written.
    pub marker: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Obstacle {
    pub path: String,
    /// The line to edit first, counted from 1; `None`: the file as a whole.
    pub line: Option<usize>,
    /// The rest of a sentence about the file.
    pub reason: String,
}

/// A place to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Review {
    /// The file; `None`: the project as a whole.
    pub path: Option<String>,
    /// The line, counted from 1.
    pub line: Option<usize>,
    /// A sentence without a full stop.
    pub note: String,
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
        for list in [
            &mut update.created,
            &mut update.changed,
            &mut update.merged,
            &mut update.removed,
            &mut update.deleted,
        ] {
            list.sort();
        }
        update
            .changes
            .sort_by(|one, other| one.path.cmp(&other.path));
        update.look_over(target, framework)?;
        Ok(update)
    }

    /// Looks at the Python of the project as it would be after the update, for what no file shows for itself: imports of what is gone, and
    /// names that the framework had in the range `framework` of releases.
    fn look_over(&mut self, target: &Path, framework: &str) -> Result<(), Failure> {
        if self.changes.is_empty() {
            return Ok(());
        }
        let before = walk::python(target).map_err(|error| unreadable(target, error))?;
        let mut after = before.clone();
        let is_in_conflict = |path: &str| self.conflicts.iter().any(|one| one.path == path);
        for change in &self.changes {
            match change.bytes.as_deref().map(str::from_utf8) {
                // Markers are no code.
                _ if is_in_conflict(&change.path) => {}
                Some(Ok(text)) if walk::ending(&change.path) == "py" => {
                    after.insert(change.path.clone(), text.to_owned());
                }
                Some(_) => {}
                None => drop(after.remove(&change.path)),
            }
        }
        self.obstacles.extend(imports::broken(&before, &after));
        self.review.extend(migrations::uses(framework, &after));
        Ok(())
    }

    /// Tells whether a file is as it was generated, so that the record has it.
    pub(crate) fn is_recorded(base: &Base, change: &Change) -> bool {
        let text = base.texts.get(&change.path);
        let there = change.replaces.as_deref();
        text.zip(there)
            .is_some_and(|(text, there)| settle::same_lines(there, text.as_bytes()))
    }

    /// Tells whether the update can't be made without the user.
    pub(crate) fn has_conflicts(&self) -> bool {
        !self.conflicts.is_empty() || !self.obstacles.is_empty()
    }

    fn keep(&mut self, path: &str, why: impl Into<String>) {
        self.kept.push(Kept {
            path: path.to_owned(),
            why: why.into(),
        });
    }

    pub(crate) fn stuck(&mut self, path: &str, reason: impl Into<String>) {
        self.obstacles.push(Obstacle {
            path: path.to_owned(),
            line: None,
            reason: reason.into(),
        });
    }

    /// Looks for what the options bring of which the record says that they are on.
    pub(crate) fn look_for(&mut self, target: &Path, config: &Config, planned: &[PlannedFile]) {
        self.missing = brought::missing(target, config, planned);
    }

    /// Names new variables where no file at `explained` does.
    pub(crate) fn name_variables(&mut self, target: &Path, explained: &str, new: &[String]) {
        let is_created = self.created.iter().any(|path| path == explained);
        if !new.is_empty() && !is_created && !target.join(explained).is_file() {
            self.review.push(Review {
                path: None,
                line: None,
                note: format!("new variables to set: {}", new.join(", ")),
            });
        }
    }

    fn review(&mut self, path: &str, note: impl Into<String>) {
        self.review.push(Review {
            path: Some(path.to_owned()),
            line: None,
            note: note.into(),
        });
    }
}
