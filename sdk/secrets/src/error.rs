//! Backend errors and the outcomes of changes. The fields match the members of `error.data` in the protocol.

use bot_cli_protocol::ErrorObject;
use bot_cli_protocol::failure::{Exit, Failure};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The error for a failed request to a backend.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[must_use]
pub struct Error {
    /// The class of error.
    pub code: Code,
    /// The message for the user, in lowercase and without trailing punctuation, with literals in backticks. Must not contain secret values.
    #[serde(skip)]
    pub message: String,
    /// Suggestions for the user, each a sentence or a command to paste.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<String>,
    /// The number of seconds to wait before a retry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
    /// The actual and the maximum size, if the code is `too_large`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<Box<Bytes>>,
    /// The key of the value that is not text, if the code is `not_text`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<Box<str>>,
    /// The failure that a command reports, which is never sent. Built from the other members if absent.
    #[serde(skip)]
    pub told: Option<Box<Failure>>,
}

/// The error for a failed change, including the outcome of the change.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeError {
    /// The reason that the change failed.
    #[serde(flatten)]
    pub cause: Error,
    /// The outcome of the change. If the member is absent, the outcome is unknown.
    #[serde(default)]
    pub effect: Effect,
}

/// The actual and the maximum size of a value or set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bytes {
    /// The actual size in bytes.
    pub size: u64,
    /// The maximum size in bytes.
    pub limit: u64,
}

/// The class of a backend error.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// The service cannot be reached.
    Unreachable,
    /// The service did not respond in time.
    TimedOut,
    /// The service is temporarily unavailable.
    Unavailable,
    /// The user is not signed in, or the sign-in was rejected.
    NotSignedIn,
    /// The user lacks permission.
    NotAllowed,
    /// The organization, region or location does not exist.
    NotFound,
    /// The set or its keys differ from `prior`, or the set is of a different kind.
    Conflict,
    /// The request was rejected for another reason. A retry does not help.
    Refused,
    /// A value or a set exceeds the size limit.
    TooLarge,
    /// The set can be deleted but not changed.
    Immutable,
    /// The set is being deleted and cannot be changed.
    BeingDeleted,
    /// The name belongs to an entry that the backend did not create and will not change.
    Foreign,
    /// The backend's storage location does not exist.
    NoPlace,
    /// A value is not UTF-8 text and cannot be returned.
    NotText,
    /// The name is not a valid set name.
    InvalidName,
    /// A setting is missing or invalid.
    InvalidSetting,
    /// The backend does not support the request.
    NotSupported,
    /// A required question could not be asked.
    InputRequired,
    /// The user cancelled.
    Cancelled,
    /// Any other error, such as a bug in the backend. Unknown codes from later versions decode as this variant.
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
    /// The change has been made, but a later step failed.
    Done,
    /// The change may or may not have been made.
    #[default]
    Unknown,
    /// The outcome differs between keys.
    Partly(Box<Parts>),
}

/// The outcome of a change for each key. Every key in the request is in exactly one of the lists.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Parts {
    /// The keys that were changed.
    pub done: Vec<String>,
    /// The keys that may have been changed.
    pub unknown: Vec<String>,
    /// The keys that were not changed.
    pub not_done: Vec<String>,
}

impl Error {
    /// Creates an error with a message for the user.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            ..Self::default()
        }
    }

    /// Creates the error for a request that the backend does not support.
    pub fn not_supported() -> Self {
        Self::new(Code::NotSupported, "this backend can't do that")
    }

    /// Adds a suggestion for the user.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Creates a change error with the outcome [`Effect::NotDone`].
    pub fn not_done(self) -> ChangeError {
        self.with_effect(Effect::NotDone)
    }

    /// Creates a change error with the outcome [`Effect::Unknown`].
    pub fn unknown(self) -> ChangeError {
        self.with_effect(Effect::Unknown)
    }

    /// Creates a change error with the given outcome.
    pub const fn with_effect(self, effect: Effect) -> ChangeError {
        ChangeError {
            cause: self,
            effect,
        }
    }
}

impl Code {
    /// Returns the code's name in the protocol.
    pub fn name(self) -> String {
        let name = serde_json::to_value(self).unwrap_or_default();
        name.as_str().unwrap_or_default().to_owned()
    }
}

impl Effect {
    /// Groups the `keys` of a change by outcome.
    pub fn parts(self, keys: Vec<String>) -> Parts {
        let mut parts = Parts::default();
        match self {
            Self::Done => parts.done = keys,
            Self::Unknown => parts.unknown = keys,
            Self::NotDone => parts.not_done = keys,
            Self::Partly(known) => parts = *known,
        }
        parts
    }

    /// Combines the outcomes for individual keys into the outcome of the change.
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

/// Creates the error object. The numeric code is always the same, because `data` identifies the kind of error.
fn object(message: String, data: Option<Value>) -> ErrorObject {
    ErrorObject {
        code: Exit::Failed.status().into(),
        message,
        data,
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error.told {
            Some(failure) => *failure,
            None if error.code == Code::Cancelled => Self::cancelled(),
            None => {
                let mut failure = Self::new(Exit::Failed, &error.code.name(), error.message);
                failure.hints = error.hints;
                failure
            }
        }
    }
}

/// Converts a failure, such as that of a question which the user cancelled.
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
            hints: failure.hints.clone(),
            told: Some(Box::new(failure.clone())),
            ..Self::new(code, failure.message)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{ChangeError, Code, Effect, Error, Parts};

    #[test]
    fn every_key_has_the_outcome_of_its_part() {
        let keys = |names: &str| -> Vec<String> { names.split(' ').map(str::to_owned).collect() };
        for effect in [Effect::Done, Effect::Unknown, Effect::NotDone] {
            assert_eq!(Effect::of(effect.clone().parts(keys("A B"))), effect);
        }
        let partly = Parts {
            done: keys("A"),
            unknown: Vec::new(),
            not_done: keys("B"),
        };
        let effect = Effect::Partly(Box::new(partly.clone()));
        assert_eq!(effect.clone().parts(keys("A B")), partly);
        assert_eq!(Effect::of(partly), effect);
    }

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
