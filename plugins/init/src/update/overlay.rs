//! Lays what the user asks for over what is recorded.

use bot_cli_templates::catalogue::BotType;

use crate::catalogue::Catalogue;
use crate::config::concede;
use crate::draft::{Draft, NONE};
use crate::option_table::Feature;

/// Puts `asked` over the `recorded` configuration; a sentence for each recorded choice that gives way without being named.
pub(crate) fn over(mut recorded: Draft, mut asked: Draft) -> (Draft, Vec<String>) {
    follow_services(&mut asked, &recorded);
    let mut told = Vec::new();
    if asked.transports.is_some() {
        // Recorded is what followed from the transports, so it follows from the new ones.
        if asked.bot_type.is_none() && follows(&recorded) {
            recorded.bot_type = None;
        }
        told.extend(concede(&mut recorded, &asked));
    }
    if let Some(video) = &asked.video_service {
        // It followed from the service.
        *recorded.switches.slot(Feature::VideoOutput) = None;
        if video.trim() == NONE {
            recorded.video_service = None;
            asked.video_service = None;
        }
    }
    (asked.over(recorded), told)
}

/// A named service of the other kind of pipeline says the mode.
fn follow_services(asked: &mut Draft, recorded: &Draft) {
    if asked.mode.is_some() {
        return;
    }
    let cascade = [&asked.stt_service, &asked.llm_service, &asked.tts_service]
        .iter()
        .any(|service| service.is_some());
    let mode = match (recorded.mode.as_deref(), cascade, &asked.realtime_service) {
        (Some("cascade"), false, Some(_)) => "realtime",
        (Some("realtime"), true, None) => "cascade",
        _ => return,
    };
    asked.mode = Some(mode.to_owned());
}

/// Tells whether the recorded kind of bot follows from its transports.
fn follows(recorded: &Draft) -> bool {
    recorded.bot_type.as_deref() == Some("web") || has_telephone(recorded)
}

fn has_telephone(draft: &Draft) -> bool {
    let words = draft.transports.iter().flatten();
    let catalogue = Catalogue::built_in();
    let mut kinds = words.flat_map(|word| {
        let word = word.trim();
        let family = catalogue.transport_family(word);
        catalogue
            .transport(word)
            .into_iter()
            .chain(family)
            .map(|transport| transport.bot_type)
    });
    kinds.any(|kind| kind == BotType::Telephony)
}
