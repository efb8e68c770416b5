//! The schema of the files in `transports/`. The schema of `providers/` is in [`crate::pack`]. Unknown keys are rejected.

use std::collections::BTreeMap;

use crate::pack::Arg;
use serde::{Deserialize, Serialize};

/// The type of client that connects to a bot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BotType {
    /// Browsers and apps.
    Web,
    /// Telephones.
    Telephony,
}

/// A transport, which carries audio between the bot and its users. Each transport has a file in `transports/`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transport {
    /// The vendor-neutral identifier, such as `p2p_webrtc`.
    pub id: String,
    /// The framework's own name, if different. Accepted wherever `id` is accepted.
    pub alias: Option<String>,
    /// The display name.
    pub label: String,
    /// The web page for creating API keys, if there is one.
    pub site: Option<String>,
    /// The type of client that the transport serves.
    pub bot_type: BotType,
    /// The position in the list for its bot type, starting at 1.
    pub order: u8,
    /// The identifier without `_dialin` or `_dialout`. Together with a direction option, this name selects the transport.
    pub family: Option<String>,
    /// The framework's own name for `family`. Accepted wherever `family` is accepted.
    pub family_alias: Option<String>,
    /// The key in the runner's `transport_params`, and the value of the runner's `-t` option.
    pub runner_key: String,
    /// The required extras of the `pipecat-ai` package.
    #[serde(default)]
    pub extras: Vec<String>,
    /// Additional package requirements, each with a lower and an upper version bound.
    #[serde(default)]
    pub packages: Vec<String>,
    /// The Python module of the parameter class.
    pub module: String,
    /// The parameter class.
    pub class: String,
    /// Names that identify the transport in a project's Python code, including handwritten code. A single match is enough.
    #[serde(default)]
    pub known_by: Vec<String>,
    /// Additional imports that `args` needs: the names imported from each module.
    #[serde(default)]
    pub imports: BTreeMap<String, Vec<String>>,
    /// Arguments for the parameter class, in addition to the audio and video switches.
    #[serde(default)]
    pub args: Vec<Arg>,
    /// The environment variables that the runner or the bot reads for the transport, in order.
    #[serde(default)]
    pub env: Vec<TransportVariable>,
    /// The transport in the web client, if a package is published for it.
    pub client: Option<ClientTransport>,
    /// An additional option for the bot's program, such as `--whatsapp`.
    pub run_option: Option<String>,
    /// The method by which the bot receives the user's video.
    #[serde(default)]
    pub pictures: Pictures,
    /// The rule for recognizing sessions without a client, if the transport has such sessions. Because no client reports when it is ready,
    /// the bot greets the user on connection.
    pub no_client: Option<NoClient>,
    /// Whether the framework omits the connected client from the arguments of connection handlers.
    #[serde(default)]
    pub nameless_clients: bool,
    /// Whether a telephone carrier sends the audio of each call over a separate WebSocket.
    #[serde(default)]
    pub carrier: bool,
    /// The web server that creates a room for each call and starts the bot in that room.
    pub call_server: Option<CallServer>,
    /// The class that adds an avatar to the user's room. The bot itself creates this transport, because the framework's runner doesn't
    /// support it.
    pub avatar: Option<Avatar>,
    /// A sentence with advice for the user.
    pub note: Option<String>,
    /// A clause that explains why the hosting service can't start sessions on the transport. `None` if there is no such restriction.
    pub stays_behind: Option<String>,
    /// How a server of the user's own serves the transport. `None` if it can't.
    pub self_host: Option<SelfHost>,
    /// The partial template for the project's README, such as `partials/readme/livekit.md`. Without a partial, the README only contains the
    /// command that runs the bot.
    pub readme: Option<String>,
}

impl Transport {
    /// Returns the identifier and the label, such as `carrier_a (Twilio)`.
    pub fn named(&self) -> String {
        let label = self.label.replace(" (", ", ").replace(')', "");
        format!("{} ({label})", self.id)
    }

    /// Reports whether the hosting service can start sessions on the transport.
    pub fn starts_in_cloud(&self) -> bool {
        self.stays_behind.is_none()
    }

