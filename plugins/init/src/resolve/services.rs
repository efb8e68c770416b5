//! Validates the choice of AI services.

use bot_cli_protocol::suggest;
use bot_cli_templates::catalogue::{BotType, Kind, Service};

use super::{Problems, word};
use crate::catalogue::{Catalogue, belongs_to};
use crate::config::Pipeline;
use crate::draft::Draft;
use crate::option_table::Setting;
use crate::plan::variables;
use crate::wording::{did_you_mean, quoted};

const CASCADE: [(&str, Kind); 3] = [
    ("stt_service", Kind::Stt),
    ("llm_service", Kind::Llm),
    ("tts_service", Kind::Tts),
];
const REALTIME: (&str, Kind) = ("realtime_service", Kind::Realtime);

pub(super) fn pipeline<'c>(
    draft: &Draft,
    catalogue: &'c Catalogue,
    problems: &mut Problems,
) -> Option<Pipeline<'c>> {
    let said = |key: &str| draft.services().find(|(named, _)| *named == key);
    let cascade_said = CASCADE.iter().any(|(key, _)| said(key).is_some());
    let realtime_said = said(REALTIME.0).is_some();
    let mode = word(Setting::Mode, draft, problems);
    if mode == Ok(None) {
        problems.missing_with(
            "mode",
            if cascade_said || realtime_said {
                "`cascade` or `realtime`"
            } else {
                "`cascade` with --stt, --llm and --tts, or `realtime` with --realtime"
            },
        );
    }
    let mode = mode.ok().flatten();
    // Without a mode, the named services determine which others are missing.
    let cascade = mode.map_or(cascade_said && !realtime_said, |mode| mode == "cascade");
    let realtime = mode == Some("realtime");
    let mut named = |(key, kind), is_needed: bool| {
        if let Some((_, raw)) = said(key) {
            return service(key, raw, kind, draft, catalogue, problems);
        }
        if is_needed {
            problems.missing(key);
        }
        None
    };
    let [stt, llm, tts] = CASCADE.map(|of_cascade| named(of_cascade, cascade));
    let speech = named(REALTIME, realtime);
    let mode = mode?;
    let (foreign, other) = match mode {
        "cascade" => (&[REALTIME][..], "realtime"),
        _ => (&CASCADE[..], "cascade"),
    };
    for (key, _) in foreign.iter().filter(|(key, _)| said(key).is_some()) {
        let problem = format!("only in mode `{other}`, and the mode is `{mode}`");
        problems.add(key, problem);
    }
    if realtime {
        return speech.map(Pipeline::Realtime);
    }
    Some(Pipeline::Cascade {
        stt: stt?,
        llm: llm?,
        tts: tts?,
    })
}

pub(super) fn video<'c>(
    draft: &Draft,
    catalogue: &'c Catalogue,
    bot_type: Option<BotType>,
    problems: &mut Problems,
) -> Option<&'c Service> {
    let raw = draft.video()?;
    let key = "video_service";
    if bot_type == Some(BotType::Telephony) {
        problems.add(key, "only for web bots");
    }
    service(key, raw, Kind::Video, draft, catalogue, problems)
}

fn service<'c>(
    key: &str,
    raw: &str,
    kind: Kind,
    draft: &Draft,
    catalogue: &'c Catalogue,
    problems: &mut Problems,
) -> Option<&'c Service> {
    let found = catalogue.service(raw);
    let found = found.filter(|service| service.kind == kind);
    if found.is_none() {
        let why = unknown(raw, kind, draft, catalogue);
        problems.add(key, format!("{}: {why}", quoted(raw)));
    }
    found
}

