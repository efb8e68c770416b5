//! How a command ended, in the forms that people and programs get it.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::failure::Failure;

/// The result of a command that succeeds.
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
    /// For people, on stdout.
    pub text: String,
    /// For programs: the document of `--json`.
    pub data: Value,
    /// Commands that may come next, shown to people.
    pub next: Vec<String>,
}

impl Reply {
    /// A reply that says `text`, as it is and with its line breaks, and nothing to programs.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            data: Value::Null,
            next: Vec::new(),
        }
    }

    /// Gives programs the document of `--json`.
    pub fn data(mut self, data: impl Into<Value>) -> Self {
        self.data = data.into();
        self
    }

    /// Adds a command that may come next.
    pub fn next(mut self, command: impl Into<String>) -> Self {
        self.next.push(command.into());
        self
    }

    /// Adds commands that may come next.
    pub fn next_all<C: Into<String>>(mut self, commands: impl IntoIterator<Item = C>) -> Self {
        self.next.extend(commands.into_iter().map(Into::into));
        self
    }
}

/// The way a command ended.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct Outcome {
    /// The result, or the failure.
    pub result: Result<Reply, Failure>,
    /// The status to exit with.
    pub status: u8,
}

impl Outcome {
    /// The outcome of `result`, with the exit status that belongs to it.
    pub fn new(result: Result<Reply, Failure>) -> Self {
        let status = result
            .as_ref()
            .map_or_else(|failure| failure.exit.status(), |_| 0);
        Self { result, status }
    }

    /// The same with another status where nothing failed.
    pub fn with_status(mut self, status: u8) -> Self {
        if self.result.is_ok() {
            self.status = status;
        }
        self
    }

    /// The one document of `--json`: `data`, or `{"error": …}`.
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

/// The form of the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// One JSON document: `data`.
    Json,
    /// For people: `text`. What later versions may add counts as this.
    #[default]
    #[serde(other)]
    Text,
}
