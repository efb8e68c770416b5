//! Answers, one and several.

use serde_json::{Value, json};

use crate::secret::Secret;

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// To `text` and `select`.
    Text(String),
    /// To `password`.
    Secret(Secret),
    /// To `confirm`.
    Confirm(bool),
    /// To `multiselect`.
    Many(Vec<String>),
    /// The user wants the question before this one.
    Back,
}

impl Answer {
    /// The answer to `text` or `select`.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Secret(_) | Self::Confirm(_) | Self::Many(_) | Self::Back => None,
        }
    }

    /// The answer to `password`.
    pub fn as_secret(&self) -> Option<&Secret> {
        match self {
            Self::Secret(secret) => Some(secret),
            Self::Text(_) | Self::Confirm(_) | Self::Many(_) | Self::Back => None,
        }
    }

    /// The answer to `confirm`.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Confirm(yes) => Some(*yes),
            Self::Text(_) | Self::Secret(_) | Self::Many(_) | Self::Back => None,
        }
    }

    /// The answer to `multiselect`.
    pub fn as_many(&self) -> Option<&[String]> {
        match self {
            Self::Many(values) => Some(values),
            Self::Text(_) | Self::Secret(_) | Self::Confirm(_) | Self::Back => None,
        }
    }

    /// Returns the JSON form, which [`Question::check`](super::Question::check) reads. A secret has none, nor has going back.
    pub fn to_json(&self) -> Option<Value> {
        match self {
            Self::Text(text) => Some(json!(text)),
            Self::Confirm(yes) => Some(json!(yes)),
            Self::Many(values) => Some(json!(values)),
            Self::Secret(_) | Self::Back => None,
        }
    }
}
