//! Compares a plan with the files in a target, without writing anything.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use bot_cli_protocol::failure::{Exit, Failure};

use crate::guides::{self, Guide};
use crate::plan::{Existing, PlannedFile};
use crate::record::{self, RecordFile, Unusable};
use crate::transaction::Change;

#[derive(Debug, Default)]
pub struct Comparison {
    pub changes: Vec<Change>,
    pub unchanged: Vec<String>,
    /// Existing guides that are not replaced unless the user agrees.
    pub kept: Vec<Kept>,
    /// The existing files that conflict with the plan, each with a reason.
    pub conflicts: Vec<(String, String)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    pub guide: Guide,
    pub change: Change,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guides {
    Keep,
    Overwrite,
}

pub fn compare(
    target: &Path,
    files: &[PlannedFile],
    record: Vec<RecordFile>,
    guides: Guides,
) -> Result<Comparison, Failure> {
    let mut comparison = Comparison::default();
    let existing = match find(target, record::PROJECT)? {
        PathState::File(project) => match record::read(&project) {
            Err(Unusable::Later(tool)) if !record.is_empty() => {
                let conflict = (record::PROJECT.to_owned(), record::later(&tool));
                comparison.conflicts.push(conflict);
                return Ok(comparison);
            }
            Err(Unusable::Damaged(_)) if !record::has_markers(&project) => Existing::Conflict,
            Ok(_) | Err(_) => Existing::Replace,
        },
        PathState::Nothing | PathState::Obstacle(_) => Existing::Conflict,
    };
    for file in record {
        let found = find(target, file.path)?;
        comparison.look(found, file.path, &file.bytes, existing, guides);
    }
    for file in files {
        let (found, text) = (find(target, &file.path)?, file.text.as_bytes());
        comparison.look(found, &file.path, text, file.existing, guides);
    }
    Ok(comparison)
}

impl Comparison {
    pub fn stale(&self) -> Vec<String> {
        let stale = self.kept.iter().filter(|kept| kept.guide.is_stale());
        stale
            .map(|kept| format!("`{}` ({})", kept.change.path, kept.guide.words()))
            .collect()
    }

    pub fn refresh(&mut self, wants: impl Fn(&Guide) -> bool) {
        let kept = self.kept.extract_if(.., |kept| wants(&kept.guide));
        self.changes.extend(kept.map(|kept| kept.change));
    }

    /// Returns an error that lists all conflicting files, if any. `way_out` replaces the default hint to move the files away.
    pub fn refuse_conflicts(
        &self,
        shown_target: &str,
        way_out: Option<&str>,
    ) -> Result<(), Failure> {
        if self.conflicts.is_empty() {
            return Ok(());
        }
        let shown = crate::wording::quoted(shown_target);
        let message = format!("these files are in the way in {shown}");
        let hint = "nothing was changed; move them away, or choose another directory";
        let failure = Failure::new(Exit::Failed, "conflict", message).hint(way_out.unwrap_or(hint));
        let conflicts = self.conflicts.iter();
        Err(conflicts.fold(failure, |failure, (path, reason)| {
            failure.field(path, None, reason)
        }))
    }

    fn look(
        &mut self,
        found: PathState,
        path: &str,
        new: &[u8],
        existing: Existing,
        guides: Guides,
    ) {
        let change = |replaces| Change {
            replaces,
            ..Change::create(path, new)
        };
        let (guide, change) = match (found, existing) {
            (PathState::Nothing, Existing::GuideIfThere) => return,
            (PathState::Nothing, _) => return self.changes.push(change(None)),
            (PathState::File(there), _) if there == new => {
                return self.unchanged.push(path.to_owned());
            }
            (PathState::File(there), Existing::Replace) => {
                return self.changes.push(change(Some(there)));
            }
            (PathState::File(there), Existing::AddLines) => {
                return match with_lines(&there, &String::from_utf8_lossy(new)) {
                    None => self.unchanged.push(path.to_owned()),
                    Some(merged) => self.changes.push(Change::replace(path, there, merged)),
                };
            }
            (PathState::File(there), Existing::Guide | Existing::GuideIfThere) => {
                (guides::recognise(&there), change(Some(there)))
            }
            (PathState::Obstacle(_), Existing::Guide | Existing::GuideIfThere)
                if guides == Guides::Keep =>
            {
                (Guide::Foreign, change(None))
            }
            (found, _) => return self.conflicts.push((path.to_owned(), found.obstacle())),
        };
        if guides == Guides::Overwrite {
            self.changes.push(change);
        } else if existing == Existing::Guide || guide.is_stale() {
            self.kept.push(Kept { guide, change });
        }
    }
}

#[derive(Debug)]
pub enum PathState {
    Nothing,
    File(Vec<u8>),
    /// A path that can't be read or written, with a description such as `is a symbolic link`.
    Obstacle(String),
}

impl PathState {
    pub fn obstacle(self) -> String {
        match self {
            Self::Nothing | Self::File(_) => "already exists with other contents".to_owned(),
            Self::Obstacle(reason) => reason,
        }
    }
}

/// Reads the state of `path` without following symbolic links.
pub fn find(target: &Path, path: &str) -> Result<PathState, Failure> {
    look(target, path).map_err(|error| unreadable(&target.join(path), error))
}

fn look(target: &Path, path: &str) -> io::Result<PathState> {
    for (end, _) in path.match_indices('/') {
        let folder = &path[..end];
        match kind(&target.join(folder))? {
            None => return Ok(PathState::Nothing),
            Some(kind) if kind.is_dir() => {}
            Some(kind) => {
                let link = kind.is_symlink();
                let what = if link {
                    "a symbolic link"
                } else {
                    "not a directory"
                };
                return Ok(PathState::Obstacle(format!("`{folder}` is {what}")));
            }
        }
    }
    let full = target.join(path);
    let Some(kind) = kind(&full)? else {
        return Ok(PathState::Nothing);
    };
    if kind.is_file() {
        return read(&full);
    }
    Ok(PathState::Obstacle(
        match (kind.is_symlink(), kind.is_dir()) {
            (true, _) => "is a symbolic link".to_owned(),
            (false, true) => "is a directory".to_owned(),
            (false, false) => "is not a regular file".to_owned(),
        },
    ))
}

/// The maximum number of bytes to read from a file. Project files are far smaller.
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

/// Returns `there` with the missing lines from `wanted` appended, ignoring comments and blank lines. Returns `None` if no lines are
/// missing.
pub fn with_lines(there: &[u8], wanted: &str) -> Option<Vec<u8>> {
    let has = |line: &str| {
        there
            .split(|&byte| byte == b'\n')
            .any(|other| other.trim_ascii() == line.trim().as_bytes())
    };
    let missing: Vec<&str> = wanted
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#') && !has(line))
        .collect();
    if missing.is_empty() {
        return None;
    }
    let is_crlf = there.windows(2).any(|pair| pair == b"\r\n");
    let ending = if is_crlf { "\r\n" } else { "\n" };
    let mut merged = there.to_vec();
    if !merged.is_empty() && !merged.ends_with(b"\n") {
        merged.extend(ending.bytes());
    }
    for line in missing {
        merged.extend(line.bytes().chain(ending.bytes()));
    }
    Some(merged)
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
