//! The way back from an update: what its changes replace and remove is kept in the project until the next update.
//!
//! `files.json` names each changed file with its hashes before and after, `files.tar.gz` has the contents before. Both are written
//! in the transaction of the update itself. A file that differs from what the update left is never touched.

use std::fmt::Display;
use std::fs;
use std::io::{self, Read, Write as _};
use std::path::Path;

use bot_cli_sdk::failure::{Exit, Failure, reason};
use flate2::read::GzDecoder;
use flate2::{Compression, GzBuilder};
use serde::{Deserialize, Serialize};

use super::{Change, is_inside};
use crate::digest::sha256;
use crate::platform::{AnchoredPath, mode};

/// The folder of what is kept, in the project.
pub const FOLDER: &str = ".bot-cli/undo";

/// The list of them.
pub(super) const FILES: &str = ".bot-cli/undo/files.json";
const CONTENTS: &str = ".bot-cli/undo/files.tar.gz";
/// Keeps it all out of version control.
const IGNORE: &str = ".bot-cli/undo/.gitignore";

/// The version of the form of what is kept.
const SCHEMA: u32 = 1;

/// The most bytes of a file that comes back. An update reads no file that is larger.
const MAX_FILE: u64 = 16 << 20;

/// The contents of `files.json`.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    schema: u32,
    files: Vec<KeptFile>,
    /// Whether the update went on from an interrupted one, of which nobody knows all changes: it can't be taken back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    goes_on: bool,
    /// Whether the next update will be such a one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    interrupted: bool,
}

