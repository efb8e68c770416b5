//! The AI services of a bot.

use std::collections::BTreeMap;

use bot_cli_templates::catalogue::{BotType, Kind, Service};

use super::{Problems, said};
use crate::catalogue::{Catalogue, belongs_to};
use crate::config::Pipeline;
use crate::draft::Draft;
use crate::wording::{did_you_mean, quoted};

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
    let from = From::of(draft, catalogue);
    let mut named =
        |key: &str, value: Option<&String>, kind, needed: bool| match (said(value), needed) {
            (Some(raw), _) => service(key, raw, kind, &from, problems),
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
    let raw = draft.video()?;
    if bot_type == Some(BotType::Telephony) {
        problems.add("video_service", "only for web bots");
    }
    service(
        "video_service",
        raw,
        Kind::Video,
        &From::of(draft, catalogue),
        problems,
    )
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Cascade,
    Realtime,
}

fn mode(draft: &Draft, problems: &mut Problems) -> Option<Mode> {
    match said(draft.mode.as_ref()) {
        None => {
            let services = [
                &draft.stt_service,
                &draft.llm_service,
                &draft.tts_service,
                &draft.realtime_service,
            ];
            let is_open = services.into_iter().all(Option::is_none);
            problems.missing_with(
                "mode",
                if is_open {
                    "`cascade` with --stt, --llm and --tts, or `realtime` with --realtime"
                } else {
                    "`cascade` or `realtime`"
                },
            );
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

/// The sources of services, now and when the configuration was made.
struct From<'c, 'd> {
    catalogue: &'c Catalogue,
    recorded: Option<&'d BTreeMap<String, String>>,
}

impl<'c, 'd> From<'c, 'd> {
    fn of(draft: &'d Draft, catalogue: &'c Catalogue) -> Self {
        Self {
            catalogue,
            recorded: draft.packs.as_ref(),
        }
    }
}

fn service<'c>(
    key: &str,
    raw: &str,
    kind: Kind,
    from: &From<'c, '_>,
    problems: &mut Problems,
) -> Option<&'c Service> {
    let found = from.catalogue.service(raw);
    let found = found.filter(|service| service.kind == kind);
    if found.is_none() {
        problems.add(
            key,
            format!("{}: {}", quoted(raw), unknown(raw, kind, from)),
        );
    }
    found
}

/// Why nothing of this kind has this name.
fn unknown(raw: &str, kind: Kind, from: &From<'_, '_>) -> String {
    let catalogue = from.catalogue;
    let near = || {
        let known = catalogue.services(kind).map(|service| service.id.as_str());
        did_you_mean(raw, known)
    };
    if let Some(service) = catalogue.service(raw) {
        let near = near();
        return format!("that is {}, not {}{near}", noun(service.kind), noun(kind));
    }
    if let Some(unused) = catalogue.why_unused(raw) {
        return unused.why();
    }
    let recorded = from
        .recorded
        .into_iter()
        .flatten()
        .filter(|(name, _)| belongs_to(raw, name))
        .max_by_key(|(name, _)| name.len());
    let pack = (catalogue.packs().iter())
        .filter(|pack| belongs_to(raw, &pack.name))
        .max_by_key(|pack| pack.name.len());
    match (pack, recorded) {
        (None, Some((name, version))) => {
            // Whoever wrote the file may have written anything.
            let name = quoted(name);
            let bare = name.trim_matches('`');
            let version = quoted(version);
            format!(
                "it is of the provider pack {name}, version {version}, which is not installed: put its file `bot-cli-pack-{bare}` \
                 into a folder of plugins, or its folder `{bare}` into `$XDG_DATA_HOME/bot-cli/packs`"
            )
        }
        (Some(pack), Some((name, version))) if *name == pack.name && *version != pack.version => {
            format!(
                "the {} has no such service, the configuration was made with version {}{}",
                pack.words(),
                quoted(version),
                near()
            )
        }
        (Some(pack), _) => format!("the {} has no such service{}", pack.words(), near()),
        (None, None) => {
            let near = near();
            let may_be_of_pack = near.is_empty() && raw.ends_with(ending(kind)) && is_plain(raw);
            let of_pack = if may_be_of_pack {
                "; services of provider packs begin with the pack's name, and no installed pack has this one"
            } else {
                ""
            };
            format!("no such service{near}{of_pack}")
        }
    }
}

fn is_plain(raw: &str) -> bool {
    let word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    raw.matches('_').count() >= 2 && raw.chars().all(word)
}

const fn ending(kind: Kind) -> &'static str {
    match kind {
        Kind::Stt => "_stt",
        Kind::Llm => "_llm",
        Kind::Tts => "_tts",
        Kind::Realtime => "_realtime",
        Kind::Video => "_video",
    }
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
