//! Whose file a plugin is: what others can change is not run.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::failure::reason;

const WRITABLE_BY_OTHERS: u32 = 0o002;
const STICKY: u32 = 0o1000;
const EXECUTABLE: u32 = 0o111;

/// Why a file is not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// It can't be looked at; the reason.
    Unreadable(String),
    /// It is a folder, a pipe or the like.
    NotAFile,
    /// Nobody may execute it.
    NotExecutable,
    /// Everybody may write to it, or put another in its place.
    WritableByOthers(PathBuf),
    /// It belongs to somebody else; the number of that user.
    ForeignOwner(PathBuf, u32),
}

impl Refusal {
    /// The reason in words.
    #[must_use]
    pub fn reason(&self) -> String {
        match self {
            Self::Unreadable(reason) => reason.clone(),
            Self::NotAFile => "not a file".to_owned(),
            Self::NotExecutable => "not executable".to_owned(),
            Self::WritableByOthers(path) => {
                format!("`{}` is writable by every user", path.display())
            }
            Self::ForeignOwner(path, owner) => format!(
                "`{}` belongs to user {owner}, neither to you nor to root",
                path.display()
            ),
        }
    }

    /// The command that mends it.
    #[must_use]
    pub fn remedy(&self, file: &Path) -> Option<String> {
        match self {
            Self::Unreadable(_) | Self::NotAFile => None,
            Self::NotExecutable => Some(format!("chmod +x {}", file.display())),
            Self::WritableByOthers(path) => Some(format!("chmod o-w {}", path.display())),
            Self::ForeignOwner(path, _) => Some(format!("chown \"$USER\" {}", path.display())),
        }
    }
}

/// The real path of `file`, if `user` can trust it and its folder. A link is trusted as far as what it points to is.
pub fn check(file: &Path, user: u32) -> Result<PathBuf, Refusal> {
    let unreadable = |error: std::io::Error| Refusal::Unreadable(reason(&error));
    let real = fs::canonicalize(file).map_err(unreadable)?;
    let facts = fs::metadata(&real).map_err(unreadable)?;
    if !facts.is_file() {
        return Err(Refusal::NotAFile);
    }
    if facts.mode() & EXECUTABLE == 0 {
        return Err(Refusal::NotExecutable);
    }
    for place in [file.parent(), real.parent(), Some(&real)]
        .into_iter()
        .flatten()
    {
        let facts = fs::metadata(place).map_err(unreadable)?;
        let mode = facts.mode();
        // In a sticky folder everybody may add files, but only an owner may replace one.
        if mode & WRITABLE_BY_OTHERS != 0 && !(facts.is_dir() && mode & STICKY != 0) {
            return Err(Refusal::WritableByOthers(place.to_owned()));
        }
        if facts.uid() != user && facts.uid() != 0 {
            return Err(Refusal::ForeignOwner(place.to_owned(), facts.uid()));
        }
    }
    Ok(real)
}
