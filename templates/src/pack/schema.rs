//! The shape of a provider and its services, in TOML and in JSON. Unknown keys are refused.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A company or project, with the services it offers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Provider {
    /// The name people know, such as `Deepgram`.
    pub label: String,
    /// The page where a key is made or the software is documented.
    pub site: String,
    /// The environment variables that the services below read, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, Variable>,
    /// The services, in the order in which they are offered.
    #[serde(rename = "service")]
    pub services: Vec<Service>,
}

/// An environment variable of a generated project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Variable {
    /// The value to put in, in a few words: `API key`, `Voice id, from the voice library`.
    pub about: String,
    /// Whether it is a credential (belongs into the secret set) rather than a setting.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub secret: bool,
}

/// The task of a service in the pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Speech to text.
    Stt,
    /// Language model.
    Llm,
    /// Text to speech.
    Tts,
    /// Speech to speech.
    Realtime,
    /// Video avatar.
    Video,
}

impl Kind {
    /// Every kind, in the order of a pipeline.
    pub const ALL: [Self; 5] = [Self::Stt, Self::Llm, Self::Tts, Self::Realtime, Self::Video];

    /// Returns the name in data.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Stt => "stt",
            Self::Llm => "llm",
            Self::Tts => "tts",
            Self::Realtime => "realtime",
            Self::Video => "video",
        }
    }
}

/// One class of the framework, and how to construct it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Service {
    /// `<provider>_<kind>`.
    pub id: String,
    /// The framework's own name where it differs; accepted wherever `id` is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alias: Option<String>,
    /// The task in the pipeline.
    pub kind: Kind,
    /// The name in lists.
    pub label: String,
    /// Position among the recommended services of its kind, from 1; absent: not among them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recommended: Option<u8>,
    /// Extras of the `pipecat-ai` package.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extras: Vec<String>,
    /// Requirements beside the extras, each with a floor and a ceiling: `name>=1.2,<2`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub packages: Vec<String>,
    /// The top-level modules that a package brings, by its name; absent: the one that is called like it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub modules: BTreeMap<String, Vec<String>>,
    /// The oldest Python that the extras install on, where it is newer than the framework's own: `3.12`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requires_python: Option<String>,
    /// The Python module of the class.
    pub module: String,
    /// The Python class.
    pub class: String,
    /// Further names that the arguments use: module to names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub imports: BTreeMap<String, Vec<String>>,
    /// The constructor's arguments, in order. `settings.NAME` is a field of the class's nested `Settings`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<Arg>,
    /// Variables that the class or its client library reads by itself and that no argument can carry, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<Read>,
    /// Variables of which at least one is needed, where none of them alone is: ways to give the same credentials. A user is asked
    /// for the first; the others are named as what may take its place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub one_of: Vec<String>,
    /// The argument that takes the system prompt, dotted. `settings.system_instruction` is a field of `Settings`;
    /// `params.system_prompt` is a further argument of the `call` that `params` holds. Language models and realtime
    /// services have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Realtime services: who tells the rest of the pipeline that the user starts or stops speaking.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns: Option<Turns>,
    /// For services that hear: the one rate, in Hz, at which the class takes sound, where it does not follow the pipeline's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_rate: Option<u32>,
    /// Video services: width and height of the picture they send.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub video_size: Option<[u32; 2]>,
    /// Why not to choose it any more and what to choose instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deprecated: Option<String>,
    /// One sentence that its user should know: `Runs on this machine; downloads its model at first start`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Language models and realtime services: one sentence on how the class takes functions, where the bot's list of them is not enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub functions: Option<String>,
}

impl Service {
    /// Returns the first version of the schema that has all keys of the service.
    #[must_use]
    pub fn schema(&self) -> &'static str {
        if self.modules.is_empty() && self.one_of.is_empty() && self.functions.is_none() {
            "1.0"
        } else {
            "1.1"
        }
    }
}

/// The part that tells the rest of the pipeline that the user starts or stops speaking. The service itself always decides when
/// it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Turns {
    /// The service: a voice-activity analyzer of the bot's own would say everything twice.
    Service,
    /// Nobody, unless the bot has a voice-activity analyzer of its own.
    Bot,
}

/// A variable that is read without an argument.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Read {
    /// The variable, described in the provider's `env`.
    pub name: String,
    /// Whether the service works without it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
}

/// One argument: a name and exactly one of `env`, `value`, `expr` and `call`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Arg {
    /// The keyword, or `settings.KEYWORD` for the nested `Settings`.
    pub name: String,
    /// Read from this environment variable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub env: Option<String>,
    /// The Python type that the text of the variable is turned into.
    #[serde(default, skip_serializing_if = "Type::is_str")]
    pub r#type: Type,
    /// The values that a `choice` allows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    /// Used while the variable is unset or empty, and written into the generated code. Text, whatever `type`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// `settings.…` only: what the class itself uses while the variable is unset or empty. Never written into code; shown to people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class_default: Option<String>,
    /// The variable may stay unset without any default: the argument is then `None` (or not given, in `settings`).
    /// Neither this nor a default: the variable is required.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
    /// A literal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Literal>,
    /// A Python expression of one line. Exactly `session` is the bot's `aiohttp.ClientSession`; it uses no other
    /// name but those of `imports`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expr: Option<String>,
    /// A class or function of `imports` to call with `args`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// The arguments of `call`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<Arg>,
}

/// The Python type of an argument that is read from the environment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Type {
    /// Text.
    #[default]
    Str,
    /// A whole number.
    Int,
    /// A number.
    Float,
    /// One of `choices`; a `Literal` in the framework's signature.
    Choice,
    /// Comma-separated text, a list in Python.
    List,
}

impl Arg {
    /// An argument without a name that is read from this variable.
    pub(super) fn of_variable(variable: &str) -> Self {
        Self {
            name: String::new(),
            env: Some(variable.to_owned()),
            r#type: Type::default(),
            choices: Vec::new(),
            default: None,
            class_default: None,
            optional: false,
            value: None,
            expr: None,
            call: None,
            args: Vec::new(),
        }
    }
}

impl Type {
    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde passes a reference"
    )]
    pub(super) fn is_str(&self) -> bool {
        *self == Self::Str
    }
}

/// A value that is written into generated code as it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Literal {
    /// `true` or `false`.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// A number.
    Float(f64),
    /// Text.
    Text(String),
    /// A list of literals.
    List(Vec<Literal>),
}
