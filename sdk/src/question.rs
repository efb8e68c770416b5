//! Questions to the user and their answers.

use serde::{Deserialize, Serialize};

/// A question. `key` names it for scripted answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// Names the question: `stt`.
    pub key: String,
    /// What is asked: `Speech-to-text`.
    pub message: String,
    /// The form of the answer.
    pub kind: QuestionKind,
    /// Lines above the question: what is about to be done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
    /// One line below the question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// What Enter accepts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<serde_json::Value>,
    /// The option that answers it without a question: `--stt`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flag: Option<String>,
    /// Whether the user may go back to the question before.
    #[serde(default)]
    pub back: bool,
    /// Why the last answer was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// What `select` and `multiselect` offer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<Choice>,
}

/// The form of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum QuestionKind {
    /// A line of text.
    Text,
    /// A line of text that is not shown.
    Password,
    /// Yes or no.
    Confirm,
    /// One of `choices`, narrowed down as the user types.
    Select,
    /// Any number of `choices`.
    Multiselect,
}

/// One thing to choose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// What is answered.
    pub value: String,
    /// What is shown.
    pub label: String,
    /// A few more words, shown dimmed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// To `text`, `password` and `select`.
    Text(String),
    /// To `confirm`.
    Confirm(bool),
    /// To `multiselect`.
    Many(Vec<String>),
    /// The user wants the question before this one.
    Back,
}
