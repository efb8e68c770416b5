//! Everything there is to choose from.

use bot_cli_templates::Preset;
use bot_cli_templates::catalogue::{BotType, Kind, Service};
use bot_cli_terminal::table as aligned;
use serde_json::{Map, Value, json};

use crate::catalogue::Catalogue;

/// The document of `--list-options`. `labels` has the name of each identifier that people know, `aliases` the identifier behind each
/// other name that is accepted; `packs` says which services are of provider packs, and their versions.
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
    let (labels, aliases) = names(catalogue);
    json!({
        "bot_type": ["web", "telephony"],
        "transports": { "web": transports(BotType::Web), "telephony": transports(BotType::Telephony) },
        "stt": services(Kind::Stt),
        "llm": services(Kind::Llm),
        "tts": services(Kind::Tts),
        "realtime": services(Kind::Realtime),
        "video": services(Kind::Video),
        "labels": labels,
        "aliases": aliases,
        "packs": packs,
        "presets": Preset::all().iter().map(|preset| json!({
            "name": preset.name,
            "about": preset.about,
            "config": preset.config,
        })).collect::<Vec<_>>(),
    })
}

/// The labels by identifier, and the identifiers by other name.
fn names(catalogue: &Catalogue) -> (Map<String, Value>, Map<String, Value>) {
    let mut labels = Map::new();
    let mut aliases = Map::new();
    let mut add = |id: &str, label: &str, alias: Option<&String>| {
        labels.insert(id.to_owned(), json!(label));
        if let Some(alias) = alias {
            aliases.insert(alias.clone(), json!(id));
        }
    };
    for (_, _, kind) in SERVICES {
        for service in catalogue.services(kind) {
            add(&service.id, &service.label, service.alias.as_ref());
        }
    }
    for (_, bot_type) in TRANSPORTS {
        for transport in catalogue.transports(bot_type) {
            add(&transport.id, &transport.label, transport.alias.as_ref());
        }
    }
    // A name that needs a direction beside it.
    for (_, bot_type) in TRANSPORTS {
        for transport in catalogue.transports(bot_type) {
            if let (Some(family), Some(alias)) = (&transport.family, &transport.family_alias) {
                aliases.insert(alias.clone(), json!(family));
            }
        }
    }
    (labels, aliases)
}

const TRANSPORTS: [(&str, BotType); 2] = [
    ("Transports for web bots", BotType::Web),
    ("Transports for telephone bots", BotType::Telephony),
];

const SERVICES: [(&str, &str, Kind); 5] = [
    ("Speech-to-text", "--stt", Kind::Stt),
    ("Language models", "--llm", Kind::Llm),
    ("Text-to-speech", "--tts", Kind::Tts),
    ("Realtime", "--realtime", Kind::Realtime),
    ("Video avatars", "--video", Kind::Video),
];

/// The same for people: a block for each option, a line for each value.
pub(crate) fn table(catalogue: &Catalogue) -> String {
    let transports = TRANSPORTS.map(|(title, bot_type)| {
        let rows = catalogue.transports(bot_type).map(|transport| {
            row(
                &transport.id,
                &transport.label,
                transport.alias.as_ref(),
                None,
            )
        });
        block(title, "--transport", rows)
    });
    let services = SERVICES.map(|(title, option, kind)| {
        let rows = catalogue.services(kind).map(|service| {
            row(
                &service.id,
                &service.label,
                service.alias.as_ref(),
                remark(service, catalogue),
            )
        });
        block(title, option, rows)
    });
    let presets = Preset::all()
        .iter()
        .map(|preset| row(&preset.name, &preset.about, None, None));
    let presets = block("Presets", "--preset", presets);
    let blocks: Vec<String> = transports
        .into_iter()
        .chain(services)
        .chain([presets])
        .collect();
    blocks.join("\n")
}

/// Returns the remark about a service.
fn remark(service: &Service, catalogue: &Catalogue) -> Option<String> {
    match (catalogue.pack_of(service), &service.deprecated) {
        (Some(pack), _) => Some(pack.words()),
        (None, Some(_)) => Some("deprecated".to_owned()),
        (None, None) => None,
    }
}

fn block(title: &str, option: &str, rows: impl Iterator<Item = Vec<String>>) -> String {
    let rows: Vec<Vec<String>> = rows.collect();
    format!("{title} ({option})\n{}", aligned(&rows))
}

fn row(id: &str, label: &str, alias: Option<&String>, remark: Option<String>) -> Vec<String> {
    let also = alias.map(|alias| format!("also `{alias}`"));
    let remarks: Vec<String> = also.into_iter().chain(remark).collect();
    vec![format!("  {id}"), label.to_owned(), remarks.join("; ")]
}

#[cfg(test)]
mod tests {
    use super::{listing, table};
    use crate::catalogue::Catalogue;

    #[test]
    fn everything_is_found_by_its_label_and_by_its_other_name() {
        let catalogue = Catalogue::built_in();
        let listing = listing(catalogue);
        assert_eq!(listing["labels"]["carrier_a"], "Twilio");
        assert_eq!(listing["aliases"]["twilio"], "carrier_a");
        assert_eq!(listing["aliases"]["daily_pstn"], "hosted_rtc_pstn");
        for (alias, id) in listing["aliases"].as_object().unwrap() {
            let id = id.as_str().unwrap();
            let known = catalogue.service(alias).map(|service| &service.id);
            let known = known.or_else(|| Some(&catalogue.transport(alias)?.id));
            let family = || catalogue.transport_family(alias).next()?.family.as_ref();
            assert_eq!(
                known.or_else(family).map(String::as_str),
                Some(id),
                "{alias}"
            );
        }
    }

    #[test]
    fn the_table_has_a_line_for_every_identifier() {
        let catalogue = Catalogue::built_in();
        let table = table(catalogue);
        let line = |id: &str| {
            table
                .lines()
                .find(|line| line.split_whitespace().next() == Some(id))
        };
        for (id, label) in listing(catalogue)["labels"].as_object().unwrap() {
            let line = line(id).unwrap_or_else(|| panic!("{id}\n{table}"));
            assert!(line.contains(label.as_str().unwrap()), "{line}");
            assert!(line.chars().count() <= 100, "{line}");
        }
        let twilio = line("carrier_a").unwrap();
        assert!(
            twilio.contains("Twilio") && twilio.contains("also `twilio`"),
            "{twilio}"
        );
    }
}
