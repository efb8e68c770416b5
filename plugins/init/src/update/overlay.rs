use crate::config::concede;
use crate::draft::{Draft, NONE};
use crate::option_table::Feature;

/// Applies `asked` to the `recorded` configuration. Also returns a message for each recorded choice that changes implicitly.
pub(crate) fn over(mut recorded: Draft, mut asked: Draft) -> (Draft, Vec<String>) {
    follow_services(&mut asked, &recorded);
    let mut told = Vec::new();
    if asked.transports.is_some() {
        // The recorded bot type followed from the old transports, so the new ones determine it again.
        if asked.bot_type.is_none() {
            recorded.bot_type = None;
        }
        told.extend(concede(&mut recorded, &asked));
    }
    if let Some(video) = &asked.video_service {
        // The video output followed from the service.
        *recorded.switches.slot(Feature::VideoOutput) = None;
        if video.trim() == NONE {
            recorded.video_service = None;
            asked.video_service = None;
        }
    }
    (asked.over(recorded), told)
}

/// Changes the mode if a requested service belongs to the other pipeline mode.
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
