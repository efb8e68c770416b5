//! The surroundings of a run: the terminal, and what the host offers.

#![expect(
    clippy::trivially_copy_pass_by_ref,
    clippy::ref_option,
    reason = "serde passes references"
)]

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::outcome::Format;
use crate::{HostName, QuestionKind};

/// The environment in which a command runs: working directory, terminal and host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub struct Context {
    /// The absolute path of the user's working directory, which is also the plugin's working directory.
    #[serde(skip_serializing_if = "is_untold")]
    pub cwd: PathBuf,
    /// The absolute path of the root of the bot project that contains `cwd`, if any.
    #[serde(skip_serializing_if = "is_unknown")]
    pub project: Option<PathBuf>,
    /// Whether the user can be prompted at a terminal.
    pub interactive: bool,
    /// Whether the result's text and `output` notifications may contain colour. Encoded as `always` or `never`.
    #[serde(with = "color")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub color: bool,
    /// The terminal's width in columns.
    pub width: usize,
    /// The requested format of the result.
    pub format: Format,
    /// The verbosity: 0 by default, 1 for `-v`, 2 for `-vv`.
    pub verbosity: u8,
    /// Whether the user passed `-q` to see only the outcome, warnings and errors.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub quiet: bool,
    /// Whether the result is printed to a terminal rather than a file or a pipe.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub terminal: bool,
    /// The host that sent the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostName>,
}

impl Default for Context {
    fn default() -> Self {
        Self {
            cwd: PathBuf::new(),
            project: None,
            interactive: false,
            color: false,
            width: 100,
            format: Format::Text,
            verbosity: 0,
            quiet: false,
            terminal: false,
            host: None,
        }
    }
}

impl Context {
    /// Creates a non-interactive context for `cwd`, with text format, no colour and default verbosity.
    pub fn new(cwd: impl Into<PathBuf>) -> Self {
        Self {
            cwd: cwd.into(),
            ..Self::default()
        }
    }
}

/// The host's capabilities during a request. A plugin must not use capabilities that are absent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Capabilities {
    /// The supported question kinds. If empty, `ask` is not supported.
    #[serde(with = "ask", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "ask::Ask"))]
    pub ask: Vec<QuestionKind>,
    /// Whether the `stdin` method is supported.
    #[serde(with = "offer", skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "schema", schemars(with = "offer::Offer"))]
    pub stdin: bool,
    /// Whether the host shows `progress` notifications.
    #[serde(with = "offer", skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "schema", schemars(with = "offer::Offer"))]
    pub progress: bool,
    /// Whether the host shows `output` notifications immediately.
    #[serde(with = "offer", skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "schema", schemars(with = "offer::Offer"))]
    pub output: bool,
}

impl Capabilities {
    /// Returns the full set of capabilities, including every question kind.
    pub fn all() -> Self {
        Self {
            ask: QuestionKind::ALL.to_vec(),
            stdin: true,
            progress: true,
            output: true,
        }
    }
}

/// Reports whether `cwd` is omitted from the JSON, because it is either empty or not UTF-8.
fn is_untold(cwd: &Path) -> bool {
    cwd.to_str().is_none_or(str::is_empty)
}

fn is_unknown(project: &Option<PathBuf>) -> bool {
    project.as_deref().is_none_or(is_untold)
}

mod color {
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(color: &bool, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(if *color { "always" } else { "never" })
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
        Ok(String::deserialize(deserializer)? == "always")
    }
}

mod ask {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use serde_json::{Value, json};

    use crate::QuestionKind;

    /// The supported question kinds, by name. Later protocol versions may add kinds.
    #[derive(Default, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct Ask {
        #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
        kinds: Vec<Value>,
    }

    pub fn serialize<S: Serializer>(kinds: &[QuestionKind], to: S) -> Result<S::Ok, S::Error> {
        let kinds = kinds.iter().map(|kind| json!(kind)).collect();
        Ask { kinds }.serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<QuestionKind>, D::Error> {
        let ask = Option::<Ask>::deserialize(from)?.unwrap_or_default();
        let kinds = ask.kinds.into_iter().map(QuestionKind::deserialize);
        Ok(kinds.filter_map(Result::ok).collect())
    }
}

mod offer {
    #[cfg(feature = "schema")]
    pub type Offer = serde_json::Map<String, serde_json::Value>;

    use serde::de::IgnoredAny;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(_: &bool, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map::<&str, &str, _>([])
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
        Ok(Option::<IgnoredAny>::deserialize(deserializer)?.is_some())
    }
}

#[cfg(test)]
mod tests {
    use crate::{QuestionKind, RunParams};

    #[test]
    fn a_request_of_a_later_version_decodes() {
        let params: RunParams = serde_json::from_str(
            r#"{"protocol":"1.9","argv":["x"],"deadline":5,
                "capabilities":{"ask":{"kinds":["text","colour"],"batch":true},"clipboard":{},"stdin":{"max":1}},
                "context":{"color":"dithered","format":"xml","theme":"dark","host":{"name":"h","edition":2}}}"#,
        )
        .unwrap();
        let capabilities = params.capabilities;
        assert_eq!(capabilities.ask, [QuestionKind::Text]);
        assert!(capabilities.stdin && !capabilities.output && !params.context.color);
    }
}
