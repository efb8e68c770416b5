//! Questions to the user and their answers.

mod answer;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::secret::Secret;
use crate::suggest;
pub use answer::{Answer, Answers};

/// A question. `key` names it for scripted answers.
///
/// ```
/// use bot_cli_sdk::question::Question;
///
/// let name = Question::text("name", "Whom").flag("--name").default("world");
/// let language = Question::select("language", "In which language", [("en", "English"), ("de", "German")])
///     .help("more languages come with `bot-cli greet --learn`");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
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
#[non_exhaustive]
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

    /// Whether it is answered out of [`Question::choices`].
    #[must_use]
    pub const fn has_choices(self) -> bool {
        matches!(self, Self::Select | Self::Multiselect)
    }

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
#[non_exhaustive]
pub struct Choice {
    /// What is answered.
    pub value: String,
    /// What is shown.
    pub label: String,
    /// A few more words, shown dimmed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
}

impl Choice {
    /// A choice that is answered as `value` and shown as `label`.
    #[must_use]
    pub fn new(value: impl Into<String>, label: impl Into<String>) -> Self {
        Self {
            value: value.into(),
            label: label.into(),
            about: None,
        }
    }

    /// A few more words, shown dimmed.
    #[must_use]
    pub fn about(mut self, about: impl Into<String>) -> Self {
        self.about = Some(about.into());
        self
    }
}

impl<V: Into<String>, L: Into<String>> From<(V, L)> for Choice {
    fn from((value, label): (V, L)) -> Self {
        Self::new(value, label)
    }
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

    /// Asks for a line of text.
    #[must_use]
    pub fn text(key: &str, message: impl Into<String>) -> Self {
        Self::new(QuestionKind::Text, key, message)
    }

    /// Asks for text that is not shown.
    #[must_use]
    pub fn password(key: &str, message: impl Into<String>) -> Self {
        Self::new(QuestionKind::Password, key, message)
    }

    /// Asks for yes or no.
    #[must_use]
    pub fn confirm(key: &str, message: impl Into<String>) -> Self {
        Self::new(QuestionKind::Confirm, key, message)
    }

    /// Asks for one of `choices`.
    #[must_use]
    pub fn select<C: Into<Choice>>(
        key: &str,
        message: impl Into<String>,
        choices: impl IntoIterator<Item = C>,
    ) -> Self {
        Self::new(QuestionKind::Select, key, message).choices(choices)
    }

    /// Asks for any number of `choices`.
    #[must_use]
    pub fn multiselect<C: Into<Choice>>(
        key: &str,
        message: impl Into<String>,
        choices: impl IntoIterator<Item = C>,
    ) -> Self {
        Self::new(QuestionKind::Multiselect, key, message).choices(choices)
    }

    /// Shows lines above the question: what is about to be done.
    #[must_use]
    pub fn details(mut self, details: impl Into<String>) -> Self {
        self.details = Some(details.into());
        self
    }

    /// Shows a line below the question.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Names what Enter accepts, and what is taken where nobody can be asked, in the form of an answer.
    #[must_use]
    pub fn default(mut self, default: impl Into<Value>) -> Self {
        self.default = Some(default.into());
        self
    }

    /// Names the option that answers it without a question: `--stt`.
    #[must_use]
    pub fn flag(mut self, flag: impl Into<String>) -> Self {
        self.flag = Some(flag.into());
        self
    }

    /// Lets the user go back to the question before: [`Session::ask`](crate::session::Session::ask) then may return
    /// [`Answer::Back`].
    #[must_use]
    pub fn allow_back(mut self) -> Self {
        self.back = true;
        self
    }

    /// Says why the last answer was refused.
    #[must_use]
    pub fn problem(mut self, problem: impl Into<String>) -> Self {
        self.problem = Some(problem.into());
        self
    }

    /// Replaces what `select` and `multiselect` offer.
    #[must_use]
    pub fn choices<C: Into<Choice>>(mut self, choices: impl IntoIterator<Item = C>) -> Self {
        self.choices = choices.into_iter().map(Into::into).collect();
        self
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

    use super::Question;

    #[test]
    fn an_answer_that_is_not_on_offer_names_the_nearest() {
        let choices = ["anthropic_llm", "openai_llm"].map(|value| (value, value));
        let question = Question::select("llm", "Which language model?", choices);
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
