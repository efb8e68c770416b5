//! A question as the protocol transmits it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A question for the user. Scripted answers identify questions by `key`.
///
/// ```
/// use bot_cli_protocol::question::Question;
///
/// let name = Question::text("name", "Who to greet").flag("--name").default("world");
/// let language = Question::select("language", "In which language", [("en", "English"), ("de", "German")])
///     .help("more languages come with `bot-cli greet --learn`");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[must_use]
pub struct Question {
    /// The question's key, such as `stt`.
    pub key: String,
    /// The prompt, such as `Speech-to-text`.
    pub message: String,
    /// The kind of question.
    pub kind: QuestionKind,
    /// Text shown above the question, such as a summary of the planned changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
    /// A line of help shown below the question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// The default answer, which the user accepts by pressing Enter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    /// The option that answers the question on the command line, such as `--stt`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flag: Option<String>,
    /// Whether the user can go back to the previous question.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub back: bool,
    /// The reason the previous answer was rejected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// The choices for a `select` or `multiselect` question.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<Choice>,
}

/// The kind of question, which determines the type of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum QuestionKind {
    /// A line of text.
    Text,
    /// A line of text that is not echoed.
    Password,
    /// Yes or no.
    Confirm,
    /// One of the choices, filtered as the user types.
    Select,
    /// Any number of the choices.
    Multiselect,
}

impl QuestionKind {
    /// All question kinds.
    pub const ALL: [Self; 5] = [
        Self::Text,
        Self::Password,
        Self::Confirm,
        Self::Select,
        Self::Multiselect,
    ];

    /// Reports whether questions of this kind have [choices](Question::choices).
    pub const fn has_choices(self) -> bool {
        matches!(self, Self::Select | Self::Multiselect)
    }
}

/// A choice offered by a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[must_use]
pub struct Choice {
    /// The value used as the answer.
    pub value: String,
    /// The label shown to the user.
    pub label: String,
    /// A short description, shown dimmed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
}

impl Choice {
    /// Creates a choice with the given value and label.
    pub fn new(value: impl Into<String>, label: impl Into<String>) -> Self {
        Self {
            value: value.into(),
            label: label.into(),
            about: None,
        }
    }

    /// Adds a short description, shown dimmed.
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
    /// Creates a question without optional fields.
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

    /// Creates a question that asks for a line of text.
    pub fn text(key: &str, message: impl Into<String>) -> Self {
        Self::new(QuestionKind::Text, key, message)
    }

    /// Creates a question that asks for a line of text without echoing it.
    pub fn password(key: &str, message: impl Into<String>) -> Self {
        Self::new(QuestionKind::Password, key, message)
    }

    /// Creates a yes-or-no question.
    pub fn confirm(key: &str, message: impl Into<String>) -> Self {
        Self::new(QuestionKind::Confirm, key, message)
    }

    /// Creates a question that asks for one of `choices`.
    pub fn select<C: Into<Choice>>(
        key: &str,
        message: impl Into<String>,
        choices: impl IntoIterator<Item = C>,
    ) -> Self {
        Self::new(QuestionKind::Select, key, message).choices(choices)
    }

    /// Creates a question that asks for any number of `choices`.
    pub fn multiselect<C: Into<Choice>>(
        key: &str,
        message: impl Into<String>,
        choices: impl IntoIterator<Item = C>,
    ) -> Self {
        Self::new(QuestionKind::Multiselect, key, message).choices(choices)
    }

    /// Sets the text shown above the question, such as a summary of the planned changes.
    pub fn details(mut self, details: impl Into<String>) -> Self {
        self.details = Some(details.into());
        self
    }

    /// Sets the line of help shown below the question.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Sets the default answer in its JSON form. The default applies if the user presses Enter or cannot be prompted.
    pub fn default(mut self, default: impl Into<Value>) -> Self {
        self.default = Some(default.into());
        self
    }

    /// Specifies the option that answers the question on the command line, such as `--stt`.
    pub fn flag(mut self, flag: impl Into<String>) -> Self {
        self.flag = Some(flag.into());
        self
    }

    /// Lets the user go back to the previous question. `Session::ask` may then return
    /// [`Answer::Back`](crate::question::Answer::Back).
    pub fn allow_back(mut self) -> Self {
        self.back = true;
        self
    }

    /// Sets the reason the previous answer was rejected.
    pub fn problem(mut self, problem: impl Into<String>) -> Self {
        self.problem = Some(problem.into());
        self
    }

    /// Replaces the choices.
    pub fn choices<C: Into<Choice>>(mut self, choices: impl IntoIterator<Item = C>) -> Self {
        self.choices = choices.into_iter().map(Into::into).collect();
        self
    }
}
