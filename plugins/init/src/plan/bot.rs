//! The `bot` template variable, which configures `bot.py`.

use std::collections::BTreeSet;

use bot_cli_templates::catalogue::{BotType, Reader, Service, Transport, Turns};
use serde_json::{Value, json};

use super::{arguments, imports, manifest};
use crate::config::{Config, Pipeline};
use crate::option_table::Feature;

/// The default input sample rate of a pipeline, in Hz.
const PIPELINE_RATE: u32 = 16_000;

/// The sample rate of a phone line, in Hz.
const TELEPHONE_RATE: u32 = 8000;

pub(super) fn variable(config: &Config) -> Value {
    let fixed = config
        .services()
        .find_map(|service| Some((service.input_rate?, service.label.as_str())));
    let (call_input_rate, call_input_of) = fixed.unwrap_or((TELEPHONE_RATE, ""));
    let input_rate = fixed.map(|(rate, _)| rate);
    let input_rate = input_rate.filter(|rate| *rate != PIPELINE_RATE);
    let transports = || config.transports.iter().copied();
    // Phone calls and web users in rooms share one key.
    let mut keys = BTreeSet::new();
    let entries = transports()
        .filter(|transport| transport.avatar.is_none() && keys.insert(&transport.runner_key))
        .map(|it| json!({ "runner_key": it.runner_key, "params": params(it) }));
    let without_client = transports()
        .filter_map(|transport| transport.no_client.as_ref())
        .map(|it| json!({ "session": it.session, "partial": it.partial }));
    json!({
        "medium": if config.bot_type == BotType::Telephony {
            "telephone"
        } else if config.has(Feature::VideoInput) || config.has(Feature::VideoOutput) {
            "voice and video"
        } else {
            "voice"
        },
        "entries": entries.collect::<Value>(),
        "vad": match &config.pipeline {
            Pipeline::Cascade { .. } => true,
            Pipeline::Realtime(service) => service.turns != Some(Turns::Service),
        },
        "avatar": config.video.is_some(),
        "video_size": config.video.and_then(|video| video.video_size),
        "carriers": transports().filter_map(carrier).collect::<Value>(),
        "transfers": transports().any(transfers),
        "streams": transports().any(|transport| transport.carrier),
        "plain_websocket": manifest::opens_plain_sockets(config),
        "call_input_rate": hertz(call_input_rate),
        "call_input_of": call_input_of,
        "input_rate": input_rate.map_or_else(String::new, hertz),
        "session": needs_session(config),
        // The user's machine may have no graphics processor.
        "local": config.services().any(Service::is_at_localhost),
        "avatar_room": transports().find_map(avatar_room),
        "without_client": without_client.collect::<Value>(),
        "nameless_clients": transports().any(|transport| transport.nameless_clients),
    })
}

pub(super) fn needs_session(config: &Config) -> bool {
    let mut args = config.services().flat_map(|service| &service.args);
    args.any(arguments::uses_session)
}

fn params(transport: &Transport) -> Value {
    let further = transport.imports.iter();
    let further = further.flat_map(|(module, names)| names.iter().map(move |name| (module, name)));
    let imports = further.chain([(&transport.module, &transport.class)]);
    json!({
        "class": transport.class,
        "pictures": transport.pictures,
        "arguments": arguments::listed(&transport.args, &[]),
        "imports": imports.map(|(module, name)| imports::line(module, name)).collect::<Vec<_>>(),
    })
}

/// Returns the template data for a transport that the bot creates itself, or `None` if the runner creates the transport.
fn avatar_room(transport: &Transport) -> Option<Value> {
    let avatar = transport.avatar.as_ref()?;
    let variables = arguments::variables(&avatar.args).into_iter();
    let imports = (avatar.names())
        .map(|(module, name)| imports::line(module, name))
        .chain(variables.map(|name| imports::line("services", name)));
    Some(json!({
        "class": avatar.class,
        "arguments": arguments::listed(&avatar.args, &[]),
        "params": params(transport),
        "imports": imports.collect::<Vec<_>>(),
    }))
}

/// Returns the transport's entry in the `CARRIERS` table of `bot.py`, if any. A streaming carrier always has an entry, because `bot.py`
/// looks up the carrier's name.
fn carrier(transport: &Transport) -> Option<Value> {
    let needs: Vec<&str> = transport
        .env
        .iter()
        .filter(|variable| variable.default.is_none() && !variable.optional)
        .filter(|variable| variable.reader != Reader::Server)
        .map(|variable| variable.name.as_str())
        .collect();
    let has_entry = transport.carrier || transport.call_server.is_some() && !needs.is_empty();
    has_entry.then(|| json!({ "runner_key": transport.runner_key, "needs": needs }))
}

/// Reports whether the bot can transfer calls, either through its call server or through a carrier with a variable for transfers.
fn transfers(transport: &Transport) -> bool {
    let mut names = transport.env.iter().map(|variable| &variable.name);
    transport.call_server.is_some() || names.any(|name| name.contains("TRANSFER"))
}

/// Formats a rate in Hz as a Python literal, such as `8_000`.
fn hertz(rate: u32) -> String {
    format!("{}_{:03}", rate / 1000, rate % 1000)
}
