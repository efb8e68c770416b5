//! The user's folders, and the file names of programs.

use std::ffi::OsString;
use std::fs::DirBuilder;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// Returns the user's data folder, following the XDG Base Directory Specification.
pub fn data(variable: &impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    home(variable, "XDG_DATA_HOME", ".local/share", "LOCALAPPDATA")
}

/// Returns the folder of the user's vault, whose files are replaced and never changed.
pub fn vault(variable: &impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    Some(data(variable)?.join("bot-cli/vault"))
}

/// Returns the user's folder for settings.
pub fn config(variable: &impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    home(variable, "XDG_CONFIG_HOME", ".config", "APPDATA")
}

/// Returns the user's cache folder.
pub fn cache(variable: &impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    home(variable, "XDG_CACHE_HOME", ".cache", "LOCALAPPDATA")
}

/// Returns the absolute path in the variable `name`. The default is `below` in the user's home folder, or the variable `windows` on Windows.
fn home(
    variable: &impl Fn(&str) -> Option<OsString>,
    name: &str,
    below: &str,
    windows: &str,
) -> Option<PathBuf> {
    let absolute = |name: &str| {
        let path = variable(name).map(PathBuf::from);
        path.filter(|path| path.is_absolute())
    };
    absolute(name).or_else(|| {
        if cfg!(windows) {
            absolute(windows)
        } else {
            Some(absolute("HOME")?.join(below))
        }
    })
}

/// Creates a folder and its missing parents, accessible only to their owner. On Windows, the new folders inherit the permissions of their
/// parent folder.
pub fn create_private(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(path)
}

/// Creates a temporary folder, accessible only to its owner. On Windows, the folder inherits the permissions of its parent folder.
pub fn temporary(prefix: &str) -> io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    builder.prefix(prefix).tempdir()
}

/// The extensions of files that the system can start without another program, in order of preference. On Unix, programs have no extension.
/// Scripts with other extensions need an interpreter, which only a shell looks up.
const ENDINGS: &[&str] = if cfg!(windows) {
    &[".exe", ".com", ".bat", ".cmd"]
} else {
    &[""]
};

/// Returns the possible paths of the program `name` in `folder`, in order of preference.
pub fn program_files(folder: &Path, name: &str) -> impl Iterator<Item = PathBuf> {
    let endings = ENDINGS.iter();
    endings.map(move |ending| folder.join(format!("{name}{ending}")))
}

/// Returns a program's file name without its extension, or `None` if the extension is not that of a program.
pub fn program_name(file: &str) -> Option<&str> {
    preferred_program(file).map(|(_, name)| name)
}

/// Returns the name as [`program_name`] does, after the position of the extension in the order of preference.
pub fn preferred_program(file: &str) -> Option<(usize, &str)> {
    ENDINGS.iter().enumerate().find_map(|(position, ending)| {
        let length = file.len().checked_sub(ending.len())?;
        let (name, found) = file.split_at_checked(length)?;
        let is_program = found.eq_ignore_ascii_case(ending);
        is_program.then_some((position, name))
    })
}
