//! Compares a plan with a target. Nothing is written here.

mod record;

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use bot_cli_protocol::failure::{Exit, Failure};

use crate::guides::{self, Guide};
use crate::plan::{Existing, PlannedFile};
use crate::record::{FOLDER, RecordFile};
use crate::transaction::Change;

/// A plan beside what is there.
#[derive(Debug, Default)]
pub struct Comparison {
    /// The files to write.
    pub changes: Vec<Change>,
    /// Files that are as planned already.
    pub unchanged: Vec<String>,
    /// Guides that are not ours to replace, or not without being asked.
    pub kept: Vec<Kept>,
    /// The files in the way.
    pub conflicts: Vec<Conflict>,
}

/// A guide that stays as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// The file.
    pub path: String,
    /// The state of the existing file.
    pub guide: Guide,
    /// The replacement.
    change: Change,
}

/// A file that is in the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The planned file.
    pub path: String,
    /// The reason.
    pub reason: String,
}

/// The treatment of existing guides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guides {
    /// They are kept.
    Keep,
    /// They are replaced.
    Overwrite,
}

/// Looks at every file of a plan, and of the record of it, in `target`.
pub fn compare(
    target: &Path,
    files: &[PlannedFile],
    record: Vec<RecordFile>,
    guides: Guides,
) -> Result<Comparison, Failure> {
    let mut comparison = Comparison::default();
    comparison
        .look_at_record(target, record)
        .map_err(|error| unreadable(&target.join(FOLDER), error))?;
    for file in files {
        comparison
            .look(target, file, guides)
            .map_err(|error| unreadable(&target.join(&file.path), error))?;
    }
    Ok(comparison)
}

impl Comparison {
    /// The kept guides that an older version wrote.
    pub fn stale(&self) -> impl Iterator<Item = &Kept> {
        self.kept.iter().filter(|kept| kept.guide.is_stale())
    }

    /// Replaces the guides that an older version wrote.
    pub fn refresh(&mut self) {
        for kept in self.kept.extract_if(.., |kept| kept.guide.is_stale()) {
            self.changes.push(kept.change);
        }
    }

    /// Replaces the guides that an older version wrote and that nobody has edited.
    pub fn refresh_unedited(&mut self) {
        let is_unedited =
            |kept: &mut Kept| matches!(kept.guide, Guide::Older { edited: false, .. });
        for kept in self.kept.extract_if(.., is_unedited) {
            self.changes.push(kept.change);
        }
    }

    /// One failure that names everything in the way. `way_out` is the hint where moving it away is not the way.
    pub fn refuse_conflicts(
        &self,
        shown_target: &str,
        way_out: Option<&str>,
    ) -> Result<(), Failure> {
        if self.conflicts.is_empty() {
            return Ok(());
        }
        let (count, them) = match self.conflicts.len() {
            1 => ("1 file is".to_owned(), "it"),
            several => (format!("{several} files are"), "them"),
        };
        let shown = crate::wording::quoted(shown_target);
        let mut failure = Failure::new(
            Exit::Failed,
            "conflict",
            format!("{count} in the way in {shown}"),
        )
        .hint(way_out.map_or_else(
            || format!("nothing was changed; move {them} away, or choose another directory"),
            str::to_owned,
        ));
        for conflict in &self.conflicts {
            failure = failure.field(&conflict.path, None, conflict.reason.clone());
        }
        Err(failure)
    }

    fn look(&mut self, target: &Path, file: &PlannedFile, guides: Guides) -> io::Result<()> {
        let found = find(target, &file.path)?;
        if file.existing == Existing::GuideIfThere && !concerns(&found, file, guides) {
            return Ok(());
        }
        match found {
            PathState::Nothing => self.changes.push(change(file, None)),
            PathState::Obstacle(reason) => self.conflict(file, reason),
            PathState::Link if file.existing == Existing::Guide && guides == Guides::Keep => {
                self.kept.push(Kept {
                    path: file.path.clone(),
                    guide: Guide::Foreign,
                    change: change(file, None),
                });
            }
            PathState::Link => self.conflict(file, "is a symbolic link".to_owned()),
            PathState::File(bytes) if bytes == file.text.as_bytes() => {
                self.unchanged.push(file.path.clone());
            }
            PathState::File(bytes) => match file.existing {
                Existing::Conflict => {
                    self.conflict(file, "already exists with other contents".to_owned());
                }
                Existing::AddLines => match with_lines(&bytes, &file.text) {
                    None => self.unchanged.push(file.path.clone()),
                    Some(merged) => {
                        self.changes
                            .push(Change::replace(&file.path, bytes, merged));
                    }
                },
                Existing::Guide | Existing::GuideIfThere if guides == Guides::Overwrite => {
                    self.changes.push(change(file, Some(bytes)));
                }
                Existing::Guide | Existing::GuideIfThere => self.kept.push(Kept {
                    path: file.path.clone(),
                    guide: guides::recognise(&bytes),
                    change: change(file, Some(bytes)),
                }),
            },
        }
        Ok(())
    }

