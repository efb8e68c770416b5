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
    #[serde(default)]
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
    pub alias: Option<String>,
    /// The task in the pipeline.
    pub kind: Kind,
    /// The name in lists.
    pub label: String,
    /// Position among the recommended services of its kind, from 1; absent: not among them.
    pub recommended: Option<u8>,
    /// Extras of the `pipecat-ai` package.
    #[serde(default)]
    pub extras: Vec<String>,
    /// Requirements beside the extras, each with a floor and a ceiling: `name>=1.2,<2`.
    #[serde(default)]
    pub packages: Vec<String>,
    /// The top-level modules that a package brings, by its name; absent: the one that is called like it.
    #[serde(default)]
    pub modules: BTreeMap<String, Vec<String>>,
    /// The oldest Python that the extras install on, where it is newer than the framework's own: `3.12`.
    pub requires_python: Option<String>,
    /// The Python module of the class.
    pub module: String,
    /// The Python class.
    pub class: String,
    /// Further names that the arguments use: module to names.
    #[serde(default)]
    pub imports: BTreeMap<String, Vec<String>>,
    /// The constructor's arguments, in order. `settings.NAME` is a field of the class's nested `Settings`.
    #[serde(default)]
    pub args: Vec<Arg>,
    /// Variables that the class or its client library reads by itself and that no argument can carry, in order.
    #[serde(default)]
    pub reads: Vec<Read>,
    /// Variables of which at least one is needed, where none of them alone is: ways to give the same credentials. A user is asked
    /// for the first; the others are named as what may take its place.
    #[serde(default)]
    pub one_of: Vec<String>,
    /// The argument that takes the system prompt, dotted. `settings.system_instruction` is a field of `Settings`;
    /// `params.system_prompt` is a further argument of the `call` that `params` holds. Language models and realtime
    /// services have one.
    pub prompt: Option<String>,
    /// Realtime services: who tells the rest of the pipeline that the user starts or stops speaking.
    pub turns: Option<Turns>,
    /// For services that hear: the one rate, in Hz, at which the class takes sound, where it does not follow the pipeline's.
    pub input_rate: Option<u32>,
    /// Video services: width and height of the picture they send.
    pub video_size: Option<[u32; 2]>,
    /// Why not to choose it any more and what to choose instead.
    pub deprecated: Option<String>,
    /// One sentence that its user should know: `Runs on this machine; downloads its model at first start`.
    pub note: Option<String>,
    /// Language models and realtime services: one sentence on how the class takes functions, where the bot's list of them is not enough.
    pub functions: Option<String>,
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
    #[serde(default)]
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
    pub env: Option<String>,
    /// The Python type that the text of the variable is turned into.
    #[serde(default)]
    pub r#type: Type,
    /// The values that a `choice` allows.
    #[serde(default)]
    pub choices: Vec<String>,
    /// Used while the variable is unset or empty, and written into the generated code. Text, whatever `type`.
    pub default: Option<String>,
    /// `settings.…` only: what the class itself uses while the variable is unset or empty. Never written into code; shown to people.
    pub class_default: Option<String>,
    /// The variable may stay unset without any default: the argument is then `None` (or not given, in `settings`).
    /// Neither this nor a default: the variable is required.
    #[serde(default)]
    pub optional: bool,
    /// A literal.
    pub value: Option<Literal>,
    /// A Python expression of one line. Exactly `session` is the bot's `aiohttp.ClientSession`; it uses no other
    /// name but those of `imports`.
    pub expr: Option<String>,
    /// A class or function of `imports` to call with `args`.
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
    /// A whole number.
    Int,
    /// A number.
    Float,
    /// One of `choices`; a `Literal` in the framework's signature.
    Choice,
    /// Comma-separated text, a list in Python.
    List,
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
