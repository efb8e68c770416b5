//! The user's folders, and the names of programs.

use std::ffi::OsString;
use std::fs::DirBuilder;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// The folder for what programs keep for the user, as the XDG base directory specification wants it.
pub fn data(variable: &impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    home(variable, "XDG_DATA_HOME", ".local/share")
}

/// The folder for what can be found out again.
pub fn cache(variable: &impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    home(variable, "XDG_CACHE_HOME", ".cache")
}

/// The folder of `name`, or else the one in its place: below the user's home, or on Windows that of the user's programs.
fn home(variable: &impl Fn(&str) -> Option<OsString>, name: &str, below: &str) -> Option<PathBuf> {
    let absolute = |name: &str| {
        let path = variable(name).map(PathBuf::from);
        path.filter(|path| path.is_absolute())
    };
    absolute(name).or_else(|| {
        if cfg!(windows) {
            absolute("LOCALAPPDATA")
        } else {
            Some(absolute("HOME")?.join(below))
        }
    })
}

/// Creates a folder that only its owner can enter, and its parents. On Windows they have the rights of the folder that they are in.
pub fn create_private(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(path)
}

/// Makes a temporary folder that only its owner can enter. On Windows it has the rights of the folder that it is in.
pub fn temporary(prefix: &str) -> io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    builder.prefix(prefix).tempdir()
}

/// The endings of files that the system starts without the help of another program. On Unix, a program's file has its name.
const STARTED: &[&str] = if cfg!(windows) {
    &[".exe", ".com", ".bat", ".cmd"]
} else {
    &[""]
};

/// The endings of programs' files, in the order of preference.
#[derive(Debug, Clone)]
pub struct Endings(Vec<String>);

impl Default for Endings {
    fn default() -> Self {
        Self(STARTED.iter().copied().map(str::to_owned).collect())
    }
}

impl Endings {
    /// The endings in `PATHEXT`, as far as the system starts such files itself. A script with another ending needs an interpreter, which
    /// only a shell looks for.
    pub fn read(variable: &impl Fn(&str) -> Option<OsString>) -> Self {
        let listed = variable("PATHEXT").unwrap_or_default();
        let listed = listed.to_string_lossy().to_ascii_lowercase();
        let listed = listed.split(';').map(str::trim);
        let listed: Vec<&str> = listed.filter(|ending| STARTED.contains(ending)).collect();
        if listed.is_empty() {
            Self::default()
        } else {
            Self(listed.into_iter().map(str::to_owned).collect())
        }
    }

    /// The files that the program `name` may be in `folder`, in the order of preference.
    pub fn files(&self, folder: &Path, name: &str) -> impl Iterator<Item = PathBuf> {
        let endings = self.0.iter();
        endings.map(move |ending| folder.join(format!("{name}{ending}")))
    }

    /// The name of the program that a file would be; `None` if it is none by its name.
    pub fn program<'a>(&self, file: &'a str) -> Option<&'a str> {
        self.0.iter().find_map(|ending| {
            let length = file.len().checked_sub(ending.len())?;
            let (name, found) = file.split_at_checked(length)?;
            found.eq_ignore_ascii_case(ending).then_some(name)
        })
    }
}
