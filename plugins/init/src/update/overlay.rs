//! Applies the options of an update to the recorded ones.

use crate::config::concede;
use crate::draft::{Draft, NONE};
use crate::option_table::{Feature, Setting};

/// Applies `asked` to the `recorded` configuration. Also returns a message for each recorded choice that changes implicitly.
pub(crate) fn over(mut recorded: Draft, mut asked: Draft) -> (Draft, Vec<String>) {
    follow_services(&mut asked, &recorded);
    let mut told = Vec::new();
    if asked.said(Setting::Transports).is_some() {
        // The recorded bot type followed from the old transports, so the new ones determine it again.
        if asked.said(Setting::BotType).is_none() {
            *recorded.setting(Setting::BotType) = None;
        }
        told.extend(concede(&mut recorded, &asked));
    }
    if let Some(video) = asked.text(Setting::VideoService) {
        // The video output followed from the service.
        *recorded.switches.slot(Feature::VideoOutput) = None;
        if video.trim() == NONE {
            *recorded.setting(Setting::VideoService) = None;
            *asked.setting(Setting::VideoService) = None;
        }
    }
    (asked.over(recorded), told)
}

/// Changes the mode if a requested service belongs to the other pipeline mode.
fn follow_services(asked: &mut Draft, recorded: &Draft) {
    let says = |setting: &Setting| asked.said(*setting).is_some();
    let cascade = [
        Setting::SttService,
        Setting::LlmService,
        Setting::TtsService,
    ];
    let (cascade, realtime) = (cascade.iter().any(says), says(&Setting::RealtimeService));
    let mode = match (recorded.text(Setting::Mode), cascade, realtime) {
        _ if says(&Setting::Mode) => return,
        (Some("cascade"), false, true) => "realtime",
        (Some("realtime"), true, false) => "cascade",
        _ => return,
    };
    asked.put(Setting::Mode, [mode]);
}