/// A file that the update has changed.
#[derive(Debug, Serialize, Deserialize)]
struct KeptFile {
    /// Relative to the target, with `/`.
    path: String,
    /// `None`: the update has created it.
    before: Option<Before>,
    /// The hash of what the update has written; `None`: it has removed the file.
    after: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Before {
    sha256: String,
    /// The permissions, where the system has such.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mode: Option<u32>,
}

/// Returns the changes that keep what `changes` replace and remove, in the place of what an earlier update kept. All of them have to be
/// written together. If they go on from an interrupted update, only that is kept: they can't be taken back.
///
/// # Errors
/// Something in the target can't be read, or is in the way.
pub fn keep(target: &Path, changes: &[Change], goes_on: bool) -> io::Result<Vec<Change>> {
    if changes.is_empty() {
        return Ok(Vec::new());
    }
    let changes = if goes_on { &[] } else { changes };
    let mut contents = tar::Builder::new(Vec::new());
    let mut files = Vec::new();
    for change in changes {
        let before = match &change.replaces {
            None => None,
            Some(bytes) => {
                let mut header = tar::Header::new_ustar();
                header.set_size(bytes.len() as u64);
                header.set_mode(0o644);
                contents.append_data(&mut header, files.len().to_string(), bytes.as_slice())?;
                Some(Before {
                    sha256: sha256(bytes),
                    mode: mode(&fs::symlink_metadata(target.join(&change.path))?),
                })
            }
        };
        files.push(KeptFile {
            path: change.path.clone(),
            before,
            after: change.bytes.as_deref().map(sha256),
        });
    }
    let mut packed = GzBuilder::new().write(Vec::new(), Compression::fast());
    packed.write_all(&contents.into_inner()?)?;
    let mut list = serde_json::to_vec_pretty(&Kept {
        schema: SCHEMA,
        files,
        goes_on,
        interrupted: false,
    })?;
    list.push(b'\n');
    replace(target, [(FILES, list), (CONTENTS, packed.finish()?)])
}

/// Returns the changes that note an interrupted update, of which nobody knows all changes. The note takes the place of what an earlier
/// update kept, and stays until an update has replaced it.
pub(super) fn note_interrupted(target: &Path) -> io::Result<Vec<Change>> {
    let mut list = serde_json::to_vec_pretty(&Kept {
        schema: SCHEMA,
        files: Vec::new(),
        goes_on: true,
        interrupted: true,
    })?;
    list.push(b'\n');
    replace(target, [(FILES, list)])
}

/// Tells whether an interrupted update is noted.
pub fn is_interrupted(target: &Path) -> bool {
    kept(target).is_some_and(|kept| kept.interrupted)
}

/// Tells whether something is kept that can be put back.
pub fn is_kept(target: &Path) -> bool {
    kept(target).is_some_and(|kept| !kept.goes_on)
}

fn kept(target: &Path) -> Option<Kept> {
    parse(&read(target, FILES).ok()??).ok()
}

/// Returns the changes that give these files their contents.
fn replace(
    target: &Path,
    files: impl IntoIterator<Item = (&'static str, Vec<u8>)>,
) -> io::Result<Vec<Change>> {
    let mut kept = Vec::new();
    for (path, bytes) in [(IGNORE, b"*\n".to_vec())].into_iter().chain(files) {
        let there = read(target, path).map_err(|error| {
            let problem = format!("could not read `{path}`: {}", reason(&error));
            io::Error::new(error.kind(), problem)
        })?;
        // The list is always written: the journal of an update is known by it.
        if path == FILES || there.as_ref() != Some(&bytes) {
            kept.push(Change {
                replaces: there,
                // What the user let nobody else read must not become readable here.
                mode: Some(0o600),
                ..Change::create(path, bytes)
            });
        }
    }
    Ok(kept)
}

/// Returns the changes that put the project back to what it was before its last update. What is as it was already needs none.
///
/// # Errors
/// Nothing is kept, it can't be read, every file is as it was already, or some have changed since; then the failure names all of those.
pub fn restore(target: &Path) -> Result<Vec<Change>, Failure> {
    let unreadable = |path: &str, error: io::Error| {
        let could_not = format!("could not read `{}`", target.join(path).display());
        Failure::because(Exit::Failed, "unreadable", could_not, error).hint("nothing was undone")
    };
    let own = |path| read(target, path).map_err(|error| unreadable(path, error));
    let (list, packed) = (own(FILES)?, own(CONTENTS)?);
    let Some(list) = list else {
        let failure = Failure::new(Exit::Failed, "nothing_to_undo", "there is nothing to undo");
        return Err(failure.hint(format!(
            "only the last update can be undone, and only once: what it replaced is kept in `{FOLDER}`"
        )));
    };
    let damaged = |path: &str, error| {
        unreadable(path, error).hint(format!(
            "what the last update replaced can't be taken from `{FOLDER}`; version control may have it"
        ))
    };
    let kept = parse(&list).map_err(|error| damaged(FILES, error))?;
    if kept.goes_on {
        let message = if kept.interrupted {
            "the last update can't be undone: it was interrupted, and files were changed after that"
        } else {
            "the last update can't be undone: it went on from one that was interrupted"
        };
        let failure = Failure::new(Exit::Failed, "nothing_to_undo", message);
        return Err(failure
            .hint("nothing was undone; version control may have the files as they were before"));
    }
    let files = kept.files;
    let packed_files = packed.as_deref().unwrap_or_default();
    let contents = unpack(packed_files, &files).map_err(|error| damaged(CONTENTS, error))?;

    let mut changes = Vec::new();
    let mut changed_since = Vec::new();
    for (file, before) in files.into_iter().zip(contents) {
        let now = match read(target, &file.path) {
            Ok(now) => now,
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                changed_since.push((file.path, "is not a regular file".to_owned()));
                continue;
            }
            Err(error) => return Err(unreadable(&file.path, error)),
        };
        if now == before {
            continue;
        }
        if now.as_deref().map(sha256) != file.after {
            changed_since.push((file.path, since(file.after.as_deref(), now.as_deref())));
            continue;
        }
        changes.push(Change {
            path: file.path,
            bytes: before,
            replaces: now,
            mode: file.before.and_then(|before| before.mode),
        });
    }
    refuse(changed_since)?;
    if changes.is_empty() {
        let message = "the files are already as they were before the last update";
        let failure = Failure::new(Exit::Failed, "nothing_to_undo", message);
        return Err(failure.hint("nothing was undone; the way back stays until the next update"));
    }
    for (path, there) in [
        (IGNORE, own(IGNORE)?),
        (FILES, Some(list)),
        (CONTENTS, packed),
    ] {
        changes.extend(there.map(|bytes| Change::remove(path, bytes)));
    }
    Ok(changes)
}

/// One failure that names everything that the user has changed since the update.
fn refuse(changed_since: Vec<(String, String)>) -> Result<(), Failure> {
    let count = match changed_since.len() {
        0 => return Ok(()),
        1 => "1 file has".to_owned(),
        several => format!("{several} files have"),
    };
    let message = format!("{count} changed since the last update");
    let failure = Failure::new(Exit::Failed, "conflict", message);
    let failure = failure.hint("nothing was undone; undoing would lose what was done since");
    Err(changed_since
        .into_iter()
        .fold(failure, |failure, (path, reason)| {
            failure.field(&path, None, reason)
        }))
}

fn since(after: Option<&str>, now: Option<&[u8]>) -> String {
    match (after, now) {
        (_, None) => "was removed since",
        (None, Some(_)) => "was created since",
        (Some(_), Some(_)) => "was changed since",
    }
    .to_owned()
}

/// The contents of a file of the target, if it is there; `InvalidData` when it is no file.
fn read(target: &Path, path: &str) -> io::Result<Option<Vec<u8>>> {
    use io::ErrorKind::{AlreadyExists, NotADirectory, NotFound};
    match AnchoredPath::open(target, path).and_then(|place| place.read()) {
        Ok((contents, _)) => Ok(Some(contents)),
        Err(error) if error.kind() == NotFound => Ok(None),
        Err(error) if matches!(error.kind(), AlreadyExists | NotADirectory) => {
            Err(invalid("it is not a regular file"))
        }
        Err(error) => Err(error),
    }
}

/// Reads `files.json`. It may come from anywhere, like everything in a project: it must not lead out of it, or into what belongs to git.
fn parse(list: &[u8]) -> io::Result<Kept> {
    #[derive(Deserialize)]
    struct Head {
        schema: u32,
    }
    if serde_json::from_slice::<Head>(list)?.schema > SCHEMA {
        return Err(invalid("a later version of bot-cli wrote it"));
    }
    let kept: Kept = serde_json::from_slice(list)?;
    if kept.files.iter().all(|file| is_inside(&file.path)) {
        Ok(kept)
    } else {
        Err(invalid("it names a path that is no file of a project"))
    }
}

/// Returns the former contents of each file, where it had some.
fn unpack(packed: &[u8], files: &[KeptFile]) -> io::Result<Vec<Option<Vec<u8>>>> {
    let mut archive = tar::Archive::new(GzDecoder::new(packed));
    let mut entries = archive.entries()?;
    files
        .iter()
        .map(|file| {
            let Some(before) = &file.before else {
                return Ok(None);
            };
            let entry = entries.next().ok_or_else(|| invalid("it is too short"))??;
            let mut bytes = Vec::new();
            entry.take(MAX_FILE).read_to_end(&mut bytes)?;
            if sha256(&bytes) == before.sha256 {
                Ok(Some(bytes))
            } else {
                let problem = format!("it does not have what `{}` was", file.path);
                Err(invalid(problem))
            }
        })
        .collect()
}

fn invalid(problem: impl Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, problem.to_string())
}

#[cfg(test)]
mod tests;
