//! A plugin's command tree: what it can be asked to do, and what every word may be.

use serde::{Deserialize, Serialize};

/// A command.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct CommandSpec {
    /// The word.
    pub name: String,
    /// A description in one line.
    pub about: String,
    /// A description in paragraphs; full help begins with it instead of `about`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
    /// Examples at the end of full help, in lines that stand as they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub examples: Option<String>,
    /// Other words for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// Whether help leaves it out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
    /// Whether it works on the user's own terminal and streams.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub direct: bool,
    /// The options and positional arguments, in the order of help.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<ArgumentSpec>,
    /// The subcommands.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<CommandSpec>,
}

/// An option or a positional argument.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a field of its own on the wire"
)]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ArgumentSpec {
    /// The name, in `snake_case`.
    pub name: String,
    /// The kind.
    pub kind: ArgumentKind,
    /// `stt` for `--stt`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub long: Option<String>,
    /// `t` for `-t`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub short: Option<char>,
    /// Other long names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// A description in one line.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// The heading of help that it stands under.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heading: Option<String>,
    /// The name of the value: `SERVICE`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value_name: Option<String>,
    /// Whether the command fails without it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// Whether it takes several values.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub repeatable: bool,
    /// Whether it stands behind `--`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub last: bool,
    /// The value without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// All values that it can have; empty when any is possible.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<ValueSpec>,
    /// Whether help leaves its values out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub values_hidden: bool,
    /// The source of more values.
    #[serde(skip_serializing_if = "Completion::is_none")]
    pub completion: Completion,
    /// Whether subcommands take it too.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub global: bool,
    /// Whether help leaves it out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
}

/// The kind of an argument.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ArgumentKind {
    /// An option without a value.
    Flag,
    /// A value in its place.
    Positional,
    /// An option with a value. What later versions may add counts as this.
    #[default]
    #[serde(other)]
    Option,
}

/// The source of values for completion.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Completion {
    /// Among the files.
    File,
    /// Among the folders.
    Folder,
    /// The plugin knows: ask it with `complete`.
    Dynamic,
    /// Among the programs; the words behind it are that program's arguments.
    Command,
    /// Nowhere. What later versions may add counts as this.
    #[default]
    #[serde(other)]
    None,
}

/// A value that an argument can have.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[must_use]
pub struct ValueSpec {
    /// The value.
    pub value: String,
    /// A few words about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// Other words for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
}

impl CommandSpec {
    /// A command without options and subcommands.
    pub fn new(name: impl Into<String>, about: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            about: about.into(),
            ..Self::default()
        }
    }
}

impl Completion {
    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde passes a reference"
    )]
    fn is_none(&self) -> bool {
        *self == Self::None
    }
}
