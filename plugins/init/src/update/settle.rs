//! Decides what becomes of each file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use bot_cli_protocol::failure::Failure;

use super::{Base, Conflict, Update, markers};
use crate::digest::sha256;
use crate::merge::{self, Merged, Versions};
use crate::plan::{Existing, PlannedFile};
use crate::target::compare::{PathState, find, unreadable, with_lines};
use crate::transaction::Change;

pub(super) fn all(target: &Path, base: &Base, new: &[PlannedFile]) -> Result<Update, Failure> {
    let mut update = Update::default();
    let planned: BTreeMap<&str, &PlannedFile> =
        new.iter().map(|file| (file.path.as_str(), file)).collect();
    let paths: BTreeSet<&str> = (base.hashes.keys().map(String::as_str))
        .chain(planned.keys().copied())
        .collect();
    let look =
        |path: &str| find(target, path).map_err(|error| unreadable(&target.join(path), error));
    for path in &paths {
        let there = look(path)?;
        let new = planned.get(path).copied();
        match (base.file(path), new, there) {
            (Some(_), Some(_), PathState::Nothing) => update.leave_deleted(target, path),
            // A part of what the user has deleted does not come back in pieces.
            (None, Some(_), PathState::Nothing) if base.has_deleted_folder(target, path) => {
                update.leave_deleted(target, path);
            }
            (None, Some(new), there) => update.settle_new(path, new, there),
            (Some(was), Some(new), there) => update.settle_both(path, was, new, there),
            (Some(was), None, there) => update.settle_old(path, was, there),
            (None, None, _) => {}
        }
    }
    Ok(update)
}

/// A generated file as it was.
#[derive(Clone, Copy)]
struct Was<'a> {
    hash: &'a str,
    text: Option<&'a str>,
}

impl Base {
    /// Whether files were generated in a folder of the path, and the folder is gone.
    fn has_deleted_folder(&self, target: &Path, path: &str) -> bool {
        let folder = gone(target, path);
        folder != path && self.hashes.keys().any(|file| file.starts_with(&folder))
    }

    fn file(&self, path: &str) -> Option<Was<'_>> {
        Some(Was {
            hash: self.hashes.get(path)?,
            text: self.texts.get(path).map(String::as_str),
        })
    }
}

impl Was<'_> {
    /// Tells whether nobody has edited the file; who has only a hash has no proof. A version control that converts the ends of lines edits nothing.
    fn is(&self, bytes: &[u8]) -> bool {
        self.text.is_some_and(|text| is_same(bytes, text))
    }
}

impl Update {
    /// A file that the user has deleted, alone or with its folder.
    fn leave_deleted(&mut self, target: &Path, path: &str) {
        self.deleted.push(path.to_owned());
        self.gone.insert(gone(target, path));
    }

    /// A file that was not generated before.
    fn settle_new(&mut self, path: &str, new: &PlannedFile, there: PathState) {
        match there {
            PathState::Nothing => {
                self.created.push(path.to_owned());
                self.changes.push(Change::create(path, new.text.as_str()));
            }
            PathState::File(bytes) if is_same(&bytes, &new.text) => {}
            PathState::File(bytes) if new.existing == Existing::AddLines => {
                if let Some(merged) = with_lines(&bytes, &new.text) {
                    self.merged.push(path.to_owned());
                    self.changes.push(Change::replace(path, bytes, merged));
                }
            }
            PathState::File(bytes) => match String::from_utf8(bytes) {
                Ok(yours) => {
                    let merged = Merged::contested(&Versions {
                        base: "",
                        yours: &yours,
                        new: &new.text,
                    });
                    self.take(path, yours, &merged, &new.text);
                }
                Err(_) => self.stuck(
                    path,
                    "is yours and not UTF-8, and the update has a file of this name",
                ),
            },
            PathState::Link => self.stuck(path, "is a symbolic link"),
            PathState::Obstacle(reason) => self.stuck(path, reason),
        }
    }