    /// Returns the options that make the bot's program serve only this transport, such as `-t webrtc --whatsapp`.
    pub fn run_options(&self) -> String {
        let further = self.run_option.iter().map(String::as_str);
        std::iter::once("-t")
            .chain([self.runner_key.as_str()])
            .chain(further)
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Reports whether the two transports can't be combined in one bot, because both need the same entry in the bot's runner.
    pub fn excludes(&self, other: &Self) -> bool {
        let both_call = [self, other]
            .iter()
            .all(|one| one.bot_type == BotType::Telephony);
        let one_is_avatar = self.avatar.is_some() || other.avatar.is_some();
        self.runner_key == other.runner_key && (both_call || one_is_avatar)
    }

    /// Returns the direction of calls, if the transport supports only one.
    pub fn direction(&self) -> Option<Direction> {
        self.call_server.as_ref().map(|server| server.direction)
    }
}

/// The rule by which `bot.py` recognizes a session without a client.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoClient {
    /// The class of the runner arguments for a session without a client.
    pub session: String,
    /// The partial that distinguishes sessions without a client, such as `partials/no_client/whatsapp.py`. Only needed if the class is also
    /// used for sessions with a client.
    pub partial: Option<String>,
}

/// The call handling for a transport in `server.py` and `bot.py`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallServer {
    /// The direction of calls.
    pub direction: Direction,
    /// The partial with the call-handling code for both programs, such as `partials/calls/daily_dialin.py`.
    pub partial: String,
}

/// The parts of `serve.py` for a transport, and what they need.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelfHost {
    /// The partial with the code, such as `partials/self_host/daily.py`.
    pub partial: String,
    /// Additional package requirements, each with a lower and an upper version bound.
    #[serde(default)]
    pub packages: Vec<String>,
    /// Additional environment variables.
    #[serde(default)]
    pub env: Vec<TransportVariable>,
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
    /// Returns the name used in options and files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::DialIn => "dial-in",
            Self::DialOut => "dial-out",
        }
    }
}

/// A transport in the web client.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientTransport {
    /// The npm package, such as `@pipecat-ai/daily-transport`.
    pub package: String,
    /// The version range of the package, such as `^1.6.9`.
    pub version: String,
    /// The exported class, if the client only needs a plain instance of it. The class opens the audio and video devices itself.
    pub class: Option<String>,
    /// The additional client files, if the client needs more than a class. The names are relative to `project/client/transports/`. The
    /// first file is a module with a function `load` that returns the transport.
    #[serde(default)]
    pub files: Vec<ClientFile>,
    /// Switches in the `/start` request, in addition to the transport's name.
    #[serde(default)]
    pub start: Vec<String>,
    /// A dependency of `package` that the client never uses. Client builds omit this dependency.
    pub unused: Option<String>,
    /// Advice for users of the client, shown in the project's README.
    pub note: Option<String>,
}

impl ClientTransport {
    /// Returns the module that exports `load`, such as `peer`.
    pub fn module(&self) -> Option<&str> {
        self.files.first()?.name.strip_suffix(".ts")
    }
}

/// A file in the web client for one transport.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientFile {
    /// The file name in the project's `client/src`, such as `peer.ts`.
    pub name: String,
    /// A description for the project's README.
    pub about: String,
}

/// The method by which a bot receives the user's video.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Pictures {
    /// The bot captures video from specific sources, which it requests by name.
    #[default]
    Captured,
    /// The bot subscribes to the users' streams.
    Subscribed,
    /// The transport carries no video in either direction.
    None,
}

/// An avatar transport that the bot creates itself. In the arguments, `session` is the bot's `aiohttp.ClientSession` and `runner_args` is
/// the room's `DailyRunnerArguments`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Avatar {
    /// The Python module that contains the class.
    pub module: String,
    /// The Python class. Its `params` argument is an instance of the transport's parameter class.
    pub class: String,
    /// Additional imports that `args` needs: the names imported from each module.
    #[serde(default)]
    pub imports: BTreeMap<String, Vec<String>>,
    /// The arguments other than `params`. Their variables are also listed in the transport's `env`.
    pub args: Vec<Arg>,
}

impl Avatar {
    /// Returns all imports as pairs of module and name.
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
    /// The variable's name.
    pub name: String,
    /// A description of the value.
    pub about: String,
    /// Whether the variable is a credential.
    #[serde(default)]
    pub secret: bool,
    /// The company that issues the value, if it isn't the transport's own company.
    pub owner: Option<Owner>,
    /// The default value.
    pub default: Option<String>,
    /// Whether the variable may be unset without a default. A variable that has no default and isn't optional is required.
    #[serde(default)]
    pub optional: bool,
    /// The program in the project that reads the variable.
    #[serde(default)]
    pub reader: Reader,
}

/// Another company whose key a transport also needs.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Owner {
    /// The company's name, such as `Daily`.
    pub label: String,
    /// The web page for creating the company's keys.
    pub site: String,
}

/// The programs in a generated project that read a variable.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reader {
    /// The bot, or the runner that serves it.
    #[default]
    Bot,
    /// The web server for the bot.
    Server,
    /// Both programs.
    Both,
}
