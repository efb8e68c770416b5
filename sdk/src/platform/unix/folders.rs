//! The user's folders on Unix, and the names of programs.

use std::ffi::OsString;
use std::fs::{DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
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

/// Creates a folder that only its owner can enter, and its parents.
pub fn create_private(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Makes a temporary folder that only its owner can enter.
pub fn temporary(prefix: &str) -> io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    let builder = builder.prefix(prefix);
    builder.permissions(Permissions::from_mode(0o700)).tempdir()
}

/// The folder of `name`: absolute, or else below the user's home.
fn home(variable: &impl Fn(&str) -> Option<OsString>, name: &str, below: &str) -> Option<PathBuf> {
    let absolute = |name: &str| {
        variable(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    absolute(name).or_else(|| Some(absolute("HOME")?.join(below)))
}

/// The endings of programs' files. Unix has none: a program's file has its name.
#[derive(Debug, Clone, Default)]
pub struct Endings(());

impl Endings {
    /// The endings that the variables name.
    pub fn read(_: &impl Fn(&str) -> Option<OsString>) -> Self {
        Self::default()
    }

    /// The files that the program `name` may be in `folder`, in the order of preference.
    #[expect(clippy::unused_self, reason = "other systems have endings")]
    pub fn files(&self, folder: &Path, name: &str) -> impl Iterator<Item = PathBuf> {
        std::iter::once(folder.join(name))
    }

    /// The name of the program that a file would be; `None` if it is none by its name.
    #[expect(
        clippy::unused_self,
        clippy::unnecessary_wraps,
        reason = "other systems have endings"
    )]
    pub fn program<'a>(&self, file: &'a str) -> Option<&'a str> {
        Some(file)
    }
}
