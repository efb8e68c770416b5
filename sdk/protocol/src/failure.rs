//! What goes wrong, as a plugin says it: a message, where, and what to do about it.

mod cause;
mod on_wire;

use std::error::Error;
use std::{fmt, io};

use crate::Question;
use crate::wording::count;
pub use crate::{ChangeState, Field};
use cause::Cause;
pub use cause::OrFail;

/// A typed failure of a command.
///
/// `?` turns errors of I/O and of `serde_json` into one. [`OrFail`] does so for every error and says what could not be done:
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
    /// The class of the failure; its number is the exit status.
    pub exit: Exit,
    /// The finer cause, stable, in `snake_case`: `invalid_input`.
    pub code: String,
    /// The message: lower case, no full stop, literals in backticks.
    pub message: String,
    /// The fields that are missing or wrong, all of them.
    pub fields: Vec<Field>,
    /// Hints on what to do, each a sentence or a command that can be pasted.
    pub hints: Vec<String>,
    /// The outcome of the change; `None` where the command changes nothing.
    pub outcome: Option<ChangeState>,
    rest: Box<Rest>,
}

/// The members that few failures have, apart: every `Result` is as large as its error.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Rest {
    inputs: Vec<Question>,
    cause: Cause,
}

/// The exit status of a command that did not succeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// It ran and failed.
    Failed = 1,
    /// It cannot succeed as written, nothing changed.
    Usage = 2,
    /// It may or may not have been done.
    Unknown = 3,
    /// Not signed in or not allowed.
    NotAllowed = 4,
    /// Unavailable or timed out, worth a retry.
    Unavailable = 7,
    /// It ran to its end, but its result could not be written. Only what shows the result says so.
    Unwritten = 74,
    /// A plugin broke the protocol. Only a host says so.
    Protocol = 125,
    /// A plugin cannot be run. Only a host says so, or a command that starts another program, of that.
    NotRunnable = 126,
    /// There is no such plugin. Only a host says so, or a command that starts another program, of that.
    NotFound = 127,
    /// The user cancelled.
    Cancelled = 130,
    /// The process was told to end.
    Terminated = 143,
}

impl Exit {
    /// The number a process exits with.
    pub const fn status(self) -> u8 {
        self as u8
    }

    /// The class of a plugin's `error.code`; numbers it may not use, and those of later versions, are plain failures.
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

/// The words of the operating system as they stand in a sentence: `permission denied`.
pub fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_lowercase().chain(letters).collect()
    })
}

impl Failure {
    /// A failure of class `exit` with a `code` and a message. With [`Exit::Unknown`] the outcome is unknown.
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

    /// A failure that names every field of the input that is missing or wrong.
    pub fn invalid_input(fields: Vec<Field>) -> Self {
        let message = match fields.as_slice() {
            [field] => field.sentence(),
            fields => count(fields.len(), "problem"),
        };
        let mut failure = Self::new(Exit::Usage, "invalid_input", message);
        failure.fields = fields;
        failure
    }

    /// The user cancelled.
    pub fn cancelled() -> Self {
        Self::new(Exit::Cancelled, "cancelled", "cancelled")
    }

    /// Says it in other words.
    pub fn message(mut self, message: impl Into<String>) -> Self {
        self.message = message.into();
        self
    }

    /// Says what became of the change.
    pub fn outcome(mut self, outcome: ChangeState) -> Self {
        self.outcome = Some(outcome);
        self
    }

    /// Adds what to do about it.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Adds a field that is missing or wrong.
    pub fn field(mut self, field: &str, flag: Option<&str>, problem: impl Into<String>) -> Self {
        let mut field = Field::new(field, problem);
        field.flag = flag.map(str::to_owned);
        self.fields.push(field);
        self
    }

    /// With the code `input_required`: every question that is still open.
    pub fn inputs(&self) -> &[Question] {
        &self.rest.inputs
    }

    /// Names the questions that are still open.
    pub fn with_inputs(mut self, inputs: Vec<Question>) -> Self {
        self.rest.inputs = inputs;
        self
    }

    /// Keeps what led to it, which [`source`](Error::source) returns and `-v` shows. Don't keep an error whose text may quote a secret.
    pub fn caused_by(mut self, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.rest.cause = Cause::new(cause.into());
        self
    }

    /// A failure that says what could not be done, with the words of `error`, which is its cause.
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

    /// The texts of what led to it that its message doesn't have, the nearest first.
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