    /// A file that was generated and is generated now.
    fn settle_both(&mut self, path: &str, was: Was, new: &PlannedFile, there: PathState) {
        if sha256(new.text.as_bytes()) == was.hash {
            return;
        }
        let bytes = match there {
            PathState::File(bytes) => bytes,
            PathState::Link => return self.stuck(path, "is a symbolic link"),
            PathState::Obstacle(reason) => return self.stuck(path, reason),
            PathState::Nothing => return,
        };
        if is_same(&bytes, &new.text) {
            return;
        }
        if was.is(&bytes) {
            let text = if has_crlf(&bytes) {
                new.text.replace('\n', "\r\n")
            } else {
                new.text.clone()
            };
            self.changed.push(path.to_owned());
            self.changes.push(Change::replace(path, bytes, text));
            return;
        }
        let Ok(yours) = String::from_utf8(bytes) else {
            return self.stuck(path, "was edited and is not UTF-8");
        };
        let Some(base) = was.text else {
            return self.stuck(
                path,
                "was edited, and the record no longer has the text that was generated",
            );
        };
        let versions = Versions {
            base,
            yours: &yours,
            new: &new.text,
        };
        let merged = merge::merge(&new.path, &versions);
        self.take(path, yours, &merged, &new.text);
    }

    /// A file that is no longer generated.
    fn settle_old(&mut self, path: &str, was: Was, there: PathState) {
        let gone = "no longer generated";
        match there {
            PathState::File(bytes) if was.is(&bytes) => {
                self.removed.push(path.to_owned());
                self.changes.push(Change::remove(path, bytes));
            }
            PathState::File(_) => self.keep(path, format!("{gone}, and edited by you")),
            PathState::Link => self.keep(path, format!("{gone}, and a symbolic link")),
            PathState::Obstacle(reason) => {
                self.keep(path, format!("{gone}, and in the way: {reason}"));
            }
            PathState::Nothing => {}
        }
    }

    /// Takes what came of a merge of the user's file at `path`.
    fn take(&mut self, path: &str, yours: String, merged: &Merged, new: &str) {
        for note in &merged.notes {
            self.review(path, note);
        }
        let text = if let Some(text) = merged.text() {
            if text == yours {
                return;
            }
            let list = if text == new {
                &mut self.changed
            } else {
                &mut self.merged
            };
            list.push(path.to_owned());
            text
        } else {
            let (text, markers) = markers::write(merged);
            let conflicts = merged.conflicts().zip(markers);
            self.conflicts
                .extend(conflicts.map(|(lines, marker)| Conflict {
                    path: path.to_owned(),
                    lines: lines.clone(),
                    marker,
                }));
            text
        };
        self.changes.push(Change::replace(path, yours, text));
    }
}

/// The topmost folder of a path that is not there, with `/` at its end, or the path itself.
fn gone(target: &Path, path: &str) -> String {
    let mut folders = path.match_indices('/').map(|(end, _)| &path[..=end]);
    let gone = folders.find(|folder| !target.join(folder).exists());
    gone.unwrap_or(path).to_owned()
}

fn is_same(bytes: &[u8], text: &str) -> bool {
    same_lines(bytes, text.as_bytes())
}

/// Whether a file has these lines, however they end.
pub(super) fn same_lines(bytes: &[u8], lines: &[u8]) -> bool {
    bytes == lines || has_crlf(bytes) && without_crlf(bytes) == without_crlf(lines)
}

fn has_crlf(bytes: &[u8]) -> bool {
    bytes.windows(2).any(|pair| pair == b"\r\n")
}

/// `bytes` with `\n` for `\r\n`.
fn without_crlf(bytes: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(bytes.len());
    for (index, byte) in bytes.iter().enumerate() {
        if *byte != b'\r' || bytes.get(index + 1) != Some(&b'\n') {
            plain.push(*byte);
        }
    }
    plain
}
