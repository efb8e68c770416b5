//! The reason why a plugin is not used.

use std::path::Path;
use std::{fmt, io};

use bot_cli_protocol::failure::{self, Exit, Failure};
use bot_cli_terminal::{one_line, short_line};

/// The reason why a plugin is not used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The reason. It may quote a path as it is.
    pub reason: String,
    /// The remedy, on one line. A remedy never changes another user's files.
    pub remedy: Option<String>,
}

impl Refused {
    /// Creates a refusal with a reason, which may quote the plugin's manifest, and an optional remedy.
    pub fn new(reason: impl AsRef<str>, remedy: Option<String>) -> Self {
        Self {
            reason: short_line(reason.as_ref(), 300),
            remedy: remedy.map(|remedy| one_line(&remedy)),
        }
    }

    /// Creates a refusal with a reason and a remedy.
    pub fn with_remedy(reason: impl AsRef<str>, remedy: impl Into<String>) -> Self {
        Self::new(reason, Some(remedy.into()))
    }

    /// Returns the failure for an attempt to run `file`.
    pub fn failure(&self, file: &Path) -> Failure {
        let message = format!("`{}` is not run: {}", file.display(), self.reason);
        let mut failure = Failure::new(Exit::NotRunnable, "not_runnable", message);
        failure.hints.extend(self.remedy.clone());
        failure
    }
}

impl From<io::Error> for Refused {
    fn from(error: io::Error) -> Self {
        Self::new(failure::reason(&error), None)
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)?;
        match &self.remedy {
            Some(remedy) => write!(f, "; {remedy}"),
            None => Ok(()),
        }
    }
}
