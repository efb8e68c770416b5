//! What a command may do while it runs: ask, report, read the user's input.

use crate::failure::Failure;
use crate::question::{Answer, Question};

/// The command's side of a run, the same through the host and in a terminal of its own.
pub struct Session {}

/// How urgent a log line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Shown with `-vv`.
    Debug,
    /// Shown with `-v`.
    Info,
    /// Shown always.
    Warn,
}

impl Session {
    /// Whether the user can be asked.
    #[must_use]
    pub fn interactive(&self) -> bool {
        false
    }

    /// The folder the command was called in.
    #[must_use]
    pub fn cwd(&self) -> &std::path::Path {
        std::path::Path::new(".")
    }

    /// Asks the user. Without a user: the scripted answer, then the default, then a failure `input_required`.
    /// Cancelling is a failure with `Exit::Cancelled`.
    pub fn ask(&mut self, _question: &Question) -> Result<Answer, Failure> {
        Ok(Answer::Back)
    }

    /// Says how far the work is; `total` as far as it is known.
    pub fn progress(&mut self, _message: &str, _current: Option<u64>, _total: Option<u64>) {}

    /// A line for the user beside the result, on stderr.
    pub fn log(&mut self, _level: Level, _message: &str) {}

    /// A part of the result that is ready before the rest, on stdout.
    pub fn output(&mut self, _text: &str) {}

    /// The user's own piped input.
    pub fn stdin(&mut self) -> Result<Vec<u8>, Failure> {
        Ok(Vec::new())
    }

    /// Whether the user has cancelled; long work looks now and then.
    #[must_use]
    pub fn cancelled(&self) -> bool {
        false
    }
}
