//! The steps left if a run is killed between two renames.

use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::staging::Staging;
use super::{BEFORE, Change, is_inside};
use crate::digest::sha256;
use crate::record;

/// The renames of a commit, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Journal {
    pub(super) steps: Vec<Rename>,
}

/// One rename from the staging folder into the target, or out of the target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Rename {
    /// Relative to the target: a file, or a new folder with everything in it.
    pub(super) path: String,
    /// The hash of the file that is replaced or removed; `None`: nothing may be there.
    pub(super) replaces: Option<String>,
    /// Whether the file goes, and none comes, as in no journal that is written.
    #[serde(skip)]
    pub(super) removes: bool,
}

impl Rename {
    /// Whether it is about the record of the project, or about what is kept with it.
    pub(super) fn is_of_record(&self) -> bool {
        is_of_record(&self.path)
    }
}

fn is_of_record(path: &str) -> bool {
    let rest = path.strip_prefix(record::FOLDER);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

impl Journal {
    /// The fewest renames that make `changes`: what is new together moves together. What is kept comes first, removals come after the rest, and the record after
    /// everything: what it says is so then. Its archive is the very last: whoever has the record can make that again.
    pub(super) fn of(changes: &[Change], target: &Path) -> Self {
        let mut ordered: Vec<&Change> = changes.iter().collect();
        ordered.sort_by_key(|change| {
            let is_base = change.path == record::BASE;
            let is_kept = change.path.starts_with(BEFORE);
            let is_of_record = is_of_record(&change.path) && !is_kept;
            (!is_kept, is_of_record, is_base, change.bytes.is_none())
        });
        let mut steps: Vec<Rename> = Vec::new();
        for change in ordered {
            let removes = change.bytes.is_none();
            let path = match change.replaces {
                // What does not exist needs no removal.
                None if removes => continue,
                None => new_part(&change.path, target),
                Some(_) => &change.path,
            };
            let step = Rename {
                path: path.to_owned(),
                replaces: change.replaces.as_deref().map(sha256),
                removes,
            };
            if !steps.contains(&step) {
                steps.push(step);
            }
        }
        Self { steps }
    }

    /// From here on the commit will be carried out, by this run or by the next one.
    pub(super) fn write(&self, staging: &Staging) -> io::Result<()> {
        staging.put(&staging.journal(), &serde_json::to_vec(self)?)
    }

    /// The journal of a staging folder, if its run came so far.
    pub(super) fn read(staging: &Staging) -> io::Result<Option<Self>> {
        let bytes = match fs::read(staging.journal()) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let journal: Self = serde_json::from_slice(&bytes)?;
        if journal.steps.iter().all(|step| is_inside(&step.path)) {
            Ok(Some(journal))
        } else {
            Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "it names a path outside the target",
            ))
        }
    }
}

/// The topmost part of `path` that is not in the target.
fn new_part<'a>(path: &'a str, target: &Path) -> &'a str {
    path.match_indices('/')
        .map(|(end, _)| &path[..end])
        .find(|part| fs::symlink_metadata(target.join(part)).is_err())
        .unwrap_or(path)
}
