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
    let mut gone = BTreeSet::new();
    let mut fresh = Vec::new();
    for path in &paths {
        let there = look(path)?;
        let new = planned.get(path).copied();
        match (base.file(path), new, there) {
            (None, None, _) => {}
            (None, Some(new), PathState::Nothing) => fresh.push(new),
            (None, Some(new), there) => update.settle_new(path, new, there),
            (Some(_), _, PathState::Nothing) => {
                gone.insert(*path);
            }
            (Some(was), Some(new), there) => update.settle_both(path, was, new, there),
            (Some(was), None, there) => update.settle_old(path, was, there),
        }
    }
    let folders = deleted_folders(base, &gone);
    for new in fresh {
        // A part of what the user has deleted does not come back in pieces.
        if folders.iter().any(|folder| new.path.starts_with(folder)) {
            update.deleted.push(new.path.clone());
        } else {
            update.settle_new(&new.path, new, PathState::Nothing);
        }
    }
    update.deleted_folders = folders;
    let deleted = gone.into_iter().filter(|path| planned.contains_key(path));
    update.deleted.extend(deleted.map(str::to_owned));
    Ok(update)
}

/// Returns the topmost folders of which all generated files are gone, each with `/` at its end.
fn deleted_folders(base: &Base, gone: &BTreeSet<&str>) -> Vec<String> {
    let mut folders: Vec<String> = Vec::new();
    for path in gone {
        if folders.iter().any(|folder| path.starts_with(folder)) {
            continue;
        }
        let above = path.match_indices('/').map(|(end, _)| &path[..=end]);
        let mut deleted = above.filter(|folder| {
            let mut files = base.hashes.keys().filter(|file| file.starts_with(folder));
            files.all(|file| gone.contains(file.as_str()))
        });
        folders.extend(deleted.next().map(str::to_owned));
    }
    folders
}

/// A generated file as it was.
#[derive(Clone, Copy)]
struct Was<'a> {
    hash: &'a str,
    text: Option<&'a str>,
}

impl Base {
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
