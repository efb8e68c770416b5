//! The steps left if a run is killed between two renames.

use std::fs;
use std::io;
use std::path::{Component, Path};

use serde::{Deserialize, Serialize};

use super::Change;
use super::staging::{Staging, write_synced};
use crate::digest::sha256;
use crate::platform::sync;

/// The renames of a commit, in order: first those into the target, then those out of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Journal {
    pub(super) steps: Vec<Rename>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) removals: Vec<Removal>,
}

/// One rename from the staging folder into the target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Rename {
    /// The destination, relative to the target: a file, or a folder with everything in it.
    pub(super) path: String,
    /// The hash of the file that is replaced; `None`: nothing may be there.
    pub(super) replaces: Option<String>,
}

/// The end of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Removal {
    /// Relative to the target.
    pub(super) path: String,
    /// The hash of the file.
    pub(super) removes: String,
}

impl Journal {
    /// The fewest renames that make `changes`: what is new together moves together.
    pub(super) fn of(changes: &[Change], target: &Path) -> Self {
        let mut steps: Vec<Rename> = Vec::new();
        let mut removals = Vec::new();
        for change in changes {
            let step = match &change.replaces {
                Some(old) if change.bytes.is_none() => {
                    removals.push(Removal {
                        path: change.path.clone(),
                        removes: sha256(old),
                    });
                    continue;
                }
                // What does not exist needs no removal.
                None if change.bytes.is_none() => continue,
                Some(old) => Rename {
                    path: change.path.clone(),
                    replaces: Some(sha256(old)),
                },
                None => Rename {
                    path: new_part(&change.path, target).to_owned(),
                    replaces: None,
                },
            };
            if !steps.contains(&step) {
                steps.push(step);
            }
        }
        Self { steps, removals }
    }

    /// The path of each rename, relative to the target.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        let removed = self.removals.iter().map(|removal| removal.path.as_str());
        (self.steps.iter())
            .map(|step| step.path.as_str())
            .chain(removed)
    }

    /// From here on the commit will be carried out, by this run or by the next one.
    pub(super) fn write(&self, staging: &Staging) -> io::Result<()> {
        let draft = staging.journal().with_extension("draft");
        write_synced(&draft, &serde_json::to_vec(self)?)?;
        fs::rename(&draft, staging.journal())?;
        sync(staging.path())
    }

    /// The journal of a staging folder, if its run came so far.
    pub(super) fn read(staging: &Staging) -> io::Result<Option<Self>> {
        let bytes = match fs::read(staging.journal()) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let journal: Self = serde_json::from_slice(&bytes)?;
        let inside = |path: &str| {
            Path::new(path)
                .components()
                .all(|part| matches!(part, Component::Normal(_)))
        };
        if journal.paths().all(inside) {
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
