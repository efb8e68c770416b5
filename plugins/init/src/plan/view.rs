//! The variables of the project's templates: the configuration in a reader's words.

use std::borrow::Cow;

use bot_cli_templates::catalogue::{BotType, Kind, Pictures, Service};
use serde::Serialize;

use super::PlanError;
use super::arguments::{self, Argument};
use super::imports;
use super::manifest;
use super::requirements::Requirements;
use super::settings::Settings;
use super::variables::{self, Reading, VariableGroup};
use crate::config::{Client, Config, Pipeline};
use crate::option_table::Features;
use bot::BotView;

mod bot;

/// The context of every template below `templates/project`, documented in `templates/README.md`.
#[derive(Debug, Clone, Serialize)]
pub struct ProjectView<'c> {
    /// The project's name as the user wrote it: any text. Only ever through a filter.
    pub name: String,
    /// `[a-z0-9-]`: the package and the agent.
    pub slug: String,
    /// `telephony` where a transport brings telephone calls, else `web`: a bot that is meant for the telephone can be tried in a browser first.
    pub bot_type: &'static str,
    /// `cascade` or `realtime`.
    pub mode: &'static str,
    /// The transports, in the user's order.
    pub transports: Vec<TransportView>,
    /// The transport whose calls `server/server.py` brings to the bot: `hosted_rtc_pstn_dialin`; or nothing.
    pub call_server: &'static str,
    /// The handling of these calls, or nothing.
    pub room_call: Option<RoomCallView>,
    /// The AI services in the order of the pipeline: stt, llm, tts; or the realtime service.
    pub services: Vec<ServiceView<'c>>,
    /// The web client: `none`, `react_vite`, `react_nextjs` or `vanilla`.
    pub client: &'static str,
    /// The transports that the web client offers, in the user's order.
    pub client_transports: Vec<ClientTransportView>,
    /// A variable for each: `recording`, `deploy`, as the table of options names them.
    #[serde(flatten)]
    pub features: Features,
    /// `.bot-cli/` keeps how the project was made.
    pub recorded: bool,
    /// The address below which the files of the newest release of `bot-cli` lie; empty while nothing is published.
    pub releases: &'static str,
    /// The environment variables, grouped by who they belong to, each once.
    pub env: Vec<VariableGroup>,
    /// The variables that `server/server.py` reads and the bot does not.
    pub server_variables: Vec<String>,
    /// The requirements in `pyproject.toml`.
    pub python: Requirements,
    /// The environment variables that `services.py` reads.
    pub settings: Settings,
    /// The choices behind `bot.py`.
    pub bot: BotView<'c>,
    /// The generated files in the order of their paths, guides not among them.
    pub files: Vec<FileView>,
}

/// A chosen transport.
#[derive(Debug, Clone, Serialize)]
pub struct TransportView {
    /// `p2p_webrtc`.
    pub id: &'static str,
    /// `SmallWebRTC`.
    pub label: &'static str,
    /// The options with which the bot serves it alone: `-t webrtc`.
    pub run_options: String,
    /// One sentence that its user should know.
    pub note: Option<&'static str>,
    /// Why the hosting service can't start a session on it.
    pub stays_behind: Option<&'static str>,
    /// The partial with its passages of the project's README.
    pub readme: &'static str,
}

/// The passages of a transport that names no partial for them.
const PLAIN_README: &str = "partials/readme/plain.md";

/// The handling of calls in rooms.
#[derive(Debug, Clone, Serialize)]
pub struct RoomCallView {
    /// `dial-in` or `dial-out`.
    pub direction: &'static str,
    /// The partial with all that these calls alone need.
    pub partial: &'static str,
}

/// A chosen transport for which a client package is published.
#[derive(Debug, Clone, Serialize)]
pub struct ClientTransportView {
    /// `SmallWebRTC`.
    pub label: &'static str,
    /// The transport that the client requests: `webrtc`.
    pub runner_key: &'static str,
    /// Whether it carries pictures.
    pub pictures: bool,
    /// `@pipecat-ai/small-webrtc-transport`.
    pub package: &'static str,
    /// `^1.10.8`.
    pub version: &'static str,
    /// The class of the package; nothing where the client has a module for it.
    pub class: Option<&'static str>,
    /// The client's module: `peer`.
    pub module: Option<&'static str>,
    /// Switches of the request to `/start`.
    pub start: &'static [String],
    /// The package that builds leave out of this one.
    pub unused: Option<&'static str>,
    /// Advice for the user of the client.
    pub note: Option<&'static str>,
}

/// A chosen AI service.
#[derive(Debug, Clone, Serialize)]
pub struct ServiceView<'c> {
    /// `deepgram_stt`.
    pub id: &'c str,
    /// `stt`, `llm`, `tts`, `realtime` or `video`.
    pub kind: &'static str,
    /// `Speech-to-text`.
    pub role: &'static str,
    /// `Deepgram`, `OpenAI Responses`.
    pub label: &'c str,
    /// `Deepgram`: the company or project behind it.
    pub provider: &'c str,
    /// The page on which a key is created, or the documentation.
    pub site: &'c str,
    /// The provider pack that brings it, with its version: `acme 1.2.0`; nothing where it is built in.
    pub pack: String,
    /// One sentence that its user should know, as Markdown.
    pub note: Option<String>,
    /// How functions are passed to it beside `TOOLS`, as Markdown.
    pub functions: Option<String>,
    /// Why not to choose it any more, as Markdown.
    pub deprecated: Option<String>,
    /// The variable that holds it in `run_bot`: `stt`, `llm`, `tts` or `video`.
    pub variable: &'static str,
    /// `DeepgramSTTService`.
    pub class: &'c str,
    /// The arguments of the class.
    pub arguments: Vec<Argument>,
    /// The import statements of the code that makes it.
    pub imports: Vec<String>,
    /// Whether an argument is the bot's `aiohttp.ClientSession`.
    pub session: bool,
}

