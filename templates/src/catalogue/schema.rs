//! The shape of the files in `providers/` and `transports/`. Unknown keys are refused.

use std::collections::BTreeMap;

use serde::Deserialize;

/// A file of `providers/`: one company or project, with all the services it offers.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provider {
    /// The name people know, such as `Deepgram`.
    pub label: String,
    /// Where a key is made or the software is documented.
    pub site: String,
    /// The environment variables that the services below read, by name.
    #[serde(default)]
    pub env: BTreeMap<String, Variable>,
    /// The services, in the order in which they are offered.
    #[serde(rename = "service")]
    pub services: Vec<Service>,
}

/// An environment variable of a generated project.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variable {
    /// What to put in, in a few words: `API key`, `Voice id, from the voice library`.
    pub about: String,
    /// Whether it is a credential (belongs into the secret set) rather than a setting.
    #[serde(default)]
    pub secret: bool,
}

/// What a service does in the pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
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

/// One class of the framework, and how to construct it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Service {
    /// `<provider>_<kind>`.
    pub id: String,
    /// The framework's own name where it differs; accepted wherever `id` is.
    #[serde(default)]
    pub alias: Option<String>,
    /// What it does in the pipeline.
    pub kind: Kind,
    /// What a list shows.
    pub label: String,
    /// Position among the recommended services of its kind, from 1; absent: not among them.
    #[serde(default)]
    pub recommended: Option<u8>,
    /// Extras of the `pipecat-ai` package.
    #[serde(default)]
    pub extras: Vec<String>,
    /// Requirements beside the extras, each with a floor and a ceiling: `name>=1.2,<2`.
    #[serde(default)]
    pub packages: Vec<String>,
    /// The oldest Python that the extras install on, where it is newer than the framework's own: `3.12`.
    #[serde(default)]
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
    /// Where the system prompt goes, as a dotted argument. `settings.system_instruction` is a field of `Settings`;
    /// `params.system_prompt` is a further argument of the `call` that `params` holds. Language models and realtime
    /// services have one.
    #[serde(default)]
    pub prompt: Option<String>,
    /// Realtime services: who tells the rest of the pipeline that the user starts or stops speaking.
    #[serde(default)]
    pub turns: Option<Turns>,
    /// What hears: the one rate, in Hz, at which the class takes sound, where it does not follow the pipeline's.
    #[serde(default)]
    pub input_rate: Option<u32>,
    /// Video services: width and height of the picture they send.
    #[serde(default)]
    pub video_size: Option<[u32; 2]>,
    /// Why not to choose it any more and what to choose instead.
    #[serde(default)]
    pub deprecated: Option<String>,
    /// One sentence that its user should know: `Runs on this machine; downloads its model at first start`.
    #[serde(default)]
    pub note: Option<String>,
}

/// Who tells the rest of the pipeline that the user starts or stops speaking. The service itself always decides when
/// it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Turns {
    /// The service: a voice-activity analyzer of the bot's own would say everything twice.
    Service,
    /// Nobody, unless the bot has a voice-activity analyzer of its own.
    Bot,
}

/// A variable that is read without an argument.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Read {
    /// The variable, described in the provider's `env`.
    pub name: String,
    /// Whether the service works without it.
    #[serde(default)]
    pub optional: bool,
}

/// One argument: a name and exactly one of `env`, `value`, `expr` and `call`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arg {
    /// The keyword, or `settings.KEYWORD` for the nested `Settings`.
    pub name: String,
    /// Read from this environment variable.
    #[serde(default)]
    pub env: Option<String>,
    /// The Python type that the text of the variable is turned into.
    #[serde(default)]
    pub r#type: Type,
    /// The values that a `choice` allows.
    #[serde(default)]
    pub choices: Vec<String>,
    /// Used while the variable is unset or empty, and written into the generated code. Text, whatever `type`.
    #[serde(default)]
    pub default: Option<String>,
    /// `settings.…` only: what the class itself uses while the variable is unset or empty. Never written into code; shown to people.
    #[serde(default)]
    pub class_default: Option<String>,
    /// The variable may stay unset without any default: the argument is then `None` (or not given, in `settings`).
    /// Neither this nor a default: the variable is required.
    #[serde(default)]
    pub optional: bool,
    /// A literal: text, number, boolean or list of them.
    #[serde(default)]
    pub value: Option<toml::Value>,
    /// A Python expression of one line. Exactly `session` is the bot's `aiohttp.ClientSession`; it uses no other
    /// name but those of `imports`.
    #[serde(default)]
    pub expr: Option<String>,
    /// A class or function of `imports` to call with `args`.
    #[serde(default)]
    pub call: Option<String>,
    /// The arguments of `call`.
    #[serde(default)]
    pub args: Vec<Arg>,
}