fn unknown(raw: &str, kind: Kind, draft: &Draft, catalogue: &Catalogue) -> String {
    let known = catalogue.services(kind).map(|service| service.id.as_str());
    let near = of_model(raw, kind, catalogue).unwrap_or_else(|| did_you_mean(raw, known));
    if let Some(service) = catalogue.service(raw) {
        return format!("that is {}, not {}{near}", noun(service.kind), noun(kind));
    }
    if let Some(unused) = catalogue.why_unused(raw) {
        return unused.words();
    }
    let pack = (catalogue.packs.iter())
        .filter(|pack| belongs_to(raw, &pack.name))
        .max_by_key(|pack| pack.name.len());
    if let Some(pack) = pack {
        let parts = catalogue.unread_parts(&pack.name);
        return match parts.as_slice() {
            [] => format!("the {} has no such service{near}", pack.words()),
            parts => format!(
                "the {} has no such service; these parts of it can't be used: {}",
                pack.words(),
                parts.join("; ")
            ),
        };
    }
    let mut recorded = draft.packs.iter().flatten();
    if let Some((name, source)) = recorded.find(|(name, _)| belongs_to(raw, name)) {
        return format!(
            "it is of the provider pack {}, version {}, which is not installed",
            quoted(name),
            quoted(&source.version)
        );
    }
    format!("no such service{near}")
}

/// Returns the hints on installing the recorded packs that the services need, one per pack.
pub(crate) fn missing_packs(draft: &Draft, catalogue: &Catalogue) -> Vec<String> {
    let is_there = |name: &str| {
        let unused = catalogue.unused.iter().map(|unused| &unused.pack);
        let mut packs = catalogue.packs.iter().map(|pack| &pack.name).chain(unused);
        packs.any(|pack| pack == name)
    };
    let missing = draft.packs.iter().flatten().filter(|(name, _)| {
        !is_there(name) && draft.services().any(|(_, raw)| belongs_to(raw, name))
    });
    missing.map(|(name, source)| source.remedy(name)).collect()
}

/// Suggests the services that run the model `raw`, such as `gpt-4o` or `claude`. The service's identifier is still required.
fn of_model(raw: &str, kind: Kind, catalogue: &Catalogue) -> Option<String> {
    let raw = raw.to_lowercase();
    let runs = |service: &&Service| {
        service.models.iter().any(|family| {
            let family = family.to_lowercase();
            let mut words = raw.split(|letter: char| !letter.is_alphanumeric());
            words.any(|word| word.trim_start_matches("chat").starts_with(&family))
        })
    };
    let services: Vec<&Service> = catalogue.services(kind).filter(runs).collect();
    let ids: Vec<&str> = services.iter().map(|service| &*service.id).collect();
    let mut suggestion = match ids.as_slice() {
        [] => return None,
        ids => format!("; {}", suggest::did_you_mean(ids)),
    };
    if let [service] = services.as_slice()
        && let Some(model) = service.args.iter().find(|arg| arg.name.ends_with("model"))
        && let Some(variable) = &model.env
    {
        suggestion.extend([" `", variable, "` sets its model"]);
    }
    Some(suggestion)
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

/// Checks that the services can be combined, since pack authors don't know each other's services.
pub(super) fn together(services: &[&Service], catalogue: &Catalogue, problems: &mut Problems) {
    for (index, service) in services.iter().enumerate() {
        for earlier in &services[..index] {
            let mut both = [service, earlier].into_iter();
            let of_pack = both.find(|one| catalogue.pack_of(one).is_some());
            let setting = of_pack.and_then(|of_pack| Setting::of_service(of_pack.kind));
            if let (Some(setting), Some(why)) = (setting, conflict(earlier, service)) {
                let (one, other) = (&earlier.id, &service.id);
                let problem = format!("`{one}` and `{other}` can't be combined in one bot: {why}");
                problems.add(setting.row().key, problem);
            }
        }
    }
}

/// Returns the reason why two services can't be used in the same file, if any.
fn conflict(one: &Service, other: &Service) -> Option<String> {
    for (module, name) in one.names() {
        let elsewhere = other
            .names()
            .find(|(from, same)| *same == name && *from != module);
        if let Some((elsewhere, _)) = elsewhere {
            return Some(format!(
                "both import `{name}`, from `{module}` and from `{elsewhere}`"
            ));
        }
    }
    let error = variables::readings(&[one, other]).err()?;
    Some(error.reason())
}