    fn conflict(&mut self, file: &PlannedFile, reason: String) {
        self.conflicts.push(Conflict {
            path: file.path.clone(),
            reason,
        });
    }
}

/// Whether something is to be done or said about a guide that this run does not write by itself.
fn concerns(found: &PathState, file: &PlannedFile, guides: Guides) -> bool {
    match found {
        PathState::Nothing => false,
        PathState::File(bytes) if bytes == file.text.as_bytes() => false,
        PathState::File(bytes) => {
            guides == Guides::Overwrite || guides::recognise(bytes).is_stale()
        }
        PathState::Link | PathState::Obstacle(_) => guides == Guides::Overwrite,
    }
}

fn change(file: &PlannedFile, replaces: Option<Vec<u8>>) -> Change {
    Change {
        replaces,
        ..Change::create(&file.path, file.text.clone())
    }
}

/// The state of a path.
#[derive(Debug)]
pub enum PathState {
    /// Nothing is there.
    Nothing,
    /// A file with these bytes.
    File(Vec<u8>),
    /// A symbolic link.
    Link,
    /// Something else, or a file that can't be read whole: the rest of a sentence about it.
    Obstacle(String),
}

/// Looks at `path` without following symbolic links.
pub fn find(target: &Path, path: &str) -> io::Result<PathState> {
    for (end, _) in path.match_indices('/') {
        let folder = &path[..end];
        match kind(&target.join(folder))? {
            None => return Ok(PathState::Nothing),
            Some(kind) if kind.is_dir() => {}
            Some(kind) if kind.is_symlink() => {
                return Ok(PathState::Obstacle(format!(
                    "`{folder}` is a symbolic link"
                )));
            }
            Some(_) => {
                return Ok(PathState::Obstacle(format!(
                    "`{folder}` is not a directory"
                )));
            }
        }
    }
    let full: PathBuf = target.join(path);
    Ok(match kind(&full)? {
        None => PathState::Nothing,
        Some(kind) if kind.is_symlink() => PathState::Link,
        Some(kind) if kind.is_file() => read(&full)?,
        Some(kind) if kind.is_dir() => PathState::Obstacle("is a directory".to_owned()),
        Some(_) => PathState::Obstacle("is not a regular file".to_owned()),
    })
}

/// The maximum number of bytes to read from a file. Every file of a project is far smaller.
const MAX_READ: u64 = 4 << 20;

fn read(path: &Path) -> io::Result<PathState> {
    let mut bytes = Vec::new();
    let file = fs::File::open(path)?;
    file.take(MAX_READ + 1).read_to_end(&mut bytes)?;
    Ok(if bytes.len() as u64 > MAX_READ {
        PathState::Obstacle(format!("is larger than {} MiB", MAX_READ >> 20))
    } else {
        PathState::File(bytes)
    })
}

fn kind(path: &Path) -> io::Result<Option<fs::FileType>> {
    match fs::symlink_metadata(path) {
        Ok(found) => Ok(Some(found.file_type())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// `there` with the lines of `wanted` that it lacks at its end; `None`: it lacks none. Comments come along only with
/// a line that is lacking.
pub fn with_lines(there: &[u8], wanted: &str) -> Option<Vec<u8>> {
    let has = |line: &str| {
        there
            .split(|&byte| byte == b'\n')
            .any(|other| other.trim_ascii() == line.trim().as_bytes())
    };
    let ending: &[u8] = if there.windows(2).any(|pair| pair == b"\r\n") {
        b"\r\n"
    } else {
        b"\n"
    };
    let missing = wanted
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#') && !has(line));
    let mut merged = there.to_vec();
    let mut lacking = false;
    for line in missing {
        if !lacking && !merged.is_empty() && !merged.ends_with(b"\n") {
            merged.extend_from_slice(ending);
        }
        lacking = true;
        merged.extend_from_slice(line.as_bytes());
        merged.extend_from_slice(ending);
    }
    lacking.then_some(merged)
}

pub fn unreadable(path: &Path, error: io::Error) -> Failure {
    let could_not = format!("could not read `{}`", path.display());
    Failure::because(Exit::Failed, "unreadable", could_not, error).hint("nothing was changed")
}

#[cfg(test)]
mod tests {
    use super::with_lines;

    #[test]
    fn adds_only_the_lines_that_are_missing() {
        for (there, wanted, merged) in [
            ("", ".env\n", Some(".env\n")),
            (".env\n", "# secrets\n.env\n", None),
            (
                ".env  \r\nx",
                "# python\n.env\n.venv/\n\n*.pyc\n",
                Some(".env  \r\nx\r\n.venv/\r\n*.pyc\r\n"),
            ),
            ("a", "a\nb", Some("a\nb\n")),
        ] {
            assert_eq!(
                with_lines(there.as_bytes(), wanted).as_deref(),
                merged.map(str::as_bytes),
                "{there:?}"
            );
        }
    }
}
