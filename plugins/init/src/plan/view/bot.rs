//! The choices behind `bot.py`.

use std::collections::BTreeSet;

use bot_cli_templates::catalogue::{BotType, Pictures, Reader, Transport, Turns};
use serde::Serialize;

use super::super::PlanError;
use super::super::arguments::{self, Argument};
use super::super::{imports, manifest};
use crate::config::{Config, Pipeline};
use crate::option_table::Feature;

/// The rate, in Hz, at which a pipeline takes sound unless it is told another.
const PIPELINE_RATE: u32 = 16_000;

/// The rate of a telephone line, in Hz.
const TELEPHONE_RATE: u32 = 8000;

/// The variables of the template of `bot.py`.
#[derive(Debug, Clone, Serialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a question of its own to the template"
)]
pub struct BotView<'c> {
    /// `telephone`, `voice` or `voice and video`.
    pub medium: &'static str,
    /// One entry for each key of the runner.
    pub entries: Vec<EntryView<'c>>,
    /// The bot's own analyzers find the turns of the user.
    pub vad: bool,
    /// A video service shows a face.
    pub avatar: bool,
    /// Width and height of the picture that the video service sends, or nothing.
    pub video_size: Option<[u32; 2]>,
    /// The keys of the runner under which calls come.
    pub carriers: Vec<CarrierView<'c>>,
    /// A carrier streams the sound of its calls.
    pub streams: bool,
    /// Browsers and programs open a WebSocket, which the hosting service does not tell from a carrier's.
    pub plain_websocket: bool,
    /// The rate, in Hz, at which a call's sound reaches the services: `8_000`.
    pub call_input_rate: String,
    /// The service that sets it, where it is not the telephone's own.
    pub call_input_of: String,
    /// The same for sound that is no call's, where the pipeline's own rate would not do: `24_000`; or nothing.
    pub input_rate: String,
    /// A service needs an aiohttp session.
    pub session: bool,
    /// The transport that the bot makes by itself, or nothing.
    pub avatar_room: Option<AvatarView<'c>>,
    /// The sessions at whose other end nobody says when they are ready.
    pub without_client: Vec<NoClientView<'c>>,
    /// The handlers of a connection may be called without a client.
    pub nameless_clients: bool,
}

/// An entry of `TRANSPORT_PARAMS`.
#[derive(Debug, Clone, Serialize)]
pub struct EntryView<'c> {
    /// `webrtc`.
    pub runner_key: &'c str,
    /// The object that it makes.
    pub params: ParamsView<'c>,
}

/// An object of a transport's parameter class.
#[derive(Debug, Clone, Serialize)]
pub struct ParamsView<'c> {
    /// `DailyParams`.
    pub class: &'c str,
    /// The way of the user's pictures to the bot: `captured`, `subscribed` or `none`.
    pub pictures: Pictures,
    /// The arguments beside the audio and video switches.
    pub arguments: Vec<Argument>,
    /// The import statements of the code that makes it.
    pub imports: Vec<String>,
}

/// The transport of an avatar, which the bot makes by itself.
#[derive(Debug, Clone, Serialize)]
pub struct AvatarView<'c> {
    /// `LemonSliceTransport`.
    pub class: &'c str,
    /// The arguments beside `params`.
    pub arguments: Vec<Argument>,
    /// The argument `params`.
    pub params: ParamsView<'c>,
    /// The import statements of the code that makes it.
    pub imports: Vec<String>,
}

/// A key of the runner under which calls come.
#[derive(Debug, Clone, Serialize)]
pub struct CarrierView<'c> {
    /// `twilio`.
    pub runner_key: &'c str,
    /// The variables without which a call fails.
    pub needs: Vec<&'c str>,
}

/// Sessions without a client.
#[derive(Debug, Clone, Serialize)]
pub struct NoClientView<'c> {
    /// The class of the runner's arguments.
    pub session: &'c str,
    /// The partial that answers, where sessions of this class may have a client, too.
    pub partial: Option<&'c str>,
}

