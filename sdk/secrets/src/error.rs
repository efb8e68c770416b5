//! Errors of a backend and outcomes of its changes, in code and on the wire: `error.data` has the same members.

use bot_cli_protocol::ErrorObject;
use bot_cli_protocol::failure::{Exit, Failure};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Why a backend could not do what it was asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[must_use]
pub struct Error {
    /// The class of the error.
    pub code: Code,
    /// The same for people, without any value: lower case, no full stop, literals in backticks.
    #[serde(skip)]
    pub message: String,
    /// Hints on how to solve it, each a sentence or a command that can be pasted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<String>,
    /// The time to leave it alone, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
    /// With `too_large`: the bytes that it would take, and those that there may be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<Box<Bytes>>,
    /// With `not_text`: the key of the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<Box<str>>,
}

/// The error of a change, with its outcome.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeError {
    /// The error.
    #[serde(flatten)]
    pub cause: Error,
    /// The outcome of the change; absent where the method changes nothing. Absent where it does counts as `unknown`.
    #[serde(default)]
    pub effect: Effect,
}

/// The size of what is too large.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bytes {
    /// The bytes that it would take.
    pub size: u64,
    /// The bytes that there may be.
    pub limit: u64,
}

/// The class of an error of a secrets backend.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// The service does not answer.
    Unreachable,
    /// The service does not answer in time.
    TimedOut,
    /// The service answers but does not work at the moment.
    Unavailable,
    /// The user is not signed in, or the sign-in is not accepted.
    NotSignedIn,
    /// The user lacks the permission.
    NotAllowed,
    /// There is no such organization, region or place.
    NotFound,
    /// The set or its keys differ from `prior`, or it is of the other kind.
    Conflict,
    /// It was refused for another reason; trying again does not help.
    Refused,
    /// A value, or a set, is larger than fits.
    TooLarge,
    /// The set can be deleted but not changed.
    Immutable,
    /// The set is being deleted and can't be changed.
    BeingDeleted,
    /// Something has this name that the backend did not make and leaves alone.
    Foreign,
    /// The place in which the backend works is not there.
    NoPlace,
    /// A value is not UTF-8 text, and only text can be returned.
    NotText,
    /// No set can have this name.
    InvalidName,
    /// A setting is missing or wrong.
    InvalidSetting,
    /// This backend can't do it.
    NotSupported,
    /// A question needed an answer and could not be asked.
    InputRequired,
    /// The user stopped it.
    Cancelled,
    /// Anything else, such as a defect of the backend. What later versions may add counts as this.
    #[default]
    #[serde(other)]
    Internal,
}

/// The outcome of a change.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Nothing has changed.
    NotDone,
    /// It is done; something else failed afterwards.
    Done,
    /// It may or may not have been done.
    #[default]
    Unknown,
    /// Some keys differ from others.
    Partly(Box<Parts>),
}

/// The outcome of the keys of a change. Every key of the request is in exactly one of the lists.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Parts {
    /// The keys that are changed.
    pub done: Vec<String>,
    /// The keys that may be changed.
    pub unknown: Vec<String>,
    /// The keys that are not changed.
    pub not_done: Vec<String>,
}

impl Error {
    /// An error with a message for people.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            ..Self::default()
        }
    }

    /// The backend can't do what it was asked for.
    pub fn not_supported() -> Self {
        Self::new(Code::NotSupported, "this backend can't do that")
    }

    /// Adds a hint on how to solve it.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// The failure of a change that changed nothing.
    pub fn not_done(self) -> ChangeError {
        self.with_effect(Effect::NotDone)
    }

    /// The failure of a change that may have been done.
    pub fn unknown(self) -> ChangeError {
        self.with_effect(Effect::Unknown)
    }

    /// The failure of a change with this outcome.
    pub const fn with_effect(self, effect: Effect) -> ChangeError {
        ChangeError {
            cause: self,
            effect,
        }
    }
}

impl Code {
    /// Returns the name on the wire.
    pub fn name(self) -> String {
        let name = serde_json::to_value(self).unwrap_or_default();
        name.as_str().unwrap_or_default().to_owned()
    }
}

impl Effect {
    /// Returns the outcome of a change whose keys are each in one of the lists.
    pub fn of(parts: Parts) -> Self {
        let Parts {
            done,
            unknown,
            not_done,
        } = &parts;
        match (done.is_empty(), unknown.is_empty(), not_done.is_empty()) {
            (false, true, true) => Self::Done,
            (true, _, true) => Self::Unknown,
            (true, true, false) => Self::NotDone,
            _ => Self::Partly(Box::new(parts)),
        }
    }
}

impl From<Error> for ErrorObject {
    fn from(error: Error) -> Self {
        let data = serde_json::to_value(&error).ok();
        object(error.message, data)
    }
}

impl From<ChangeError> for ErrorObject {
    fn from(error: ChangeError) -> Self {
        let data = serde_json::to_value(&error).ok();
        object(error.cause.message, data)
    }
}

/// The class of an error is in its data, so its number only says that the backend has failed.
fn object(message: String, data: Option<Value>) -> ErrorObject {
    ErrorObject {
        code: Exit::Failed.status().into(),
        message,
        data,
    }
}

/// A question that failed: the user cancelled it, or nobody could be asked.
impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        let code = if matches!(failure.exit, Exit::Cancelled | Exit::Terminated) {
            Code::Cancelled
        } else if failure.code == "input_required" {
            Code::InputRequired
        } else {
            Code::Internal
        };
        Self {
            hints: failure.hints,
            ..Self::new(code, failure.message)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{ChangeError, Code, Effect, Error};

    #[test]
    fn a_code_of_a_later_version_is_internal() {
        assert_eq!(Code::NotSignedIn.name(), "not_signed_in");
        let later: Code = serde_json::from_value(json!("of_a_later_version")).unwrap();
        assert_eq!(later, Code::Internal);
    }

    #[test]
    fn effects_are_words_or_parts() {
        let parts = json!({ "partly": { "done": ["A"], "unknown": ["B"], "not_done": [] } });
        for effect in [json!("not_done"), json!("done"), json!("unknown"), parts] {
            let read: Effect = serde_json::from_value(effect.clone()).unwrap();
            assert_eq!(json!(read), effect);
        }
    }

    #[test]
    fn an_error_says_no_more_than_it_knows() {
        assert_eq!(json!(Error::default()), json!({ "code": "internal" }));
        let read: ChangeError = serde_json::from_value(json!({})).unwrap();
        assert_eq!(read, ChangeError::default());
    }
}
