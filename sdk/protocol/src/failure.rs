//! Command failures, each with a message, an exit status and hints.

mod cause;
mod on_wire;

use std::error::Error;
use std::{fmt, io};

use crate::Question;
use crate::wording::count;
pub use crate::{ChangeState, Field};
use cause::Cause;
pub use cause::OrFail;

/// A command failure with an exit status and a stable error code.
///
/// The `?` operator converts I/O and `serde_json` errors into failures. [`OrFail`] converts any error and adds a description of the
/// action that failed:
///
/// ```
/// use bot_cli_protocol::failure::{Exit, Failure, OrFail};
///
/// fn greeting(path: &str) -> Result<String, Failure> {
///     let text = std::fs::read_to_string(path).or_fail(format!("could not read `{path}`"))?;
///     if text.is_empty() {
///         return Err(Failure::new(Exit::Usage, "empty_file", format!("`{path}` is empty"))
///             .hint(format!("echo Hello > {path}")));
///     }
///     Ok(text)
/// }
///
/// let failure = greeting("no-such-file").unwrap_err();
/// assert_eq!(failure.message, "could not read `no-such-file`: no such file or directory");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub struct Failure {
    /// The class of failure, which determines the exit status.
    pub exit: Exit,
    /// The specific error code in `snake_case`, such as `invalid_input`. Codes are stable.
    pub code: String,
    /// The message, in lowercase and without trailing punctuation, with literals in backticks.
    pub message: String,
    /// All missing or invalid fields.
    pub fields: Vec<Field>,
    /// Suggestions for the user, each a sentence or a command to paste.
    pub hints: Vec<String>,
    /// The state of the attempted change. `None` if the command changes nothing.
    pub outcome: Option<ChangeState>,
    rest: Box<Rest>,
}

/// The rarely used fields, boxed to keep `Failure`, and therefore every `Result`, small.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Rest {
    inputs: Vec<Question>,
    cause: Cause,
}

/// The exit status of a failed command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// The command failed.
    Failed = 1,
    /// The command line or the input is invalid. Nothing has been changed.
    Usage = 2,
    /// The command failed, and its change may or may not have been made.
    Unknown = 3,
    /// The user is not signed in or lacks permission.
    NotAllowed = 4,
    /// The service is unavailable or timed out. A retry may succeed.
    Unavailable = 7,
    /// The command finished, but its result could not be written. Only the program that prints the result uses this status.
    Unwritten = 74,
    /// A plugin violated the protocol. Only hosts use this status.
    Protocol = 125,
    /// A plugin or another program could not be run. Only hosts and commands that start other programs use this status.
    NotRunnable = 126,
    /// A plugin or another program was not found. Only hosts and commands that start other programs use this status.
    NotFound = 127,
    /// The user cancelled the command.
    Cancelled = 130,
    /// The process was asked to terminate (`SIGTERM`).
    Terminated = 143,
}

impl Exit {
    /// Returns the exit status as a number.
    pub const fn status(self) -> u8 {
        self as u8
    }

    /// Converts a plugin's `error.code`. Statuses that plugins may not use and unknown statuses become [`Exit::Failed`].
    pub const fn from_plugin(code: i64) -> Self {
        match code {
            2 => Self::Usage,
            3 => Self::Unknown,
            4 => Self::NotAllowed,
            7 => Self::Unavailable,
            126 => Self::NotRunnable,
            127 => Self::NotFound,
            130 => Self::Cancelled,
            143 => Self::Terminated,
            _ => Self::Failed,
        }
    }
}

/// Formats an I/O error for use within a sentence, such as `permission denied`.
pub fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_lowercase().chain(letters).collect()
    })
}

impl Failure {
    /// Creates a failure. If `exit` is [`Exit::Unknown`], also sets the state of the change to unknown.
    pub fn new(exit: Exit, code: &str, message: impl Into<String>) -> Self {
        Self {
            exit,
            code: code.to_owned(),
            message: message.into(),
            fields: Vec::new(),
            hints: Vec::new(),
            outcome: (exit == Exit::Unknown).then_some(ChangeState::Unknown),
            rest: Box::default(),
        }
    }