/// A generated file.
#[derive(Debug, Clone, Serialize)]
pub struct FileView {
    /// Relative to the target, with `/`.
    pub path: Cow<'static, str>,
    /// A description, in a few words.
    pub about: &'static str,
}

impl<'c> ProjectView<'c> {
    pub(super) fn new(config: &Config<'c>) -> Result<Self, PlanError> {
        let brings_calls =
            (config.transports.iter()).any(|transport| transport.bot_type == BotType::Telephony);
        let readings = variables::all_readings(config)?;
        let bot = BotView::new(config)?;
        let with_server =
            (config.transports.iter()).find(|transport| transport.call_server.is_some());
        Ok(Self {
            name: config.project_name.clone(),
            slug: config.slug.clone(),
            bot_type: if brings_calls { "telephony" } else { "web" },
            mode: match config.pipeline {
                Pipeline::Cascade { .. } => "cascade",
                Pipeline::Realtime(_) => "realtime",
            },
            transports: config
                .transports
                .iter()
                .map(|transport| TransportView {
                    id: &transport.id,
                    label: &transport.label,
                    run_options: transport.run_options(),
                    note: transport.note.as_deref(),
                    stays_behind: transport.stays_behind.as_deref(),
                    readme: transport.readme.as_deref().unwrap_or(PLAIN_README),
                })
                .collect(),
            call_server: with_server.map_or("", |transport| transport.id.as_str()),
            room_call: with_server
                .and_then(|transport| transport.call_server.as_ref())
                .map(|server| RoomCallView {
                    direction: server.direction.name(),
                    partial: &server.partial,
                }),
            services: config
                .services()
                .map(|service| ServiceView::new(config, service, &readings))
                .collect::<Result<_, _>>()?,
            client: match config.client {
                Client::None => "none",
                Client::ReactVite => "react_vite",
                Client::ReactNextjs => "react_nextjs",
                Client::Vanilla => "vanilla",
            },
            client_transports: config
                .transports
                .iter()
                .filter_map(|transport| {
                    let client = transport.client.as_ref()?;
                    Some(ClientTransportView {
                        label: &transport.label,
                        runner_key: &transport.runner_key,
                        pictures: transport.pictures != Pictures::None,
                        package: &client.package,
                        version: &client.version,
                        class: client.class.as_deref(),
                        module: client.module(),
                        start: &client.start,
                        unused: client.unused.as_deref(),
                        note: client.note.as_deref(),
                    })
                })
                .collect(),
            features: config.features,
            recorded: config.recorded,
            releases: env!("CARGO_PKG_HOMEPAGE"),
            env: variables::groups(config, &readings)?,
            server_variables: variables::of_the_call_server_alone(config),
            python: Requirements::new(config, bot.session || bot.avatar_room.is_some())?,
            settings: Settings::new(config, &readings)?,
            bot,
            files: manifest::files_of(config)
                .into_iter()
                .map(|entry| FileView {
                    path: entry.path,
                    about: entry.about,
                })
                .collect(),
        })
    }
}

impl<'c> ServiceView<'c> {
    fn new(
        config: &Config<'c>,
        service: &'c Service,
        readings: &[Reading],
    ) -> Result<Self, PlanError> {
        let provider = variables::provider_of(config, service)?;
        let pack = config.catalogue.pack_of(service);
        let arguments = arguments::of_service(service, readings)?;
        Ok(Self {
            id: &service.id,
            kind: service.kind.name(),
            variable: match service.kind {
                Kind::Llm | Kind::Realtime => "llm",
                other @ (Kind::Stt | Kind::Tts | Kind::Video) => other.name(),
            },
            role: match service.kind {
                Kind::Stt => "Speech-to-text",
                Kind::Llm => "Language model",
                Kind::Tts => "Text-to-speech",
                Kind::Realtime => "Speech-to-speech",
                Kind::Video => "Video avatar",
            },
            label: &service.label,
            provider: &provider.label,
            site: &provider.site,
            pack: pack.map_or_else(String::new, |pack| {
                format!("{} {}", pack.name, pack.version)
            }),
            note: service
                .note
                .as_deref()
                .map(|text| variables::markdown(text, pack)),
            functions: service
                .functions
                .as_deref()
                .map(|text| variables::markdown(text, pack)),
            deprecated: service
                .deprecated
                .as_deref()
                .map(|text| variables::markdown(text, pack)),
            class: &service.class,
            imports: imports_of(service, &arguments),
            arguments,
            session: service.args.iter().any(arguments::uses_session),
        })
    }
}

fn imports_of(service: &Service, arguments: &[Argument]) -> Vec<String> {
    let mut lines = vec![imports::line(&service.module, &service.class)];
    for (module, names) in &service.imports {
        lines.extend(names.iter().map(|name| imports::line(module, name)));
    }
    if service.args.iter().any(arguments::uses_session) {
        lines.push("import aiohttp".to_owned());
    }
    if arguments.iter().any(Argument::may_be_not_given) {
        lines.push(imports::line("pipecat.utils.types", "NOT_GIVEN"));
    }
    lines
}
