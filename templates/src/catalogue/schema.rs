//! The schema of the files in `transports/`. The schema of `providers/` is in [`crate::pack`]. Unknown keys are rejected.

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

/// A file in `transports/`. It describes how audio reaches the bot.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transport {
    /// The neutral name, such as `p2p_webrtc`.
    pub id: String,
    /// The framework's own name, if different. It is accepted wherever `id` is.
    pub alias: Option<String>,
    /// The display name.
    pub label: String,
    /// The page for creating its keys, if there is one.
    pub site: Option<String>,
    /// The type of users.
    pub bot_type: BotType,
    /// The position in the list for its bot type, from 1.
    pub order: u8,
    /// The name before `_dialin` or `_dialout`, which selects this transport together with a direction option.
    pub family: Option<String>,
    /// The framework's own name for `family`. It is accepted wherever `family` is.
    pub family_alias: Option<String>,
    /// The key in the runner's `transport_params`, and the value of the runner's `-t`.
    pub runner_key: String,
    /// Extras of the `pipecat-ai` package.
    #[serde(default)]
    pub extras: Vec<String>,
    /// Additional requirements, each with a lower and an upper bound.
    #[serde(default)]
    pub packages: Vec<String>,
    /// The Python module of the parameter class.
    pub module: String,
    /// The parameter class.
    pub class: String,
    /// Names that identify the transport in a project's Python code, even if the code is handwritten. One match is enough.
    #[serde(default)]
    pub known_by: Vec<String>,
    /// Further names used in `args`, by module.
    #[serde(default)]
    pub imports: BTreeMap<String, Vec<String>>,
    /// Arguments of the parameter class in addition to the audio and video switches.
    #[serde(default)]
    pub args: Vec<Arg>,
    /// The environment variables that the runner or the bot reads for the transport, in order.
    #[serde(default)]
    pub env: Vec<TransportVariable>,
    /// The transport in the web client, if a package is published for it.
    pub client: Option<ClientTransport>,
    /// An additional option for the bot's program, such as `--whatsapp`.
    pub run_option: Option<String>,
    /// The way in which the bot receives the user's video.
    #[serde(default)]
    pub pictures: Pictures,
    /// Set if sessions may have no client that reports when it is ready. The bot then greets the user on connection.
    pub no_client: Option<NoClient>,
    /// Whether the framework calls the connection handlers without the connected client as an argument.
    #[serde(default)]
    pub nameless_clients: bool,
    /// Whether a telephone carrier sends the audio of each call over its own WebSocket.
    #[serde(default)]
    pub carrier: bool,
    /// The web server that creates a room for each call and starts the bot in it.
    pub call_server: Option<CallServer>,
    /// The class that adds an avatar to the user's room. The bot creates the transport, because the framework's runner doesn't support it.
    pub avatar: Option<Avatar>,
    /// A sentence with advice for the user.
    pub note: Option<String>,
    /// A clause that explains why the hosting service can't start sessions on the transport, if it can't.
    pub stays_behind: Option<String>,
    /// The partial for the project's README, such as `partials/readme/livekit.md`. Without it, the README only has the command that runs
    /// the bot.
    pub readme: Option<String>,
}

impl Transport {
    /// Returns the identifier and the label, such as `carrier_a (Twilio)`.
    #[must_use]
    pub fn named(&self) -> String {
        let label = self.label.replace(" (", ", ").replace(')', "");
        format!("{} ({label})", self.id)
    }

    /// Reports whether the hosting service can start sessions on the transport.
    #[must_use]
    pub fn starts_in_cloud(&self) -> bool {
        self.stays_behind.is_none()
    }

    /// Returns the options with which the bot's program serves only this transport, such as `-t webrtc --whatsapp`.
    #[must_use]
    pub fn run_options(&self) -> String {
        let further = self.run_option.iter().map(String::as_str);
        std::iter::once("-t")
            .chain([self.runner_key.as_str()])
            .chain(further)
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Reports whether the transports can't be combined in one bot, because both need the same entry in its runner.
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
    /// The class of the runner's arguments for such a session.
    pub session: String,
    /// The partial that distinguishes such sessions if the class also has sessions with a client: `partials/no_client/whatsapp.py`.
    pub partial: Option<String>,
}

/// The handling of a transport's calls in `server.py` and `bot.py`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallServer {
    /// The direction of calls.
    pub direction: Direction,
    /// The partial with the code for these calls in both programs, such as `partials/calls/daily_dialin.py`.
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
    /// Returns the name in options and files.
    #[must_use]
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
    /// The exported class, if the client only needs a plain instance of it. The class opens the devices itself.
    pub class: Option<String>,
    /// The additional client files, if the client needs more than a class. The names are relative to `project/client/transports/`. The
    /// first file is a module with a function `load` that returns the transport.
    #[serde(default)]
    pub files: Vec<ClientFile>,
    /// Switches in the `/start` request, in addition to the name of the transport.
    #[serde(default)]
    pub start: Vec<String>,
    /// A package that `package` imports but the client never runs. Builds omit it.
    pub unused: Option<String>,
    /// Advice for the client's user, in the project's README.
    pub note: Option<String>,
}

impl ClientTransport {
    /// Returns the module that exports `load`, such as `peer`.
    #[must_use]
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

/// The way in which a bot receives the user's video.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Pictures {
    /// The bot captures video from the sources that it names.
    #[default]
    Captured,
    /// The bot subscribes to the users' streams.
    Subscribed,
    /// The transport carries no video in either direction.
    None,
}

/// The class of a transport that the bot creates itself. In its arguments, `session` is the bot's `aiohttp.ClientSession` and
/// `runner_args` is the room's `DailyRunnerArguments`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Avatar {
    /// The Python module of the class.
    pub module: String,
    /// The class. Its argument `params` is an instance of the transport's parameter class.
    pub class: String,
    /// Further names used in `args`, by module.
    #[serde(default)]
    pub imports: BTreeMap<String, Vec<String>>,
    /// The arguments in addition to `params`. Their variables are also in the transport's `env`.
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
    /// The owner of the variable, if it isn't the transport's company.
    pub owner: Option<Owner>,
    /// The default value.
    pub default: Option<String>,
    /// Whether the variable may be unset without a default. A variable that has no default and isn't optional is required.
    #[serde(default)]
    pub optional: bool,
    /// The program of the project that reads the variable.
    #[serde(default)]
    pub reader: Reader,
}

/// Another company whose key a transport also needs.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Owner {
    /// The company's name, such as `Daily`.
    pub label: String,
    /// The page for creating its keys.
    pub site: String,
}

/// A program of a project.
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
