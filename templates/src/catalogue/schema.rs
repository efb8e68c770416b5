//! The shape of the files in `transports/`; that of `providers/` is [`crate::pack`]'s. Unknown keys are refused.

use std::collections::BTreeMap;

use crate::pack::Arg;
use serde::{Deserialize, Serialize};

/// The users of a transport.
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
    pub alias: Option<String>,
    /// The name in lists.
    pub label: String,
    /// The page on which its keys are created, if there is one.
    pub site: Option<String>,
    /// The users that it serves.
    pub bot_type: BotType,
    /// Position in a list of its bot type, from 1.
    pub order: u8,
    /// The option that selects this transport together with a mode: the name before `_dialin` or `_dialout`.
    pub family: Option<String>,
    /// The framework's own name for `family`; accepted wherever that is.
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
    /// Names of which one in the Python of a project shows that it has the transport, also one that was written by hand.
    #[serde(default)]
    pub known_by: Vec<String>,
    /// Further names that `args` use: module to names.
    #[serde(default)]
    pub imports: BTreeMap<String, Vec<String>>,
    /// Arguments of the parameter class beside the audio and video switches.
    #[serde(default)]
    pub args: Vec<Arg>,
    /// The environment variables that the runner or the bot reads for it, in order.
    #[serde(default)]
    pub env: Vec<TransportVariable>,
    /// The web client's side of it, where a package for that is published.
    pub client: Option<ClientTransport>,
    /// A further option for the bot's program: `--whatsapp`.
    pub run_option: Option<String>,
    /// The way of the user's pictures to the bot.
    #[serde(default)]
    pub pictures: Pictures,
    /// Present where nobody at the other end says when they are ready: the bot then greets whoever connects.
    pub no_client: Option<NoClient>,
    /// Whether the framework calls the handlers of a connection without the client that has connected.
    #[serde(default)]
    pub nameless_clients: bool,
    /// Whether a telephone company sends each call's sound over a WebSocket of its own.
    #[serde(default)]
    pub carrier: bool,
    /// The web server that makes a room for each call and starts the bot in it.
    pub call_server: Option<CallServer>,
    /// The class that brings an avatar into the user's room. The bot makes it: the framework's runner knows no such transport.
    pub avatar: Option<Avatar>,
    /// One sentence that its user should know.
    pub note: Option<String>,
    /// Why the hosting service can't start a session on it, as a clause; nothing where it can.
    pub stays_behind: Option<String>,
    /// The partial with its passages of the project's README: `partials/readme/livekit.md`. Without one, the README has only the
    /// command that runs the bot.
    pub readme: Option<String>,
}

impl Transport {
    /// Returns the identifier with the usual name: `carrier_a (Twilio)`.
    #[must_use]
    pub fn named(&self) -> String {
        let label = self.label.replace(" (", ", ").replace(')', "");
        format!("{} ({label})", self.id)
    }

    /// Whether the hosting service can start a session on it.
    #[must_use]
    pub fn starts_in_cloud(&self) -> bool {
        self.stays_behind.is_none()
    }

    /// The options with which the bot's program serves this transport alone: `-t webrtc --whatsapp`.
    #[must_use]
    pub fn run_options(&self) -> String {
        let further = self.run_option.iter().map(String::as_str);
        std::iter::once("-t")
            .chain([self.runner_key.as_str()])
            .chain(further)
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Whether one bot can't have both: they would need the same entry of its runner.
    #[must_use]
    pub fn excludes(&self, other: &Self) -> bool {
        let both_call = [self, other]
            .iter()
            .all(|one| one.bot_type == BotType::Telephony);
        let one_is_avatar = self.avatar.is_some() || other.avatar.is_some();
        self.runner_key == other.runner_key && (both_call || one_is_avatar)
    }

    /// Returns the direction of calls, if it is fixed.
    #[must_use]
    pub fn direction(&self) -> Option<Direction> {
        self.call_server.as_ref().map(|server| server.direction)
    }
}

/// The way in which `bot.py` recognizes a session without a client.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoClient {
    /// The class of the runner's arguments of such a session.
    pub session: String,
    /// The partial that answers where sessions of this class may have a client, too: `partials/no_client/whatsapp.py`.
    pub partial: Option<String>,
}

