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

/// The answers to several questions, by the key of their question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answers(Vec<(String, Answer)>);

impl Answers {
    /// The `answers`, each with the key of its question.
    pub fn new(answers: Vec<(String, Answer)>) -> Self {
        Self(answers)
    }

    /// The answer to the question `key`; `None` where it was not among those asked.
    pub fn get(&self, key: &str) -> Option<&Answer> {
        self.0
            .iter()
            .find(|(asked, _)| asked == key)
            .map(|(_, answer)| answer)
    }

    /// The answer to a question of kind `text` or `select`.
    pub fn text(&self, key: &str) -> Option<String> {
        self.get(key).and_then(Answer::as_text).map(str::to_owned)
    }

    /// The answer to a question of kind `password`.
    pub fn secret(&self, key: &str) -> Option<Secret> {
        self.get(key).and_then(Answer::as_secret).cloned()
    }

    /// The answer to a question of kind `confirm`.
    pub fn confirm(&self, key: &str) -> Option<bool> {
        self.get(key).and_then(Answer::as_bool)
    }

    /// The answer to a question of kind `multiselect`.
    pub fn many(&self, key: &str) -> Option<Vec<String>> {
        self.get(key)
            .and_then(Answer::as_many)
            .map(<[String]>::to_vec)
    }
}
