//! The schema of a provider and its services, for TOML and JSON. Unknown keys are rejected.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::languages::ENGLISH;

/// A company or project that offers services.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Provider {
    /// The display name, such as `Deepgram`.
    pub label: String,
    /// The web page for creating a key, or the software's documentation.
    pub site: String,
    /// The environment variables that the services read, by name.
    #[serde(default)]
    pub env: BTreeMap<String, Variable>,
    /// The provider's services, in order.
    #[serde(rename = "service")]
    pub services: Vec<Service>,
}

/// An environment variable of a generated project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Variable {
    /// A short description of the value, such as `API key` or `Voice id, from the voice library`.
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

    /// Returns the name used in data files.
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

/// A framework class, with the imports and arguments for constructing it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Service {
    /// The identifier, in the form `<provider>_<kind>`.
    pub id: String,
    /// The framework's own name, if different. Accepted wherever `id` is accepted.
    pub alias: Option<String>,
    /// The task in the pipeline.
    pub kind: Kind,
    /// The display name.
    pub label: String,
    /// The position among the recommended services of the same kind, starting at 1. Absent if the service isn't recommended.
    pub recommended: Option<u8>,
    /// The required extras of the `pipecat-ai` package.
    #[serde(default)]
    pub extras: Vec<String>,
    /// Additional package requirements, each with a lower and an upper version bound, such as `name>=1.2,<2`.
    #[serde(default)]
    pub packages: Vec<String>,
    /// The top-level modules of each package. By default, a package has one module of the same name.
    #[serde(default)]
    pub modules: BTreeMap<String, Vec<String>>,
    /// The minimum Python version of the extras, such as `3.12`, if newer than the framework's own minimum.
    pub requires_python: Option<String>,
    /// The Python module that contains the class.
    pub module: String,
    /// The Python class.
    pub class: String,
    /// Additional imports that the arguments need: the names imported from each module.
    #[serde(default)]
    pub imports: BTreeMap<String, Vec<String>>,
    /// The constructor's arguments, in order. An argument named `settings.NAME` is a field of the class's nested `Settings`.
    #[serde(default)]
    pub args: Vec<Arg>,
    /// The environment variables that the class or its client library reads directly and that no argument can set, in order.
    #[serde(default)]
    pub reads: Vec<Read>,
    /// The variables that are alternatives for the same credentials. At least one is required. Users are prompted for the first one, and
    /// the others are listed as alternatives.
    #[serde(default)]
    pub one_of: Vec<String>,
    /// The dotted name of the argument for the system prompt. For example, `settings.system_instruction` is a field of `Settings`, and
    /// `params.system_prompt` is an additional argument of the `call` in `params`. Required for language models and realtime services.
    pub prompt: Option<String>,
    /// The part of the pipeline that reports the user's turns. Required for realtime services, and not allowed for other services.
    pub turns: Option<Turns>,
    /// The fixed input sample rate of the class in Hz, if it doesn't follow the pipeline's rate. Only for services with audio input.
    pub input_rate: Option<u32>,
    /// The width and height of the video. Only for video services.
    pub video_size: Option<[u32; 2]>,
    /// Whether the model takes pictures: on request for language models, as a stream for realtime services. Only for these two kinds.
    #[serde(default)]
    pub pictures: bool,
    /// The languages that the class takes in its settings, such as `de` or `pt-BR`. `en` alone means that it knows no other. Absent if
    /// the class isn't told a language. Only for speech to text and text to speech.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<String>,
    /// The field of `Settings` that takes a list of languages, if the class has no use for the field `language`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language_list: Option<String>,
    /// The variable whose default is a voice or a model for English only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub english: Option<String>,
    /// The reason for the deprecation, and the replacement, if the service is deprecated.
    pub deprecated: Option<String>,
    /// The well-known families of models that the service runs, such as `GPT`, for suggestions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<String>,
    /// A sentence with advice for the user, such as `Needs an account with the voices product`.
    pub note: Option<String>,
    /// What the class downloads when it is first constructed, with its size, such as `its model, 142 MB`.
    pub downloads: Option<String>,
    /// The folder for downloads in the user's home folder, such as `.cache/pipecat/piper`.
    pub downloads_to: Option<String>,
    /// The command that gets a model for the user's own server, such as `ollama pull`. Only for language models with the arguments
    /// `base_url` and `settings.model`, which each have a variable.
    pub pull: Option<String>,
    /// A sentence that explains how to pass functions to the class, if the bot's list of functions isn't enough. Only for language models
    /// and realtime services.
    pub functions: Option<String>,
}

