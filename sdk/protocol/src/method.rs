//! The parameters and results of each method.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::context::{Capabilities, Context};
use super::message::Id;

/// The parameters of `run`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunParams {
    /// The host's protocol version, such as `1.0`.
    pub protocol: String,
    /// The user's arguments, without the plugin's name.
    pub argv: Vec<String>,
    /// The scripted answers, by question key.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub answers: Map<String, Value>,
    /// The host's capabilities during the request.
    #[serde(default)]
    pub capabilities: Capabilities,
    /// The environment in which the command runs.
    #[serde(default)]
    pub context: Context,
}

/// The name and version of a host.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HostName {
    /// The host's name, such as `bot-cli`.
    pub name: String,
    /// The host's version.
    #[serde(default)]
    pub version: String,
}

/// The result of `run`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct RunResult {
    /// The human-readable text, printed without control sequences other than colours.
    pub text: String,
    /// The machine-readable document that `--json` prints.
    pub data: Value,
    /// The exit status.
    pub exit: u8,
    /// Suggested next commands.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<String>,
}

/// The parameters of `describe`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DescribeParams {
    /// The host's protocol version.
    pub protocol: String,
}

/// The parameters of `complete`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CompleteParams {
    /// The host's protocol version.
    pub protocol: String,
    /// The arguments so far, without the plugin's name. The last argument, which may be empty, is the one to complete.
    pub argv: Vec<String>,
    /// The environment in which the command runs.
    #[serde(default)]
    pub context: Context,
}

/// The result of `complete`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CompleteResult {
    /// The completions of the last argument, best first.
    pub candidates: Vec<Candidate>,
}

/// A candidate for completing an argument.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[must_use]
pub struct Candidate {
    /// The completed argument.
    pub value: String,
    /// A short description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
}

/// The parameters of `cancel`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CancelParams {
    /// The ID of the request to cancel.
    pub id: Id,
    /// The reason, such as `user`, `signal` or `timeout`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The result of `ask`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AskResult {
    /// The user's response.
    pub action: AskAction,
    /// The answer, if the action is `accept`. Its type depends on the question kind.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub value: Value,
}

/// The user's response to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum AskAction {
    /// The user answered.
    Accept,
    /// The user went back to the previous question.
    Back,
    /// The user cancelled. Unknown actions from later versions decode as this variant.
    #[serde(other)]
    Cancel,
}

/// The result of `stdin`, which contains either `text` or `base64`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StdinResult {
    /// The input, if it is valid UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The input in padded base64, if it is not valid UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base64: Option<String>,
}

/// The parameters of `progress`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProgressParams {
    /// The ID of the request in progress.
    pub id: Id,
    /// A description of the current step.
    pub message: String,
    /// The number of completed steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current: Option<u64>,
    /// The total number of steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
}

/// The parameters of `log`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LogParams {
    /// The ID of the request in progress.
    pub id: Id,
    /// The log level.
    pub level: Level,
    /// The message, on a single line.
    pub message: String,
    /// The message as data, which `--json=lines` prints.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub data: Value,
}

/// A log level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// A debug message. Shown with `-vv`.
    Debug,
    /// Information that requires no action. Shown unless the user passed `-q`.
    Note,
    /// A warning. Always shown.
    Warn,
    /// Additional information. Shown with `-v`. Unknown levels from later versions decode as this variant.
    #[serde(other)]
    Info,
}

/// The parameters of `output`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OutputParams {
    /// The ID of the request in progress.
    pub id: Id,
    /// Part of the result, shown immediately.
    pub text: String,
    /// This part of the result as data, which `--json=lines` prints.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub data: Value,
}

impl HostName {
    /// Creates a `HostName` with the given name and version.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            version: version.into(),
        }
    }
}

impl Candidate {
    /// Creates a candidate without a description.
    pub fn new(value: impl Into<String>) -> Self {
        Self {
            value: value.into(),
            about: None,
        }
    }

    /// Adds a short description.
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
    use super::{AskAction, AskResult};

    #[test]
    fn a_later_action_is_no_answer() {
        let ask: AskResult = serde_json::from_str(r#"{"action":"snooze"}"#).unwrap();
        assert_eq!(ask.action, AskAction::Cancel);
    }
}