impl<'c> BotView<'c> {
    pub(super) fn new(config: &Config<'c>) -> Result<Self, PlanError> {
        let fixed = config
            .services()
            .find_map(|service| Some((service.input_rate?, service.label.clone())));
        let input_rate = fixed.as_ref().map(|(rate, _)| *rate);
        let input_rate = input_rate.filter(|rate| *rate != PIPELINE_RATE);
        let (call_input_rate, call_input_of) = fixed.unwrap_or((TELEPHONE_RATE, String::new()));
        let transports = || config.transports.iter().copied();
        Ok(Self {
            medium: if config.bot_type == BotType::Telephony {
                "telephone"
            } else if config.has(Feature::VideoInput) || config.has(Feature::VideoOutput) {
                "voice and video"
            } else {
                "voice"
            },
            entries: entries(config)?,
            vad: match &config.pipeline {
                Pipeline::Cascade { .. } => true,
                Pipeline::Realtime(service) => service.turns != Some(Turns::Service),
            },
            avatar: config.video.is_some(),
            video_size: config.video.and_then(|video| video.video_size),
            carriers: transports().filter_map(carrier).collect(),
            streams: transports().any(|transport| transport.carrier),
            plain_websocket: manifest::opens_plain_sockets(config),
            call_input_rate: hertz(call_input_rate),
            call_input_of,
            input_rate: input_rate.map_or_else(String::new, hertz),
            session: config
                .services()
                .any(|service| service.args.iter().any(arguments::uses_session)),
            avatar_room: transports()
                .find_map(|transport| avatar_room(transport))
                .transpose()?,
            without_client: transports()
                .filter_map(|transport| transport.no_client.as_ref())
                .map(|no_client| NoClientView {
                    session: &no_client.session,
                    partial: no_client.partial.as_deref(),
                })
                .collect(),
            nameless_clients: transports().any(|transport| transport.nameless_clients),
        })
    }
}

/// Returns one entry for each key: calls in rooms and people in rooms come through the same.
fn entries<'c>(config: &Config<'c>) -> Result<Vec<EntryView<'c>>, PlanError> {
    let mut keys = BTreeSet::new();
    config
        .transports
        .iter()
        .filter(|transport| transport.avatar.is_none() && keys.insert(&transport.runner_key))
        .map(|transport| {
            Ok(EntryView {
                runner_key: &transport.runner_key,
                params: params(transport)?,
            })
        })
        .collect()
}

fn params(transport: &Transport) -> Result<ParamsView<'_>, PlanError> {
    let further = transport.imports.iter();
    let further = further.flat_map(|(module, names)| names.iter().map(move |name| (module, name)));
    Ok(ParamsView {
        class: &transport.class,
        pictures: transport.pictures,
        arguments: arguments::listed(&transport.args, &[])?,
        imports: further
            .chain([(&transport.module, &transport.class)])
            .map(|(module, name)| imports::line(module, name))
            .collect(),
    })
}

fn avatar_room(transport: &Transport) -> Option<Result<AvatarView<'_>, PlanError>> {
    let avatar = transport.avatar.as_ref()?;
    let variables = arguments::variables(&avatar.args).into_iter();
    let view = || {
        Ok(AvatarView {
            class: &avatar.class,
            arguments: arguments::listed(&avatar.args, &[])?,
            params: params(transport)?,
            imports: (avatar.names())
                .map(|(module, name)| imports::line(module, name))
                .chain(variables.map(|name| imports::line("services", name)))
                .collect(),
        })
    };
    Some(view())
}

/// A carrier that streams has an entry in any case, since its name is looked up there.
fn carrier(transport: &Transport) -> Option<CarrierView<'_>> {
    let needs: Vec<&str> = transport
        .env
        .iter()
        .filter(|variable| variable.default.is_none() && !variable.optional)
        .filter(|variable| variable.reader != Reader::Server)
        .map(|variable| variable.name.as_str())
        .collect();
    let has_entry = transport.carrier || transport.call_server.is_some() && !needs.is_empty();
    has_entry.then_some(CarrierView {
        runner_key: &transport.runner_key,
        needs,
    })
}

/// A rate in Hz as Python writes it: `8_000`.
fn hertz(rate: u32) -> String {
    format!("{}_{:03}", rate / 1000, rate % 1000)
}
