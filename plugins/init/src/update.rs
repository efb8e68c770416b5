//! Changes a project that its user has worked on: compares what was generated, what is there, and what is generated now. Nothing is
//! written here.

pub(crate) mod differences;
pub(crate) mod markers;
mod migrations;
mod moved;
pub(crate) mod overlay;
mod settle;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use bot_cli_sdk::failure::Failure;

use crate::merge;
use crate::plan::PlannedFile;
use crate::record::framework;
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
    /// Files that the user has not edited.
    pub changed: Vec<String>,
    /// Files with the user's edits and those of the update.
    pub merged: Vec<String>,
    /// Files that are no longer generated and that the user has not edited.
    pub removed: Vec<String>,
    /// Files that stay although the update would have done something to them.
    pub kept: Vec<Kept>,
    /// Generated files that the user has deleted.
    pub deleted: Vec<String>,
    /// Generated files that the user has moved.
    pub moved: Vec<Moved>,
    /// Lines that the user and the update have changed in different ways.
    pub conflicts: Vec<Conflict>,
    /// Files that can't be merged.
    pub obstacles: Vec<Obstacle>,
    /// What to look at although nothing is in conflict.
    pub review: Vec<Review>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Kept {
    pub path: String,
    /// The reason, in a few words.
    pub why: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Moved {
    pub path: String,
    /// The place where the user has it.
    pub to: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Conflict {
    pub path: String,
    pub lines: merge::Conflict,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Obstacle {
    pub path: String,
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
    /// Compares the files of a project in `target`, of which `base` is known, with those that `new` generates.
    pub(crate) fn plan(target: &Path, base: &Base, new: &[PlannedFile]) -> Result<Self, Failure> {
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
        update.moved.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(update)
    }

    /// Lists the user's lines with names that the framework no longer has, in a project that was made for the `recorded` range of its
    /// releases.
    pub(crate) fn look_for_old_names(
        &mut self,
        target: &Path,
        recorded: &str,
    ) -> Result<(), Failure> {
        if recorded == framework() {
            return Ok(());
        }
        let walked = moved::walk(target, &BTreeSet::from(["py"]))
            .map_err(|error| unreadable(target, error))?;
        let mut files: BTreeMap<&str, &str> = (walked.files.iter())
            .map(|(path, text)| (path.as_str(), text.as_str()))
            .collect();
        for change in &self.changes {
            match change.bytes.as_deref().map(str::from_utf8) {
                Some(Ok(text)) if change.path.ends_with(".py") => {
                    files.insert(&change.path, text);
                }
                Some(_) => {}
                None => {
                    files.remove(change.path.as_str());
                }
            }
        }
        let files: Vec<(&str, &str)> = files.into_iter().collect();
        for found in migrations::uses(recorded, &files) {
            let instead = found.new.map(|new| format!("; it is `{new}` now"));
            let note = found.note.map(|note| format!("; {note}"));
            self.review.push(Review {
                note: format!(
                    "the framework no longer has `{}`{}{}",
                    found.old,
                    instead.unwrap_or_default(),
                    note.unwrap_or_default()
                ),
                path: Some(found.path),
                line: Some(found.line),
            });
        }
        Ok(())
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
            reason: reason.into(),
        });
    }

    fn review(&mut self, path: &str, note: impl Into<String>) {
        self.review.push(Review {
            path: Some(path.to_owned()),
            line: None,
            note: note.into(),
        });
    }
}
