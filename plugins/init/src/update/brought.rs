//! Whether a project has what its recorded options bring, and nothing that others bring: a conflict may have been resolved without it, or
//! with the record of one branch and the code of both.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use bot_cli_templates::catalogue::{BotType, Kind, Service};

use super::Review;
use super::walk::ending;
use crate::config::{Client, Config, Pipeline};
use crate::draft::Draft;
use crate::merge::words;
use crate::option_table::Feature;
use crate::plan::{self, PlannedFile};

const BOT: &str = "server/bot.py";
const SERVICES: &str = "server/services.py";

/// Returns what is not there of each feature that is on: a file, or the use of a name in `bot.py`.
pub(crate) fn missing(target: &Path, config: &Config, planned: &[PlannedFile]) -> Vec<Review> {
    let bot = fs::read_to_string(target.join(BOT)).ok();
    let used: Option<BTreeSet<&str>> = bot
        .as_deref()
        .map(|bot| code(bot).flat_map(words).collect());
    let mut missing = Vec::new();
    for feature in Feature::ALL {
        let without = Config {
            features: config.features.with(feature, false),
            ..config.clone()
        };
        // Others may need it.
        let Some(other) = plan::scaffold(&without)
            .ok()
            .filter(|_| config.has(feature))
        else {
            continue;
        };
        let other: BTreeMap<&str, &str> = (other.files.iter())
            .map(|file| (file.path.as_str(), file.text.as_str()))
            .collect();
        let mut note = |path: &str, what: &str| {
            missing.push(Review {
                path: Some(path.to_owned()),
                line: None,
                note: format!("`{}` is on, and {what}", feature.row().key),
            });
        };
        for file in planned {
            match (other.get(file.path.as_str()), &used) {
                (None, _) if !target.join(&file.path).is_file() => {
                    note(&file.path, "this file of it is not there");
                }
                (Some(other), Some(used)) if file.path == BOT => {
                    let known: BTreeSet<&str> = words(other).collect();
                    let names = imported(&file.text).filter(|name| !known.contains(name));
                    for name in names.filter(|name| !used.contains(name)) {
                        note(BOT, &format!("nothing here uses `{name}`"));
                    }
                }
                _ => {}
            }
        }
    }
    missing
}

/// Returns the options that the code has and `config` lacks: those of which everything is there.
pub(crate) fn unrecorded(target: &Path, config: &Config) -> Draft {
    let mut found = services(target, config);
    let Ok(without) = plan::scaffold(config) else {
        return found;
    };
    let has = |with: &Config| {
        plan::scaffold(with).is_ok_and(|with| is_there(target, &without.files, &with.files))
    };
    for feature in Feature::ALL {
        let with = Config {
            features: config.features.with(feature, true),
            ..config.clone()
        };
        if !config.has(feature) && has(&with) {
            *found.switches.slot(feature) = Some(true);
        }
    }
    let bot = fs::read_to_string(target.join(BOT)).unwrap_or_default();
    let mut transports = config.transports.clone();
    for transport in [BotType::Web, BotType::Telephony]
        .into_iter()
        .flat_map(|bot_type| config.catalogue.transports(bot_type))
        .filter(|one| bot.contains(&format!("\"{}\"", one.runner_key)))
    {
        let mut with = config.clone();
        with.transports.push(transport);
        with.bot_type = with.bot_type.max(transport.bot_type);
        let mut recorded = config.transports.iter();
        let is_new = recorded.all(|one| one.id != transport.id && !transport.excludes(one));
        if is_new && has(&with) {
            transports.push(transport);
        }
    }
    if transports.len() > config.transports.len() {
        let ids = transports.iter().map(|transport| transport.id.clone());
        found.transports = Some(ids.collect());
    }
    for client in [Client::Vanilla, Client::ReactVite, Client::ReactNextjs] {
        let with = Config {
            client,
            ..config.clone()
        };
        if config.client == Client::None && has(&with) {
            found.client_framework = Some(client.framework().to_owned());
            found.client_server = client.server().map(str::to_owned);
        }
    }
    found
}

/// Returns the services of the catalogue in the code, of each kind of which the configuration's is not there.
fn services(target: &Path, config: &Config) -> Draft {
    let files = [BOT, SERVICES].map(|path| fs::read_to_string(target.join(path)));
    let files: Vec<String> = files.into_iter().flatten().collect();
    let used: BTreeSet<&str> = files.iter().flat_map(|text| words(text)).collect();
    let is_used = |service: &&Service| used.contains(service.class.as_str());
    let is_recorded = |kind| {
        config
            .services()
            .filter(move |service| service.kind == kind)
    };
    let mut found = Draft::default();
    let cascade = [
        (Kind::Stt, &mut found.stt_service),
        (Kind::Llm, &mut found.llm_service),
        (Kind::Tts, &mut found.tts_service),
    ];
    let realtime = [(Kind::Realtime, &mut found.realtime_service)];
    let video = [(Kind::Video, &mut found.video_service)];
    let is_pipeline = |service: &&Service| service.kind != Kind::Video;
    // Services of the other kind of pipeline beside those of this one are the user's own.
    let is_other = !config
        .services()
        .filter(is_pipeline)
        .any(|one| is_used(&one));
    let is_cascade = matches!(config.pipeline, Pipeline::Cascade { .. });
    let kinds = cascade.into_iter().filter(|_| is_cascade || is_other);
    let kinds = kinds.chain(realtime.into_iter().filter(|_| !is_cascade || is_other));
    for (kind, place) in kinds.chain(video) {
        if !is_recorded(kind).any(|service| is_used(&service)) {
            let mut others = config.catalogue.services(kind).filter(is_used);
            *place = others.next().map(|service| service.id.clone());
        }
    }
    found
}

/// Tells whether everything is in the project that files have `with` an option, and do not have `without` it: each file, and each name in
/// the Python.
fn is_there(target: &Path, without: &[PlannedFile], with: &[PlannedFile]) -> bool {
    let mut is_known = false;
    for file in with {
        let before = without.iter().find(|other| other.path == file.path);
        let Some(before) = before else {
            if !target.join(&file.path).is_file() {
                return false;
            }
            is_known = true;
            continue;
        };
        if ending(&file.path) != "py" || before.text == file.text {
            continue;
        }
        let there = fs::read_to_string(target.join(&file.path)).unwrap_or_default();
        let [before, with, there]: [BTreeSet<&str>; 3] =
            [&before.text, &file.text, &there].map(|text| code(text).flat_map(words).collect());
        let mut brought = with.difference(&before).peekable();
        is_known |= brought.peek().is_some();
        if !brought.all(|word| there.contains(word)) {
            return false;
        }
    }
    is_known
}

/// The lines that import nothing.
fn code(text: &str) -> impl Iterator<Item = &str> {
    let is_prose = |line: &&str| {
        ["from ", "import ", "\"\"\"", "#", "Transport: "]
            .iter()
            .any(|begins| line.starts_with(begins))
    };
    text.lines().filter(move |line| !is_prose(line))
}

/// The names that statements of one line import.
fn imported(text: &str) -> impl Iterator<Item = &str> {
    let imports = text.lines().filter(|line| line.starts_with("from "));
    imports
        .filter_map(|line| Some(line.split_once(" import ")?.1))
        .flat_map(words)
}