impl Service {
    /// Returns advice for the user: the note, and what the service downloads.
    pub fn advice(&self) -> Option<String> {
        let downloads = self.downloads.as_ref();
        let downloads = downloads.map(|it| format!("downloads {it}, at first start"));
        let parts: Vec<String> = self.note.clone().into_iter().chain(downloads).collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    /// Reports whether the service is by default a server on the user's machine.
    pub fn is_at_localhost(&self) -> bool {
        let mut defaults = self.args.iter().filter_map(|arg| arg.default.as_ref());
        defaults.any(|default| default.contains("://localhost"))
    }

    /// Returns the Python requirements of the service, such as `pipecat-ai[deepgram]`.
    pub fn requirements(&self) -> Vec<String> {
        let extras = self.extras.iter().map(|it| format!("pipecat-ai[{it}]"));
        extras.chain(self.packages.iter().cloned()).collect()
    }

    /// Returns the language as the class takes it, such as `pt-BR` for `pt`. Its own default is English.
    pub fn language(&self, code: &str) -> Option<&str> {
        let mut languages = self.languages.iter();
        let found = languages.find(|it| it.split('-').next() == Some(code));
        found.filter(|_| code != ENGLISH).map(String::as_str)
    }

    /// Returns all imports as pairs of module and name: the class first, then those that the arguments need.
    pub fn names(&self) -> impl Iterator<Item = (&str, &str)> {
        let further = self.imports.iter();
        let further = further
            .flat_map(|(module, names)| names.iter().map(|name| (module.as_str(), name.as_str())));
        std::iter::once((self.module.as_str(), self.class.as_str())).chain(further)
    }
}

/// The part of the pipeline that reports when the user starts or stops speaking. The service itself always decides when to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Turns {
    /// The service. A voice-activity analyzer in the bot would report every turn twice.
    Service,
    /// The bot, with its own voice-activity analyzer.
    Bot,
}

/// An environment variable that the class or its client library reads directly, not through an argument.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Read {
    /// The variable's name, which is also a key in the provider's `env`.
    pub name: String,
    /// Whether the service works without the variable.
    #[serde(default)]
    pub optional: bool,
}

/// A named argument with exactly one of `env`, `value`, `expr` and `call`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Arg {
    /// The keyword, or `settings.KEYWORD` for a field of the nested `Settings`.
    pub name: String,
    /// The environment variable that contains the value.
    pub env: Option<String>,
    /// The Python type that the variable's text is converted to.
    #[serde(default)]
    pub r#type: Type,
    /// The allowed values of a `choice`.
    #[serde(default)]
    pub choices: Vec<String>,
    /// The value for an unset or empty variable, as a string regardless of `type`. The generated code contains this value.
    pub default: Option<String>,
    /// The class's own default for an unset or empty variable, for `settings.NAME` arguments. This default is only displayed, never
    /// written into code.
    pub class_default: Option<String>,
    /// Whether the variable may be unset without a default. The argument is then `None`, or omitted from `settings`. A variable that has no
    /// default and isn't optional is required.
    #[serde(default)]
    pub optional: bool,
    /// A literal value.
    pub value: Option<Literal>,
    /// A Python expression on one line. The expression `session` is the bot's `aiohttp.ClientSession`. Any other name must be in `imports`.
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
    /// One of `choices`. The framework declares the argument as a `Literal`.
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
