//! The user's folders, and the file names of programs.

use std::ffi::OsString;
use std::fs::DirBuilder;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// Returns the user's data folder, following the XDG Base Directory Specification.
pub fn data(variable: &impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    home(variable, "XDG_DATA_HOME", ".local/share")
}

/// Returns the user's cache folder.
pub fn cache(variable: &impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    home(variable, "XDG_CACHE_HOME", ".cache")
}

/// Returns the folder in the variable `name`, or its default: `below` the user's home, or on Windows the folder of the user's programs.
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

/// Creates a folder that only its owner can enter, and its parents. On Windows, they inherit the rights of their parent folder.
pub fn create_private(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(path)
}

/// Creates a temporary folder that only its owner can enter. On Windows, it inherits the rights of its parent folder.
pub fn temporary(prefix: &str) -> io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    builder.prefix(prefix).tempdir()
}

/// The extensions of files that the system starts without another program. On Unix, a program's file has no extension.
const STARTED: &[&str] = if cfg!(windows) {
    &[".exe", ".com", ".bat", ".cmd"]
} else {
    &[""]
};

/// The file extensions of programs, in order of preference.
#[derive(Debug, Clone)]
pub struct Endings(Vec<String>);

impl Default for Endings {
    fn default() -> Self {
        Self(STARTED.iter().copied().map(str::to_owned).collect())
    }
}

impl Endings {
    /// Returns the extensions in `PATHEXT` that the system starts by itself. A script with another extension needs an interpreter, which
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

    /// Returns the possible paths of the program `name` in `folder`, in order of preference.
    pub fn files(&self, folder: &Path, name: &str) -> impl Iterator<Item = PathBuf> {
        let endings = self.0.iter();
        endings.map(move |ending| folder.join(format!("{name}{ending}")))
    }

    /// Returns the program name of a file, or `None` if its name is not that of a program.
    pub fn program<'a>(&self, file: &'a str) -> Option<&'a str> {
        self.0.iter().find_map(|ending| {
            let length = file.len().checked_sub(ending.len())?;
            let (name, found) = file.split_at_checked(length)?;
            found.eq_ignore_ascii_case(ending).then_some(name)
        })
    }
}
