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
        match self {
            Self::Text(text) => Some(text),
            Self::Secret(_) | Self::Confirm(_) | Self::Many(_) | Self::Back => None,
        }
    }

    /// Returns the secret, if this is the answer to a `password` question.
    pub fn as_secret(&self) -> Option<&Secret> {
        match self {
            Self::Secret(secret) => Some(secret),
            Self::Text(_) | Self::Confirm(_) | Self::Many(_) | Self::Back => None,
        }
    }

    /// Returns the boolean, if this is the answer to a `confirm` question.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Confirm(yes) => Some(*yes),
            Self::Text(_) | Self::Secret(_) | Self::Many(_) | Self::Back => None,
        }
    }

    /// Returns the chosen values, if this is the answer to a `multiselect` question.
    pub fn as_many(&self) -> Option<&[String]> {
        match self {
            Self::Many(values) => Some(values),
            Self::Text(_) | Self::Secret(_) | Self::Confirm(_) | Self::Back => None,
        }
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
