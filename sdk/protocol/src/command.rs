//! The tree of commands and arguments in a manifest.

use serde::{Deserialize, Serialize};

/// The specification of a command.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct CommandSpec {
    /// The command's name, as typed.
    pub name: String,
    /// A one-line description.
    pub about: String,
    /// A longer description, shown in full help instead of `about`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
    /// Examples, printed verbatim at the end of full help.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub examples: Option<String>,
    /// Alternative names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// Whether the command is hidden from help.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
    /// Whether the command uses the user's terminal and standard streams directly.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub direct: bool,
    /// The JSON Schema of the command's `data`, if declared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<serde_json::Value>,
    /// The options and positional arguments, in the order shown in help.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<ArgumentSpec>,
    /// The subcommands.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<CommandSpec>,
}

/// The specification of an option or a positional argument.
#[expect(clippy::struct_excessive_bools, reason = "each is a field on the wire")]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ArgumentSpec {
    /// The argument's name, in `snake_case`.
    pub name: String,
    /// The kind of argument.
    pub kind: ArgumentKind,
    /// The long option name, such as `stt` for `--stt`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub long: Option<String>,
    /// The short option name, such as `t` for `-t`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub short: Option<char>,
    /// Alternative long names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// A one-line description.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// The heading under which help lists the argument.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heading: Option<String>,
    /// The placeholder for the value in help, such as `SERVICE`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value_name: Option<String>,
    /// Whether the argument is required.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// Whether the argument can be repeated or takes multiple values.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub repeatable: bool,
    /// Whether the argument must follow `--`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub last: bool,
    /// The default value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// The possible values. If empty, any value is accepted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<ValueSpec>,
    /// Whether the possible values are hidden from help.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub values_hidden: bool,
    /// The source of completions in addition to `values`.
    #[serde(skip_serializing_if = "Completion::is_none")]
    pub completion: Completion,
    /// Whether subcommands also accept the option.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub global: bool,
    /// Whether the argument is hidden from help.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
}

/// The kind of argument.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ArgumentKind {
    /// An option without a value.
    Flag,
    /// A positional argument.
    Positional,
    /// An option with a value. Unknown kinds from later versions decode as this variant.
    #[default]
    #[serde(other)]
    Option,
}

/// The source of completions for an argument's value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Completion {
    /// File names.
    File,
    /// Folder names.
    Folder,
    /// The plugin, through the `complete` method.
    Dynamic,
    /// Program names. All remaining arguments belong to the program.
    Command,
    /// No completions. Unknown sources from later versions decode as this variant.
    #[default]
    #[serde(other)]
    None,
}

/// A possible value of an argument.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[must_use]
pub struct ValueSpec {
    /// The value, as typed.
    pub value: String,
    /// A short description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// Alternative spellings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
}

impl CommandSpec {
    /// Creates a command without arguments or subcommands.
    pub fn new(name: impl Into<String>, about: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            about: about.into(),
            ..Self::default()
        }
    }
}

impl Completion {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
    fn is_none(&self) -> bool {
        *self == Self::None
    }
}
