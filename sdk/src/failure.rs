//! What goes wrong, as a plugin says it: a message, where, and what to do about it.

use std::io;

use serde::{Deserialize, Serialize};

use crate::question::Question;

/// A typed failure of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The class of the failure; its number is the exit status.
    pub exit: Exit,
    /// The finer cause, stable, in `snake_case`: `invalid_input`.
    pub code: String,
    /// What went wrong: lower case, no full stop, literals in backticks.
    pub message: String,
    /// The fields that are missing or wrong, all of them.
    pub fields: Vec<Field>,
    /// What to do, each a sentence or a command that can be pasted.
    pub hints: Vec<String>,
    /// With the code `input_required`: every question that is still open.
    pub inputs: Box<[Question]>,
    /// What became of the change; `None` where the command changes nothing.
    pub outcome: Option<ChangeState>,
}

/// What became of a change that a command was to make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ChangeState {
    /// Nothing has changed.
    NotDone,
    /// Some of it is done, and it is known what.
    PartlyDone,
    /// It is done; something else failed afterwards.
    Done,
    /// It may or may not have been done. What later versions may add counts as this.
    #[serde(other)]
    Unknown,
}

/// The exit status of a command that did not succeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// It ran and failed: 1.
    Failed,
    /// It cannot succeed as written, nothing changed: 2.
    Usage,
    /// It may or may not have been done: 3.
    Unknown,
    /// Not signed in or not allowed: 4.
    NotAllowed,
    /// Unavailable or timed out, worth a retry: 7.
    Unavailable,
    /// A plugin broke the protocol: 125. Only a host says so.
    Protocol,
    /// A plugin cannot be run: 126. Only a host says so, or a command that becomes another program.
    NotRunnable,
    /// There is no such plugin: 127. Only a host says so, or a command that becomes another program.
    NotFound,
    /// The user cancelled: 130.
    Cancelled,
    /// The process was told to end: 143.
    Terminated,
}

impl Exit {
    /// The number a process exits with.
    #[must_use]
    pub const fn status(self) -> u8 {
        match self {
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Unknown => 3,
            Self::NotAllowed => 4,
            Self::Unavailable => 7,
            Self::Protocol => 125,
            Self::NotRunnable => 126,
            Self::NotFound => 127,
            Self::Cancelled => 130,
            Self::Terminated => 143,
        }
    }

    /// The class that a plugin's `error.code` stands for; numbers it may not use, and those of later versions, are plain failures.
    #[must_use]
    pub const fn from_plugin(code: i64) -> Self {
        match code {
            2 => Self::Usage,
            3 => Self::Unknown,
            4 => Self::NotAllowed,
            7 => Self::Unavailable,
            130 => Self::Cancelled,
            143 => Self::Terminated,
            _ => Self::Failed,
        }
    }
}

/// One field of the input that is missing or wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Field {
    /// Its name in the input: `stt_service`.
    pub field: String,
    /// The option that sets it: `--stt`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flag: Option<String>,
    /// `missing`, or what is wrong with it.
    pub problem: String,
}

/// The words of the operating system as they stand in a sentence: `permission denied`.
#[must_use]
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
    #[must_use]
    pub fn new(exit: Exit, code: &str, message: impl Into<String>) -> Self {
        Self {
            exit,
            code: code.to_owned(),
            message: message.into(),
            fields: Vec::new(),
            hints: Vec::new(),
            inputs: Box::default(),
            outcome: (exit == Exit::Unknown).then_some(ChangeState::Unknown),
        }
    }

    /// The user cancelled.
    #[must_use]
    pub fn cancelled() -> Self {
        Self::new(Exit::Cancelled, "cancelled", "cancelled")
    }

    /// Says what became of the change.
    #[must_use]
    pub fn outcome(mut self, outcome: ChangeState) -> Self {
        self.outcome = Some(outcome);
        self
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Adds a field that is missing or wrong.
    #[must_use]
    pub fn field(mut self, field: &str, flag: Option<&str>, problem: impl Into<String>) -> Self {
        self.fields.push(Field {
            field: field.to_owned(),
            flag: flag.map(str::to_owned),
            problem: problem.into(),
        });
        self
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
            Exit::Cancelled,
            Exit::Terminated,
        ] {
            assert_eq!(Exit::from_plugin(exit.status().into()), exit);
        }
        for code in [5, 125, 126, 127, 1000] {
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
