//! Questions to the user and their answers.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::secret::Secret;
use crate::suggest;

/// A question. `key` names it for scripted answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
    pub default: Option<Value>,
    /// The option that answers it without a question: `--stt`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flag: Option<String>,
    /// Whether the user may go back to the question before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
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
#[cfg_attr(test, derive(schemars::JsonSchema))]
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

impl QuestionKind {
    /// Every kind.
    pub const ALL: [Self; 5] = [
        Self::Text,
        Self::Password,
        Self::Confirm,
        Self::Select,
        Self::Multiselect,
    ];

    /// Its name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Password => "password",
            Self::Confirm => "confirm",
            Self::Select => "select",
            Self::Multiselect => "multiselect",
        }
    }
}

/// One thing to choose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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

impl Question {
    /// A question without help, default, flag or choices.
    #[must_use]
    pub fn new(kind: QuestionKind, key: &str, message: impl Into<String>) -> Self {
        Self {
            key: key.to_owned(),
            message: message.into(),
            kind,
            help: None,
            default: None,
            flag: None,
            back: false,
            problem: None,
            choices: Vec::new(),
            details: None,
        }
    }

    /// Reads the JSON form of an answer: text, boolean or list of texts. The error says what is wrong with it and never quotes a password.
    pub fn check(&self, value: &Value) -> Result<Answer, String> {
        match (self.kind, value) {
            (QuestionKind::Text, Value::String(text)) => Ok(Answer::Text(text.clone())),
            (QuestionKind::Password, Value::String(text)) => {
                Ok(Answer::Secret(Secret::new(text.clone())))
            }
            (QuestionKind::Confirm, Value::Bool(yes)) => Ok(Answer::Confirm(*yes)),
            (QuestionKind::Select, Value::String(chosen)) => {
                self.offered(chosen)?;
                Ok(Answer::Text(chosen.clone()))
            }
            (QuestionKind::Multiselect, Value::Array(values)) => {
                let mut chosen = Vec::new();
                for value in values {
                    let value = value.as_str().ok_or("must be a list of strings")?;
                    self.offered(value)?;
                    if !chosen.iter().any(|earlier| earlier == value) {
                        chosen.push(value.to_owned());
                    }
                }
                Ok(Answer::Many(chosen))
            }
            (QuestionKind::Text | QuestionKind::Password | QuestionKind::Select, _) => {
                Err("must be a string".to_owned())
            }
            (QuestionKind::Confirm, _) => Err("must be true or false".to_owned()),
            (QuestionKind::Multiselect, _) => Err("must be a list of strings".to_owned()),
        }
    }

    fn offered(&self, value: &str) -> Result<(), String> {
        if self.choices.iter().any(|choice| choice.value == value) {
            return Ok(());
        }
        let values = self.choices.iter().map(|choice| choice.value.as_str());
        let near = suggest::near(value, values);
        let meant = near
            .first()
            .map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        let values = self.choices.iter().map(|choice| choice.value.as_str());
        if suggest::is_plain(value) || suggest::slip(value, values).is_some() {
            return Err(format!("`{value}` is not one of the choices{meant}"));
        }
        // It may be a secret in the wrong place.
        Err(format!("is not one of the choices{meant}"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Choice, Question, QuestionKind};

    #[test]
    fn an_answer_that_is_not_on_offer_names_the_nearest() {
        let choice = |value: &str| Choice {
            value: value.to_owned(),
            label: value.to_owned(),
            about: None,
        };
        let question = Question {
            choices: vec![choice("anthropic_llm"), choice("openai_llm")],
            ..Question::new(QuestionKind::Select, "llm", "Which language model?")
        };
        for (value, problem) in [
            (
                "openai",
                "`openai` is not one of the choices; did you mean `openai_llm`?",
            ),
            ("weather", "`weather` is not one of the choices"),
            ("sk-live-1", "is not one of the choices"),
        ] {
            assert_eq!(question.check(&json!(value)).unwrap_err(), problem);
        }
    }
}
