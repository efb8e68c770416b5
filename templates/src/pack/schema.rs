//! The schema of a provider and its services, for TOML and JSON. Unknown keys are rejected.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A company or project, and the services that it offers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Provider {
    /// The display name, such as `Deepgram`.
    pub label: String,
    /// The page for creating a key, or the software's documentation.
    pub site: String,
    /// The environment variables that the services read, by name.
    #[serde(default)]
    pub env: BTreeMap<String, Variable>,
    /// The services, in the order in which they are listed.
    #[serde(rename = "service")]
    pub services: Vec<Service>,
}

/// An environment variable of a generated project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Variable {
    /// A short description of the value: `API key`, `Voice id, from the voice library`.
    pub about: String,
    /// Whether the variable is a credential, which belongs in the secret set, rather than a setting.
    #[serde(default)]
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
    /// All kinds, in pipeline order.
    pub const ALL: [Self; 5] = [Self::Stt, Self::Llm, Self::Tts, Self::Realtime, Self::Video];

    /// Returns the name in data files.
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

/// A framework class and the way to construct it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Service {
    /// `<provider>_<kind>`.
    pub id: String,
    /// The framework's own name, if different. It is accepted wherever `id` is.
    pub alias: Option<String>,
    /// The task in the pipeline.
    pub kind: Kind,
    /// The display name.
    pub label: String,
    /// The position among the recommended services of its kind, from 1. Absent if the service isn't recommended.
    pub recommended: Option<u8>,
    /// Extras of the `pipecat-ai` package.
    #[serde(default)]
    pub extras: Vec<String>,
    /// Additional requirements, each with a lower and an upper bound: `name>=1.2,<2`.
    #[serde(default)]
    pub packages: Vec<String>,
    /// The top-level modules of each package. By default, a package has one module of the same name.
    #[serde(default)]
    pub modules: BTreeMap<String, Vec<String>>,
    /// The minimum Python version of the extras, if newer than the framework's own: `3.12`.
    pub requires_python: Option<String>,
    /// The Python module of the class.
    pub module: String,
    /// The Python class.
    pub class: String,
    /// Further names used in the arguments, by module.
    #[serde(default)]
    pub imports: BTreeMap<String, Vec<String>>,
    /// The constructor's arguments, in order. `settings.NAME` is a field of the class's nested `Settings`.
    #[serde(default)]
    pub args: Vec<Arg>,
    /// Variables that the class or its client library reads itself and no argument can pass, in order.
    #[serde(default)]
    pub reads: Vec<Read>,
    /// Variables that are alternatives for the same credentials. At least one is required. Users are prompted for the first one, and the
    /// others are named as alternatives.
    #[serde(default)]
    pub one_of: Vec<String>,
    /// The dotted name of the argument for the system prompt. `settings.system_instruction` is a field of `Settings`.
    /// `params.system_prompt` is a further argument of the `call` in `params`. Required for language models and realtime services.
    pub prompt: Option<String>,
    /// The part of the pipeline that reports the user's turns. Only for realtime services.
    pub turns: Option<Turns>,
    /// The fixed input sample rate of the class in Hz, if it doesn't follow the pipeline's rate. Only for services with audio input.
    pub input_rate: Option<u32>,
    /// The width and height of the video. Only for video services.
    pub video_size: Option<[u32; 2]>,
    /// The reason for the deprecation, and the replacement.
    pub deprecated: Option<String>,
    /// A sentence with advice for the user: `Runs on this machine; downloads its model at first start`.
    pub note: Option<String>,
    /// A sentence on how the class receives functions, if the bot's list of functions isn't enough. Only for language models and realtime
    /// services.
    pub functions: Option<String>,
}

/// The part of the pipeline that reports when the user starts or stops speaking. The service itself always decides when it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Turns {
    /// The service. A voice-activity analyzer in the bot would report everything twice.
    Service,
    /// The bot, with its own voice-activity analyzer.
    Bot,
}

/// An environment variable that the class or its client library reads itself, not through an argument.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Read {
    /// The variable, which the provider's `env` describes.
    pub name: String,
    /// Whether the service works without the variable.
    #[serde(default)]
    pub optional: bool,
}

/// An argument with a name and exactly one of `env`, `value`, `expr` and `call`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Arg {
    /// The keyword, or `settings.KEYWORD` for the nested `Settings`.
    pub name: String,
    /// The environment variable that contains the value.
    pub env: Option<String>,
    /// The Python type that the variable's text is converted to.
    #[serde(default)]
    pub r#type: Type,
    /// The allowed values of a `choice`.
    #[serde(default)]
    pub choices: Vec<String>,
    /// The value for an unset or empty variable, as text for every `type`. It is written into the generated code.
    pub default: Option<String>,
    /// The class's own default for an unset or empty variable. It is only displayed, never written into code. Only for `settings.…`.
    pub class_default: Option<String>,
    /// Whether the variable may be unset without a default. The argument is then `None`, or not given in `settings`. A variable that has
    /// no default and isn't optional is required.
    #[serde(default)]
    pub optional: bool,
    /// A literal value.
    pub value: Option<Literal>,
    /// A Python expression on one line. `session` alone is the bot's `aiohttp.ClientSession`. Any other name must be in `imports`.
    pub expr: Option<String>,
    /// A class or function from `imports` to call with `args`.
    pub call: Option<String>,
    /// The arguments of `call`.
    #[serde(default)]
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
    /// An integer.
    Int,
    /// A floating-point number.
    Float,
    /// One of `choices`, which is a `Literal` in the framework's signature.
    Choice,
    /// Comma-separated text, which becomes a list in Python.
    List,
}

/// A literal in generated code.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Literal {
    /// `true` or `false`.
    Boolean(bool),
    /// An integer.
    Integer(i64),
    /// A floating-point number.
    Float(f64),
    /// Text.
    Text(String),
    /// A list of literals.
    List(Vec<Literal>),
}
