//! The folder of a project.

pub mod compare;

use std::error::Error;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::suggest;

use crate::platform;

/// A folder that exists or can be created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The path as entered by the user, for use in messages and commands.
    pub shown: String,
    /// The absolute path, without symbolic links.
    pub path: PathBuf,
}

impl Target {
    pub fn find(given: &Path, cwd: &Path) -> Result<Self, Failure> {
        let Some(shown) = given.to_str() else {
            return Err(unusable(&given.to_string_lossy(), "its name is not UTF-8"));
        };
        if shown.trim().is_empty() {
            return Err(Failure::new(
                Exit::Usage,
                "invalid_target",
                "the target directory is empty",
            )
            .hint("`bot-cli init .` means the current directory"));
        }
        if shown.chars().any(char::is_control) {
            return Err(unusable(shown, "its name contains control characters"));
        }
        if suggest::is_typographic(shown) {
            let problem = "it begins with a typographic dash or quotation mark";
            return Err(unusable(shown, problem).hint(format!(
                "if that is what you mean: `bot-cli init ./{shown}`"
            )));
        }
        let path = locate(&cwd.join(given)).map_err(|error| unusable(shown, error))?;
        match fs::metadata(&path) {
            Ok(found) if !found.is_dir() => Err(unusable(shown, "it is not a directory")),
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(unusable(shown, error)),
            Ok(_) | Err(_) => Ok(Self {
                shown: shown.to_owned(),
                path,
            }),
        }
    }
}

fn unusable(shown: &str, problem: impl Into<Box<dyn Error + Send + Sync>>) -> Failure {
    let can_not = format!("can't use {} as the target", crate::wording::quoted(shown));
    Failure::because(Exit::Usage, "invalid_target", can_not, problem)
        .hint("name another directory: `bot-cli init TARGET_DIR`")
}

/// Resolves symbolic links in the longest existing prefix of `path`, and appends the rest unchanged.
fn locate(path: &Path) -> io::Result<PathBuf> {
    let is_missing = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
    for found in path.ancestors() {
        match fs::symlink_metadata(found) {
            Ok(_) => {}
            Err(error) if is_missing(&error) => continue,
            Err(error) => return Err(error),
        }
        let rest = path.strip_prefix(found).unwrap_or(Path::new(""));
        if rest.components().any(|part| part == Component::ParentDir) {
            return Err(io::Error::other(
                "`..` leads through a directory that does not exist",
            ));
        }
        let mut located = platform::canonicalize(found).map_err(|error| match error {
            error if is_missing(&error) => io::Error::other("it is a broken symbolic link"),
            error => error,
        })?;
        located.extend(rest);
        return Ok(located);
    }
    Err(io::ErrorKind::NotFound.into())
}
