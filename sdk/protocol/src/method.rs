//! Parameters and results of the methods.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::context::{Capabilities, Context};
use super::message::Id;

/// Parameters of `run`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunParams {
    /// The version that the host speaks: `1.0`.
    pub protocol: String,
    /// The user's words, the plugin's name not among them.
    pub argv: Vec<String>,
    /// Answers to questions, by their key.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub answers: Map<String, Value>,
    /// The capabilities of the host while the plugin works.
    #[serde(default)]
    pub capabilities: Capabilities,
    /// The surroundings of the run.
    #[serde(default)]
    pub context: Context,
}

/// The program at the other end.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HostName {
    /// `bot-cli`.
    pub name: String,
    /// The version.
    #[serde(default)]
    pub version: String,
}

/// Result of `run`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct RunResult {
    /// For people, printed as it is.
    pub text: String,
    /// For programs: the document of `--json`.
    pub data: Value,
    /// The exit status.
    pub exit: u8,
    /// Commands that may come next.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<String>,
}

/// Parameters of `describe`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DescribeParams {
    /// The version that the host speaks.
    pub protocol: String,
}

/// Parameters of `complete`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CompleteParams {
    /// The version that the host speaks.
    pub protocol: String,
    /// The user's words so far, the plugin's name not among them; the last one, perhaps empty, is to be completed.
    pub argv: Vec<String>,
    /// The surroundings of the run.
    #[serde(default)]
    pub context: Context,
}

/// Result of `complete`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CompleteResult {
    /// The candidates for the last word, best first.
    pub candidates: Vec<Candidate>,
}

/// The candidates for a word.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[must_use]
pub struct Candidate {
    /// The whole word.
    pub value: String,
    /// A few words about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
}

/// Parameters of `cancel`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CancelParams {
    /// The request that is to stop.
    pub id: Id,
    /// `user`, `signal` or `timeout`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Result of `ask`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AskResult {
    /// The user's action.
    pub action: AskAction,
    /// With `accept`: the answer in the form that belongs to the kind of the question.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub value: Value,
}

/// The user's action on a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum AskAction {
    /// Answered it.
    Accept,
    /// Wants the question before.
    Back,
    /// Wants to stop. What later versions may add counts as this.
    #[serde(other)]
    Cancel,
}

/// Result of `stdin`: one of the two.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StdinResult {
    /// The input, where it is UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The input in base64 with padding, where it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base64: Option<String>,
}

/// Parameters of `progress`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProgressParams {
    /// The request that is being worked on.
    pub id: Id,
    /// The work that is being done.
    pub message: String,
    /// Steps done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current: Option<u64>,
    /// Steps in all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
}

/// Parameters of `log`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LogParams {
    /// The request that is being worked on.
    pub id: Id,
    /// The urgency.
    pub level: Level,
    /// One line.
    pub message: String,
}

/// The urgency of a log line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Shown with `-vv`.
    Debug,
    /// Good to know and nothing to worry about: shown unless `-q` is given.
    Note,
    /// Shown always.
    Warn,
    /// Shown with `-v`. What later versions may add counts as this.
    #[serde(other)]
    Info,
}

/// Parameters of `output`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OutputParams {
    /// The request that is being worked on.
    pub id: Id,
    /// A part of the result, shown as it is.
    pub text: String,
}

impl HostName {
    /// A program and its version.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            version: version.into(),
        }
    }
}

impl Candidate {
    /// A whole word.
    pub fn new(value: impl Into<String>) -> Self {
        Self {
            value: value.into(),
            about: None,
        }
    }

    /// A few words about it.
    pub fn about(mut self, about: impl Into<String>) -> Self {
        self.about = Some(about.into());
        self
    }
}

impl<T: Into<String>> From<T> for Candidate {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{AskAction, AskResult, Level, LogParams};

    #[test]
    fn later_levels_and_actions_have_a_meaning() {
        for (level, meaning) in [
            ("note", Level::Note),
            ("warn", Level::Warn),
            ("notice", Level::Info),
            ("", Level::Info),
        ] {
            let log = json!({ "id": 1, "level": level, "message": "m" });
            let log: LogParams = serde_json::from_value(log).unwrap();
            assert_eq!(log.level, meaning, "{level}");
        }
        let ask: AskResult = serde_json::from_str(r#"{"action":"snooze"}"#).unwrap();
        assert_eq!(ask.action, AskAction::Cancel);
    }
}