    /// Creates an `invalid_input` failure for the given missing or invalid fields.
    pub fn invalid_input(fields: Vec<Field>) -> Self {
        let message = match fields.as_slice() {
            [field] => field.sentence(),
            fields => count(fields.len(), "problem"),
        };
        let mut failure = Self::new(Exit::Usage, "invalid_input", message);
        failure.fields = fields;
        failure
    }

    /// Creates the failure for a command that the user cancelled.
    pub fn cancelled() -> Self {
        Self::new(Exit::Cancelled, "cancelled", "cancelled")
    }

    /// Replaces the message.
    pub fn message(mut self, message: impl Into<String>) -> Self {
        self.message = message.into();
        self
    }

    /// Sets the state of the change.
    pub fn outcome(mut self, outcome: ChangeState) -> Self {
        self.outcome = Some(outcome);
        self
    }

    /// Adds a suggestion for the user.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Adds a missing or invalid field.
    pub fn field(mut self, field: &str, flag: Option<&str>, problem: impl Into<String>) -> Self {
        let mut field = Field::new(field, problem);
        field.flag = flag.map(str::to_owned);
        self.fields.push(field);
        self
    }

    /// Returns the unanswered questions for an `input_required` failure.
    pub fn inputs(&self) -> &[Question] {
        &self.rest.inputs
    }

    /// Sets the unanswered questions.
    pub fn with_inputs(mut self, inputs: Vec<Question>) -> Self {
        self.rest.inputs = inputs;
        self
    }

    /// Sets the cause, which [`source`](Error::source) returns and `-v` displays. The cause's text must not contain secrets.
    pub fn caused_by(mut self, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.rest.cause = Cause::new(cause.into());
        self
    }

    /// Creates a failure with the message `could_not: error` and `error` as its cause.
    pub fn because(
        exit: Exit,
        code: &str,
        could_not: impl Into<String>,
        error: impl Into<Box<dyn Error + Send + Sync>>,
    ) -> Self {
        let error = error.into();
        let message = format!("{}: {}", could_not.into(), cause::words(&*error));
        Self::new(exit, code, message).caused_by(error)
    }

    /// Returns the text of each cause that adds information to the message, from the direct cause to the root cause.
    pub fn causes(&self) -> Vec<String> {
        cause::chain(self)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for Failure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.rest.cause.get()
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::{ChangeState, Exit, Failure, reason};

    #[test]
    fn every_status_of_a_plugin_is_read_back() {
        for exit in [
            Exit::Failed,
            Exit::Usage,
            Exit::Unknown,
            Exit::NotAllowed,
            Exit::Unavailable,
            Exit::NotRunnable,
            Exit::NotFound,
            Exit::Cancelled,
            Exit::Terminated,
        ] {
            assert_eq!(Exit::from_plugin(exit.status().into()), exit);
        }
        for code in [5, 125, 1000] {
            assert_eq!(Exit::from_plugin(code), Exit::Failed, "{code}");
        }
    }

    #[test]
    fn the_status_of_an_unknown_outcome_implies_it() {
        for (exit, outcome) in [
            (Exit::Unknown, Some(ChangeState::Unknown)),
            (Exit::Failed, None),
        ] {
            assert_eq!(Failure::new(exit, "lost", "lost").outcome, outcome);
        }
    }

    #[test]
    fn reasons_stand_in_a_sentence() {
        for (error, expected) in [
            (io::Error::from_raw_os_error(13), "permission denied"),
            (io::ErrorKind::NotFound.into(), "entity not found"),
            (io::Error::other("it is a pipe"), "it is a pipe"),
            (io::Error::other(""), ""),
        ] {
            assert_eq!(reason(&error), expected);
        }
    }
}
