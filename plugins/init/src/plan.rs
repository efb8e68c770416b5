//! A configuration becomes files: every path and its bytes, in memory, with nothing read from or written to disk.

use crate::config::Config;

/// The files of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// In the order of their paths.
    pub files: Vec<PlannedFile>,
}

/// A file of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedFile {
    /// Relative to the target, with `/`.
    pub path: String,
    /// UTF-8, LF, ends with a newline.
    pub text: String,
    /// What to do where the file exists already.
    pub existing: Existing,
}

/// What happens to a file that exists already with other contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// It is the user's: a conflict.
    Conflict,
    /// Lines that it lacks are added at its end.
    AddLines,
    /// It is a coding-agent guide: its stamp decides.
    Guide,
}

/// Renders the project of `config`, without the guides.
pub fn scaffold(_config: &Config) -> Result<Plan, PlanError> {
    Ok(Plan { files: Vec::new() })
}

/// A template or the catalogue is broken: a defect of this program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanError {
    /// The file that could not be rendered.
    pub path: String,
    /// Why.
    pub reason: String,
}
