//! The AI services of a bot.

use bot_cli_templates::catalogue::{BotType, Kind, Service};

use super::{Problems, did_you_mean, quoted, said};
use crate::catalogue::Catalogue;
use crate::config::Pipeline;
use crate::draft::Draft;

pub(super) fn pipeline<'c>(
    draft: &Draft,
    catalogue: &'c Catalogue,
    problems: &mut Problems,
) -> Option<Pipeline<'c>> {
    let mode = mode(draft, problems);
    let cascade_said =
        draft.stt_service.is_some() || draft.llm_service.is_some() || draft.tts_service.is_some();
    // While the mode is open, services that were named tell which others are missing.
    let cascade = mode == Some(Mode::Cascade)
        || mode.is_none() && cascade_said && draft.realtime_service.is_none();
    let realtime = mode == Some(Mode::Realtime);
    let mut named =
        |key: &str, value: Option<&String>, kind, needed: bool| match (said(value), needed) {
            (Some(raw), _) => service(key, raw, kind, catalogue, problems),
            (None, true) => {
                problems.missing(key);
                None
            }
            (None, false) => None,
        };
    let stt = named(
        "stt_service",
        draft.stt_service.as_ref(),
        Kind::Stt,
        cascade,
    );
    let llm = named(
        "llm_service",
        draft.llm_service.as_ref(),
        Kind::Llm,
        cascade,
    );
    let tts = named(
        "tts_service",
        draft.tts_service.as_ref(),
        Kind::Tts,
        cascade,
    );
    let speech = named(
        "realtime_service",
        draft.realtime_service.as_ref(),
        Kind::Realtime,
        realtime,
    );
    match mode? {
        Mode::Cascade => {
            if said(draft.realtime_service.as_ref()).is_some() {
                problems.add(
                    "realtime_service",
                    "only in mode `realtime`, and the mode is `cascade`",
                );
            }
            Some(Pipeline::Cascade {
                stt: stt?,
                llm: llm?,
                tts: tts?,
            })
        }
        Mode::Realtime => {
            for (key, value) in [
                ("stt_service", &draft.stt_service),
                ("llm_service", &draft.llm_service),
                ("tts_service", &draft.tts_service),
            ] {
                if said(value.as_ref()).is_some() {
                    problems.add(key, "only in mode `cascade`, and the mode is `realtime`");
                }
            }
            speech.map(Pipeline::Realtime)
        }
    }
}

pub(super) fn video<'c>(
    draft: &Draft,
    catalogue: &'c Catalogue,
    bot_type: Option<BotType>,
    problems: &mut Problems,
) -> Option<&'c Service> {
    let raw = said(draft.video_service.as_ref())?;
    if bot_type == Some(BotType::Telephony) {
        problems.add("video_service", "only for web bots");
    }
    service("video_service", raw, Kind::Video, catalogue, problems)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Cascade,
    Realtime,
}

fn mode(draft: &Draft, problems: &mut Problems) -> Option<Mode> {
    match said(draft.mode.as_ref()) {
        None => {
            problems.missing("mode");
            None
        }
        Some("cascade") => Some(Mode::Cascade),
        Some("realtime") => Some(Mode::Realtime),
        Some(other) => {
            let near = did_you_mean(other, ["cascade", "realtime"]);
            problems.add(
                "mode",
                format!(
                    "{} is neither `cascade` nor `realtime`{near}",
                    quoted(other)
                ),
            );
            None
        }
    }
}

fn service<'c>(
    key: &str,
    raw: &str,
    kind: Kind,
    catalogue: &'c Catalogue,
    problems: &mut Problems,
) -> Option<&'c Service> {
    let found = catalogue
        .services(kind)
        .find(|service| service.id == raw || service.alias.as_deref() == Some(raw));
    if found.is_none() {
        let other = catalogue.service(raw).map_or_else(
            || "no such service".to_owned(),
            |service| format!("that is {}, not {}", noun(service.kind), noun(kind)),
        );
        let near = did_you_mean(
            raw,
            catalogue.services(kind).map(|service| service.id.as_str()),
        );
        problems.add(key, format!("{}: {other}{near}", quoted(raw)));
    }
    found
}

const fn noun(kind: Kind) -> &'static str {
    match kind {
        Kind::Stt => "a speech-to-text service",
        Kind::Llm => "a language model service",
        Kind::Tts => "a text-to-speech service",
        Kind::Realtime => "a realtime service",
        Kind::Video => "a video service",
    }
}
