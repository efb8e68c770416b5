//! Where and for whom a command runs, and what the host does for it meanwhile.

#![expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::outcome::Format;
use crate::{HostName, QuestionKind};

/// The surroundings of a run: folder, terminal, host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts about the terminal and the user's choices"
)]
pub struct Context {
    /// The user's working folder, absolute; the process has it too.
    #[serde(skip_serializing_if = "is_untold")]
    pub cwd: PathBuf,
    /// Whether a person sits at a terminal.
    pub interactive: bool,
    /// Whether `text` and `output` may carry colour: `always` or `never`.
    #[serde(with = "color")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub color: bool,
    /// Columns of the terminal.
    pub width: usize,
    /// Which part of the result will be shown.
    pub format: Format,
    /// 0, 1 for `-v`, 2 for `-vv`.
    pub verbosity: u8,
    /// Whether the user gave `-q`, and wants no more than the outcome.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub quiet: bool,
    /// Whether the result is shown at a terminal, and not written to a file or a pipe.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub terminal: bool,
    /// The host that is asking.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostName>,
}

impl Default for Context {
    fn default() -> Self {
        Self {
            cwd: PathBuf::new(),
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
    /// A run in `cwd` without a person at a terminal: no colour, the text, no more than the result.
    pub fn new(cwd: impl Into<PathBuf>) -> Self {
        Self {
            cwd: cwd.into(),
            ..Self::default()
        }
    }
}

/// The capabilities of a host while a plugin works. An absent one cannot be used.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Capabilities {
    /// Serves `ask`: the kinds of question that can be asked.
    #[serde(with = "ask", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "ask::Ask"))]
    pub ask: Vec<QuestionKind>,
    /// Serves `stdin`.
    #[serde(with = "offer", skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "serde_json::Map<String, serde_json::Value>")
    )]
    pub stdin: bool,
    /// Shows `progress`.
    #[serde(with = "offer", skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "serde_json::Map<String, serde_json::Value>")
    )]
    pub progress: bool,
    /// Shows `output` at once.
    #[serde(with = "offer", skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "serde_json::Map<String, serde_json::Value>")
    )]
    pub output: bool,
}

impl Capabilities {
    /// Everything, with every kind of question.
    pub fn all() -> Self {
        Self {
            ask: QuestionKind::ALL.to_vec(),
            stdin: true,
            progress: true,
            output: true,
        }
    }
}

/// A folder without a name in UTF-8 has none on the wire.
fn is_untold(cwd: &Path) -> bool {
    cwd.to_str().is_none_or(str::is_empty)
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

    use crate::QuestionKind;

    /// The kinds of question that can be asked. Later versions may add kinds.
    #[derive(Default, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct Ask {
        kinds: Vec<String>,
    }

    pub fn serialize<S: Serializer>(kinds: &[QuestionKind], to: S) -> Result<S::Ok, S::Error> {
        let kinds = kinds.iter().map(|kind| kind.name().to_owned()).collect();
        Ask { kinds }.serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<QuestionKind>, D::Error> {
        let ask = Option::<Ask>::deserialize(from)?.unwrap_or_default();
        let is_known = |kind: &QuestionKind| ask.kinds.iter().any(|name| name == kind.name());
        Ok(QuestionKind::ALL.into_iter().filter(is_known).collect())
    }
}

mod offer {
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
