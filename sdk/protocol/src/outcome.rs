//! The outcome of a command, as human-readable text and as JSON.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::{ErrorObject, RunResult};

/// The result of a successful command.
///
/// ```
/// use bot_cli_protocol::outcome::Reply;
///
/// let reply = Reply::text("Saved 2 keys\n")
///     .data(serde_json::json!({ "keys": 2 }))
///     .next("bot-cli cloud secrets list prod");
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
#[must_use]
pub struct Reply {
    /// The human-readable text, printed to stdout.
    pub text: String,
    /// The machine-readable document that `--json` prints.
    pub data: Value,
    /// Suggested next commands for the user.
    pub next: Vec<String>,
}

impl Reply {
    /// Creates a reply with the given text, printed verbatim, and no data.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            data: Value::Null,
            next: Vec::new(),
        }
    }

    /// Sets the document that `--json` prints.
    pub fn data(mut self, data: impl Into<Value>) -> Self {
        self.data = data.into();
        self
    }

    /// Adds a suggested next command.
    pub fn next(mut self, command: impl Into<String>) -> Self {
        self.next.push(command.into());
        self
    }

    /// Adds suggested next commands.
    pub fn next_all<C: Into<String>>(mut self, commands: impl IntoIterator<Item = C>) -> Self {
        self.next.extend(commands.into_iter().map(Into::into));
        self
    }
}

/// The outcome of a command.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct Outcome {
    /// The reply or the failure.
    pub result: Result<Reply, Failure>,
    /// The exit status.
    pub status: u8,
}

impl Outcome {
    /// Creates an outcome from `result` with the default exit status.
    pub fn new(result: Result<Reply, Failure>) -> Self {
        let status = result
            .as_ref()
            .map_or_else(|failure| failure.exit.status(), |_| 0);
        Self { result, status }
    }

    /// Replaces the exit status if the command succeeded.
    pub fn with_status(mut self, status: u8) -> Self {
        if self.result.is_ok() {
            self.status = status;
        }
        self
    }

    /// Converts the outcome into a result or an error of the protocol.
    ///
    /// # Errors
    /// Returns the error if the command failed.
    pub fn on_wire(self) -> Result<RunResult, ErrorObject> {
        let Reply { text, data, next } = self.result?;
        Ok(RunResult {
            text,
            data,
            exit: self.status,
            next,
        })
    }

    /// Returns the document that `--json` prints: the reply's `data`, or `{"error": …}` for a failure.
    pub fn document(&self) -> Value {
        match &self.result {
            Ok(reply) => reply.data.clone(),
            Err(failure) => {
                let mut error = json!({
                    "code": failure.code,
                    "message": failure.message,
                    "fields": failure.fields,
                    "hints": failure.hints,
                });
                if let Some(outcome) = failure.outcome {
                    error["outcome"] = json!(outcome);
                }
                if !failure.inputs().is_empty() {
                    error["inputs"] = json!(failure.inputs());
                }
                json!({ "error": error })
            }
        }
    }
}

/// What `--json` prints. The plugin prepares `data` for both forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Json {
    /// `--json`: the result as one document.
    Document,
    /// `--json=lines`: each message as one line, the last of which is the result. If both forms are given, this one applies.
    Lines,
}

impl Json {
    /// The value of `--json=lines`, the only one that the option accepts.
    pub const LINES: &str = "lines";
}

/// The output format of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// A single JSON document: `data`.
    Json,
    /// Human-readable text: `text`. Unknown formats from later versions decode as this variant.
    #[default]
    #[serde(other)]
    Text,
}
