//! The answer to a question.

use serde_json::{Value, json};

use crate::secret::Secret;

/// The user's answer to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The answer to a `text` or `select` question.
    Text(String),
    /// The answer to a `password` question.
    Secret(Secret),
    /// The answer to a `confirm` question.
    Confirm(bool),
    /// The answer to a `multiselect` question.
    Many(Vec<String>),
    /// A request to go back to the previous question.
    Back,
}

impl Answer {
    /// Returns the text, if this is the answer to a `text` or `select` question.
    pub fn as_text(&self) -> Option<&str> {
        let Self::Text(text) = self else { return None };
        Some(text)
    }

    /// Returns the secret, if this is the answer to a `password` question.
    pub fn as_secret(&self) -> Option<&Secret> {
        let Self::Secret(secret) = self else {
            return None;
        };
        Some(secret)
    }

    /// Returns the boolean, if this is the answer to a `confirm` question.
    pub fn as_bool(&self) -> Option<bool> {
        let Self::Confirm(yes) = self else {
            return None;
        };
        Some(*yes)
    }

    /// Returns the chosen values, if this is the answer to a `multiselect` question.
    pub fn as_many(&self) -> Option<&[String]> {
        let Self::Many(values) = self else {
            return None;
        };
        Some(values)
    }

    /// Returns the JSON form, which [`Question::check`](super::Question::check) parses. Returns `None` for secrets and [`Answer::Back`].
    pub fn to_json(&self) -> Option<Value> {
        match self {
            Self::Text(text) => Some(json!(text)),
            Self::Confirm(yes) => Some(json!(yes)),
            Self::Many(values) => Some(json!(values)),
            Self::Secret(_) | Self::Back => None,
        }
    }
}