/// The handling of a transport's calls in `server.py` and `bot.py`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallServer {
    /// The direction of calls.
    pub direction: Direction,
    /// The partial with the passages of both programs that these calls alone need: `partials/calls/daily_dialin.py`.
    pub partial: String,
}

/// The direction of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// People call the bot.
    DialIn,
    /// The bot calls people.
    DialOut,
}

impl Direction {
    /// As options and files say it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::DialIn => "dial-in",
            Self::DialOut => "dial-out",
        }
    }
}

/// The web client's side of a transport.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientTransport {
    /// The npm package: `@pipecat-ai/daily-transport`.
    pub package: String,
    /// The range of that package: `^1.6.9`.
    pub version: String,
    /// The exported class, if a plain object of it is all that the client needs. It opens the devices itself.
    pub class: Option<String>,
    /// The client's own files, if it needs more than a class: names in `project/client/transports/`. The first is the module whose
    /// function `load` returns the transport.
    #[serde(default)]
    pub files: Vec<ClientFile>,
    /// Switches of the request to `/start`, beside the name of the transport.
    #[serde(default)]
    pub start: Vec<String>,
    /// A package that `package` imports but that the client never runs. Builds leave it out.
    pub unused: Option<String>,
    /// Advice for the user of the client, in the project's README.
    pub note: Option<String>,
}

impl ClientTransport {
    /// The module that exports `load`: `peer`.
    #[must_use]
    pub fn module(&self) -> Option<&str> {
        self.files.first()?.name.strip_suffix(".ts")
    }
}

/// A file of the web client that one transport needs.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientFile {
    /// `peer.ts`, in `client/src` of the generated project.
    pub name: String,
    /// A description, for the project's README.
    pub about: String,
}

/// The way of the user's pictures to a bot.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Pictures {
    /// The bot takes them from the sources that it names.
    #[default]
    Captured,
    /// The bot subscribes to the users' streams.
    Subscribed,
    /// Not at all: the transport carries no pictures of the user, nor any that the bot sends.
    None,
}

/// The class of a transport that the bot makes by itself; `session` is its `aiohttp.ClientSession`, `runner_args` the
/// room's `DailyRunnerArguments`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Avatar {
    /// The Python module of the class.
    pub module: String,
    /// The class. Its argument `params` is an object of the transport's parameter class.
    pub class: String,
    /// Further names that `args` use: module to names.
    #[serde(default)]
    pub imports: BTreeMap<String, Vec<String>>,
    /// The arguments beside `params`. Variables that they read stand in the transport's `env`, too.
    pub args: Vec<Arg>,
}

impl Avatar {
    /// Everything that it imports: module and name.
    pub fn names(&self) -> impl Iterator<Item = (&String, &String)> {
        let further = self.imports.iter();
        further
            .flat_map(|(module, names)| names.iter().map(move |name| (module, name)))
            .chain([(&self.module, &self.class)])
    }
}

/// An environment variable of a transport.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TransportVariable {
    /// The variable.
    pub name: String,
    /// A description of the value.
    pub about: String,
    /// Whether it is a credential.
    #[serde(default)]
    pub secret: bool,
    /// The owner of the variable, if that is not the transport's company.
    pub owner: Option<Owner>,
    /// The default.
    pub default: Option<String>,
    /// Whether it may stay unset without any default. Neither this nor a default: it is needed to use the transport.
    #[serde(default)]
    pub optional: bool,
    /// Which of the project's programs reads it.
    #[serde(default)]
    pub reader: Reader,
}

/// Another company, whose key a transport needs as well.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Owner {
    /// `Daily`.
    pub label: String,
    /// The page on which its keys are created.
    pub site: String,
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
