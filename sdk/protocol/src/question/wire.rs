//! Questions to the user.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A question. `key` names it for scripted answers.
///
/// ```
/// use bot_cli_protocol::question::Question;
///
/// let name = Question::text("name", "Whom").flag("--name").default("world");
/// let language = Question::select("language", "In which language", [("en", "English"), ("de", "German")])
///     .help("more languages come with `bot-cli greet --learn`");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[must_use]
pub struct Question {
    /// Names the question: `stt`.
    pub key: String,
    /// The question in words: `Speech-to-text`.
    pub message: String,
    /// The form of the answer.
    pub kind: QuestionKind,
    /// Lines above the question: what is about to be done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
    /// One line below the question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// The answer that Enter accepts.
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
    /// The choices of `select` and `multiselect`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<Choice>,
}

/// The form of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

    /// Whether it is answered out of [`Question::choices`].
    pub const fn has_choices(self) -> bool {
        matches!(self, Self::Select | Self::Multiselect)
    }

    /// Returns the name on the wire.
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[must_use]
pub struct Choice {
    /// The answer.
    pub value: String,
    /// The text that is shown.
    pub label: String,
    /// A few more words, shown dimmed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
}

impl Choice {
    /// A choice that is answered as `value` and shown as `label`.
    pub fn new(value: impl Into<String>, label: impl Into<String>) -> Self {
        Self {
            value: value.into(),
            label: label.into(),
            about: None,
        }
    }

    /// A few more words, shown dimmed.
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
    pub fn text(key: &str, message: impl Into<String>) -> Self {
        Self::new(QuestionKind::Text, key, message)
    }

    /// Asks for text that is not shown.
    pub fn password(key: &str, message: impl Into<String>) -> Self {
        Self::new(QuestionKind::Password, key, message)
    }

    /// Asks for yes or no.
    pub fn confirm(key: &str, message: impl Into<String>) -> Self {
        Self::new(QuestionKind::Confirm, key, message)
    }

    /// Asks for one of `choices`.
    pub fn select<C: Into<Choice>>(
        key: &str,
        message: impl Into<String>,
        choices: impl IntoIterator<Item = C>,
    ) -> Self {
        Self::new(QuestionKind::Select, key, message).choices(choices)
    }

    /// Asks for any number of `choices`.
    pub fn multiselect<C: Into<Choice>>(
        key: &str,
        message: impl Into<String>,
        choices: impl IntoIterator<Item = C>,
    ) -> Self {
        Self::new(QuestionKind::Multiselect, key, message).choices(choices)
    }

    /// Shows lines above the question: what is about to be done.
    pub fn details(mut self, details: impl Into<String>) -> Self {
        self.details = Some(details.into());
        self
    }

    /// Shows a line below the question.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Names what Enter accepts, and what is taken where nobody can be asked, in the form of an answer.
    pub fn default(mut self, default: impl Into<Value>) -> Self {
        self.default = Some(default.into());
        self
    }

    /// Names the option that answers it without a question: `--stt`.
    pub fn flag(mut self, flag: impl Into<String>) -> Self {
        self.flag = Some(flag.into());
        self
    }

    /// Lets the user go back to the question before: `Session::ask` then may return
    /// [`Answer::Back`](crate::question::Answer::Back).
    pub fn allow_back(mut self) -> Self {
        self.back = true;
        self
    }

    /// Says why the last answer was refused.
    pub fn problem(mut self, problem: impl Into<String>) -> Self {
        self.problem = Some(problem.into());
        self
    }

    /// Replaces what `select` and `multiselect` offer.
    pub fn choices<C: Into<Choice>>(mut self, choices: impl IntoIterator<Item = C>) -> Self {
        self.choices = choices.into_iter().map(Into::into).collect();
        self
    }
}
