//! The user's folders on Windows, and the names of programs.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{fs, io};

use tempfile::TempDir;

/// The folder for what programs keep for the user on this machine. A folder in the form of the XDG base directory specification wins,
/// so that several homes can be used on one machine.
pub fn data(variable: &impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    first_absolute(variable, &["XDG_DATA_HOME", "LOCALAPPDATA"])
}

/// The folder for what can be found out again.
pub fn cache(variable: &impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    first_absolute(variable, &["XDG_CACHE_HOME", "LOCALAPPDATA"])
}

/// Creates a folder and its parents. They have the rights of the folder that they are in.
pub fn create_private(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

/// Makes a temporary folder. It has the rights of the folder that it is in.
pub fn temporary(prefix: &str) -> io::Result<TempDir> {
    TempDir::with_prefix(prefix)
}

fn first_absolute(variable: &impl Fn(&str) -> Option<OsString>, names: &[&str]) -> Option<PathBuf> {
    let mut found = names.iter().filter_map(|name| variable(name));
    found
        .find(|path| Path::new(path).is_absolute())
        .map(PathBuf::from)
}

/// The endings that Windows can start without the help of another program.
const STARTED: [&str; 4] = ["exe", "com", "bat", "cmd"];

/// Whether files with this ending can be started.
pub fn is_started(ending: &str) -> bool {
    STARTED
        .iter()
        .any(|started| started.eq_ignore_ascii_case(ending))
}

/// The endings of programs' files, in the order of preference.
#[derive(Debug, Clone)]
pub struct Endings(Vec<String>);

impl Default for Endings {
    fn default() -> Self {
        Self(STARTED.map(str::to_owned).to_vec())
    }
}

impl Endings {
    /// The endings in `PATHEXT`, as far as Windows starts such files itself. A script with another ending needs an interpreter, which
    /// only a shell looks for.
    pub fn read(variable: &impl Fn(&str) -> Option<OsString>) -> Self {
        let listed = variable("PATHEXT").unwrap_or_default();
        let listed: Vec<String> = listed
            .to_string_lossy()
            .split(';')
            .filter_map(|ending| ending.trim().strip_prefix('.'))
            .filter(|ending| is_started(ending))
            .map(str::to_ascii_lowercase)
            .collect();
        if listed.is_empty() {
            Self::default()
        } else {
            Self(listed)
        }
    }

    /// The files that the program `name` may be in `folder`, in the order of preference.
    pub fn files(&self, folder: &Path, name: &str) -> impl Iterator<Item = PathBuf> {
        self.0
            .iter()
            .map(move |ending| folder.join(format!("{name}.{ending}")))
    }

    /// The name of the program that a file would be; `None` if it is none by its name.
    pub fn program<'a>(&self, file: &'a str) -> Option<&'a str> {
        let (name, ending) = file.rsplit_once('.')?;
        let is_listed = |listed: &String| listed.eq_ignore_ascii_case(ending);
        self.0.iter().any(is_listed).then_some(name)
    }
}
