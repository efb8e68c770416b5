//! The shape of the files in `transports/`; that of `providers/` is [`bot_cli_sdk::pack`]'s. Unknown keys are refused.

use std::collections::BTreeMap;

use bot_cli_sdk::pack::Arg;
use serde::Deserialize;

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
    /// Why the hosting service can't start a session on it, as a clause; nothing where it can.
    #[serde(default)]
    pub stays_behind: Option<String>,
}

impl Transport {
    /// Whether the hosting service can start a session on it.
    #[must_use]
    pub fn starts_in_cloud(&self) -> bool {
        self.stays_behind.is_none()
    }

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
    /// Where it is made, where that is another place than the transport's.
    #[serde(default)]
    pub site: Option<String>,
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
