//! The wire form of questions.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A question to the user. Scripted answers refer to it by `key`.
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
    /// The question's key: `stt`.
    pub key: String,
    /// The prompt: `Speech-to-text`.
    pub message: String,
    /// The kind of question.
    pub kind: QuestionKind,
    /// Lines above the question, for example a summary of the planned changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
    /// A line below the question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// The default answer, which Enter accepts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    /// The option that answers the question on the command line: `--stt`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flag: Option<String>,
    /// Whether the user can go back to the previous question.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub back: bool,
    /// The reason why the previous answer was rejected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// The choices of `select` and `multiselect`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<Choice>,
}

/// The kind of a question, which determines the form of its answer.
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
    /// One of `choices`, filtered as the user types.
    Select,
    /// Any number of `choices`.
    Multiselect,
}

impl QuestionKind {
    /// All kinds.
    pub const ALL: [Self; 5] = [
        Self::Text,
        Self::Password,
        Self::Confirm,
        Self::Select,
        Self::Multiselect,
    ];

    /// Reports whether the answer is one or more of [`Question::choices`].
    pub const fn has_choices(self) -> bool {
        matches!(self, Self::Select | Self::Multiselect)
    }

    /// Returns the wire name.
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

/// A choice of a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[must_use]
pub struct Choice {
    /// The answer's value.
    pub value: String,
    /// The label shown to the user.
    pub label: String,
    /// A short description, shown dimmed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
}

impl Choice {
    /// Creates a choice with its value and label.
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

    /// Creates a question for a line of text.
    pub fn text(key: &str, message: impl Into<String>) -> Self {
        Self::new(QuestionKind::Text, key, message)
    }

    /// Creates a question for a line of text that is not echoed.
    pub fn password(key: &str, message: impl Into<String>) -> Self {
        Self::new(QuestionKind::Password, key, message)
    }

    /// Creates a yes-or-no question.
    pub fn confirm(key: &str, message: impl Into<String>) -> Self {
        Self::new(QuestionKind::Confirm, key, message)
    }

    /// Creates a question for one of `choices`.
    pub fn select<C: Into<Choice>>(
        key: &str,
        message: impl Into<String>,
        choices: impl IntoIterator<Item = C>,
    ) -> Self {
        Self::new(QuestionKind::Select, key, message).choices(choices)
    }

    /// Creates a question for any number of `choices`.
    pub fn multiselect<C: Into<Choice>>(
        key: &str,
        message: impl Into<String>,
        choices: impl IntoIterator<Item = C>,
    ) -> Self {
        Self::new(QuestionKind::Multiselect, key, message).choices(choices)
    }

    /// Shows lines above the question, for example a summary of the planned changes.
    pub fn details(mut self, details: impl Into<String>) -> Self {
        self.details = Some(details.into());
        self
    }

    /// Shows a line below the question.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Sets the default, in the JSON form of the answer. It applies when the user presses Enter or cannot be prompted.
    pub fn default(mut self, default: impl Into<Value>) -> Self {
        self.default = Some(default.into());
        self
    }

    /// Names the option that answers the question on the command line: `--stt`.
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

    /// Shows why the previous answer was rejected.
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
