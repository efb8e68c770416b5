//! Why a secrets backend could not do what it was asked for, and what became of a change.

use serde::{Deserialize, Serialize};

/// `error.data` of a secrets backend's reply.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ErrorData {
    /// The message.
    pub code: Code,
    /// The outcome of the change; absent where the method changes nothing. Absent where it does counts as `unknown`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect: Option<Effect>,
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

/// The size of what is too large.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Bytes {
    /// The bytes that it would take.
    pub size: u64,
    /// The bytes that there may be.
    pub limit: u64,
}

/// The class of an error of a secrets backend.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// Nothing answered where secrets are kept.
    Unreachable,
    /// Nothing answered in time.
    TimedOut,
    /// It is there but does not work now.
    Unavailable,
    /// The user is not signed in, or what proves it is not accepted.
    NotSignedIn,
    /// The user may not do this.
    NotAllowed,
    /// There is no such organization, region or place.
    NotFound,
    /// Somebody else changed the set in the meantime, or it is not one of the kind that was asked for, or not one of ours.
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
    /// A question had to be answered, and nobody could be asked.
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
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Parts {
    /// The keys that are changed.
    pub done: Vec<String>,
    /// The keys that may be changed.
    pub unknown: Vec<String>,
    /// The keys that are not changed.
    pub not_done: Vec<String>,
}

impl Code {
    /// Returns the name on the wire.
    pub fn name(self) -> String {
        let name = serde_json::to_value(self).unwrap_or_default();
        name.as_str().unwrap_or_default().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Code, Effect, ErrorData};

    #[test]
    fn a_code_of_a_later_version_is_internal() {
        assert_eq!(Code::NotSignedIn.name(), "not_signed_in");
        let later: Code = serde_json::from_value(json!("of_a_later_version")).unwrap();
        assert_eq!(later, Code::Internal);
    }

    #[test]
    fn effects_are_words_or_parts() {
        for effect in ["not_done", "done", "unknown"] {
            let read: Effect = serde_json::from_value(json!(effect)).unwrap();
            assert_eq!(json!(read), json!(effect));
        }
        let parts = json!({ "partly": { "done": ["A"], "unknown": ["B"], "not_done": [] } });
        let read: Effect = serde_json::from_value(parts.clone()).unwrap();
        assert_eq!(json!(read), parts);
    }

    #[test]
    fn an_error_says_no_more_than_it_knows() {
        let data = ErrorData::default();
        assert_eq!(json!(data), json!({ "code": "internal" }));
        let read: ErrorData = serde_json::from_value(json!({})).unwrap();
        assert_eq!(read, data);
    }
}
