//! The record of how the project was made, beside what is in its place.

use std::io;
use std::path::Path;

use super::{Comparison, Conflict, PathState, find, kind, with_lines};
use crate::record::{self, FOLDER, Origin, RecordFile};
use crate::transaction::Change;

impl Comparison {
    /// Looks at the files of a record. Nothing else of the project may be in the way, so the project is as this record says:
    /// an older record of this program's gives way.
    pub(super) fn look_at_record(
        &mut self,
        target: &Path,
        files: Vec<RecordFile>,
    ) -> io::Result<()> {
        if files.is_empty() {
            return Ok(());
        }
        if let Some(reason) = obstacle(target)? {
            self.in_the_way(FOLDER, reason);
            return Ok(());
        }
        let origin = match find(target, record::PROJECT)? {
            PathState::File(project) => record::origin(&project),
            PathState::Nothing | PathState::Link | PathState::Obstacle(_) => Origin::Foreign,
        };
        for file in files {
            self.look_at_recorded(target, file, &origin)?;
        }
        Ok(())
    }

    fn look_at_recorded(
        &mut self,
        target: &Path,
        file: RecordFile,
        origin: &Origin,
    ) -> io::Result<()> {
        let there = match find(target, file.path)? {
            PathState::Nothing => {
                self.write(file, None);
                return Ok(());
            }
            PathState::Link => {
                self.in_the_way(file.path, "is a symbolic link");
                return Ok(());
            }
            PathState::Obstacle(reason) => {
                self.in_the_way(file.path, &reason);
                return Ok(());
            }
            PathState::File(there) => there,
        };
        if there == file.bytes {
            self.unchanged.push(file.path.to_owned());
            return Ok(());
        }
        match origin {
            Origin::Own if file.path == record::ATTRIBUTES => {
                let wanted = String::from_utf8_lossy(&file.bytes);
                match with_lines(&there, &wanted) {
                    None => self.unchanged.push(file.path.to_owned()),
                    Some(bytes) => self.write(RecordFile { bytes, ..file }, Some(there)),
                }
            }
            Origin::Own => self.write(file, Some(there)),
            Origin::Later(tool) => self.in_the_way(file.path, &record::later(tool)),
            Origin::Foreign => self.in_the_way(file.path, "already exists with other contents"),
        }
        Ok(())
    }

    fn write(&mut self, file: RecordFile, replaces: Option<Vec<u8>>) {
        self.changes.push(Change {
            replaces,
            ..Change::create(file.path, file.bytes)
        });
    }

    fn in_the_way(&mut self, path: &str, reason: &str) {
        self.conflicts.push(Conflict {
            path: path.to_owned(),
            reason: reason.to_owned(),
        });
    }
}

/// Why the record's folder can't be one.
fn obstacle(target: &Path) -> io::Result<Option<&'static str>> {
    Ok(match kind(&target.join(FOLDER))? {
        None => None,
        Some(kind) if kind.is_dir() => None,
        Some(kind) if kind.is_symlink() => Some("is a symbolic link"),
        Some(_) => Some("is not a directory"),
    })
}
