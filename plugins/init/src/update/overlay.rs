//! Lays what the user asks for over what is recorded.

use crate::config::concede;
use crate::draft::{Draft, NONE};
use crate::option_table::Feature;

/// Puts `asked` over the `recorded` configuration; a sentence for each recorded choice that gives way without being named.
pub(crate) fn over(mut recorded: Draft, mut asked: Draft) -> (Draft, Vec<String>) {
    follow_services(&mut asked, &recorded);
    let mut told = Vec::new();
    if asked.transports.is_some() {
        // Recorded is what followed from the transports, so it follows from the new ones.
        if asked.bot_type.is_none() {
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