/// The Python type of an argument that is read from the environment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
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

/// Whom a transport serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BotType {
    /// Browsers and apps.
    Web,
    /// Telephones.
    Telephony,
}

/// A file of `transports/`: how audio reaches the bot.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transport {
    /// The neutral name, such as `p2p_webrtc`.
    pub id: String,
    /// The framework's own name where it differs; accepted wherever `id` is.
    #[serde(default)]
    pub alias: Option<String>,
    /// What a list shows.
    pub label: String,
    /// Where its keys are made, where that is one place.
    #[serde(default)]
    pub site: Option<String>,
    /// Whom it serves.
    pub bot_type: BotType,
    /// Position in a list of its bot type, from 1.
    pub order: u8,
    /// The option that selects this transport together with a mode: the name before `_dialin` or `_dialout`.
    #[serde(default)]
    pub family: Option<String>,
    /// The framework's own name for `family`; accepted wherever that is.
    #[serde(default)]
    pub family_alias: Option<String>,
    /// The key of the factory in the runner's `transport_params`, and the value of the runner's `-t`.
    pub runner_key: String,
    /// Extras of the `pipecat-ai` package.
    #[serde(default)]
    pub extras: Vec<String>,
    /// Requirements beside the extras, each with a floor and a ceiling.
    #[serde(default)]
    pub packages: Vec<String>,
    /// The Python module of the parameter class.
    pub module: String,
    /// The parameter class.
    pub class: String,
    /// Further names that `args` use: module to names.
    #[serde(default)]
    pub imports: BTreeMap<String, Vec<String>>,
    /// Arguments of the parameter class beside the audio and video switches.
    #[serde(default)]
    pub args: Vec<Arg>,
    /// The environment variables that the runner or the bot reads for it, in order.
    #[serde(default)]
    pub env: Vec<TransportVariable>,
    /// The npm package of the web client's transport, where one is published.
    #[serde(default)]
    pub client_package: Option<String>,
    /// The range of that package: `^1.6.9`.
    #[serde(default)]
    pub client_version: Option<String>,
    /// One sentence that its user should know.
    #[serde(default)]
    pub note: Option<String>,
}

impl Transport {
    /// Whether a telephone company sends each call's sound over a WebSocket of its own.
    #[must_use]
    pub fn is_carrier(&self) -> bool {
        self.bot_type == BotType::Telephony && self.family.is_none()
    }

    /// Whether each call gets a room, which a web server beside the bot makes.
    #[must_use]
    pub fn has_call_server(&self) -> bool {
        self.bot_type == BotType::Telephony && self.family.is_some()
    }
}

/// An environment variable of a transport.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TransportVariable {
    /// The variable.
    pub name: String,
    /// What to put in.
    pub about: String,
    /// Whether it is a credential.
    #[serde(default)]
    pub secret: bool,
    /// What holds while it is unset.
    #[serde(default)]
    pub default: Option<String>,
    /// Whether it may stay unset without any default. Neither this nor a default: it is needed to use the transport.
    #[serde(default)]
    pub optional: bool,
    /// Which of the project's programs reads it.
    #[serde(default)]
    pub reader: Reader,
}

/// A program of a project.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reader {
    /// The bot, or the runner that serves it.
    #[default]
    Bot,
    /// The web server beside the bot.
    Server,
    /// Both.
    Both,
}
