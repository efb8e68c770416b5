//! Everything there is to choose from.

use bot_cli_templates::catalogue::{BotType, Kind};
use serde_json::{Value, json};

use crate::catalogue::Catalogue;

/// The document of `--list-options`. `packs` says which services are of provider packs, and their versions.
pub(crate) fn listing(catalogue: &Catalogue) -> Value {
    let transports = |bot_type| {
        catalogue
            .transports(bot_type)
            .map(|transport| &transport.id)
            .collect::<Vec<_>>()
    };
    let services = |kind| {
        catalogue
            .services(kind)
            .map(|service| &service.id)
            .collect::<Vec<_>>()
    };
    let packs: Vec<Value> = catalogue
        .packs()
        .iter()
        .map(|pack| {
            json!({
                "name": pack.name,
                "version": pack.version,
                "about": pack.about,
                "services": pack.services().map(|service| &service.id).collect::<Vec<_>>(),
            })
        })
        .collect();
    json!({
        "bot_type": ["web", "telephony"],
        "transports": { "web": transports(BotType::Web), "telephony": transports(BotType::Telephony) },
        "stt": services(Kind::Stt),
        "llm": services(Kind::Llm),
        "tts": services(Kind::Tts),
        "realtime": services(Kind::Realtime),
        "video": services(Kind::Video),
        "packs": packs,
    })
}
