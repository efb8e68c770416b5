//! `--list-options`: the services, transports and presets on offer.

use bot_cli_templates::Preset;
use bot_cli_templates::catalogue::{BotType, Catalogue as Offered, Kind, Transport};
use bot_cli_terminal::table as aligned;
use serde_json::{Map, Value, json};

use crate::catalogue::Catalogue;

const TRANSPORTS: [(&str, &str, BotType); 2] = [
    ("web", "Transports for web bots", BotType::Web),
    (
        "telephony",
        "Transports for telephone bots",
        BotType::Telephony,
    ),
];

const SERVICES: [(&str, Kind); 5] = [
    ("Speech-to-text", Kind::Stt),
    ("Language models", Kind::Llm),
    ("Text-to-speech", Kind::Tts),
    ("Realtime", Kind::Realtime),
    ("Video avatars", Kind::Video),
];

/// Returns the `--list-options` document. `labels` maps identifiers to display names, and `aliases` maps accepted aliases to identifiers.
/// `packs` lists each provider pack with its version and services.
pub(crate) fn listing(catalogue: &Catalogue) -> Value {
    let (mut labels, mut aliases) = (Map::new(), Map::new());
    let mut list = |values: Vec<(&str, &str, Option<&str>)>| -> Value {
        for (id, label, alias) in &values {
            labels.insert((*id).to_owned(), json!(label));
            if let Some(alias) = alias {
                aliases.insert((*alias).to_owned(), json!(id));
            }
        }
        values.into_iter().map(|(id, ..)| id).collect()
    };
    let mut document = json!({ "bot_type": ["web", "telephony"], "transports": {} });
    for (_, kind) in SERVICES {
        let services = catalogue.listed(kind).into_iter();
        let services = services.map(|it| (it.id, it.label, it.alias));
        document[kind.name()] = list(services.collect());
    }
    for (key, ..) in TRANSPORTS {
        let transports = Offered::listed_transports(key).map(|it| (it.id, it.label, it.alias));
        document["transports"][key] = list(transports.collect());
    }
    // Family names, which need a direction option.
    for transport in TRANSPORTS
        .iter()
        .flat_map(|it| Offered::listed_transports(it.0))
    {
        if let (Some(family), Some(alias)) = (transport.family, transport.family_alias) {
            aliases.insert(alias.to_owned(), json!(family));
        }
    }
    let packs = catalogue.packs.iter().map(|pack| {
        let services: Vec<_> = pack.services().map(|service| &service.id).collect();
        json!({ "name": pack.name, "version": pack.source.version, "about": pack.about, "services": services })
    });
    let presets = Preset::all().iter();
    let presets =
        presets.map(|it| json!({ "name": it.name, "about": it.about, "config": it.config }));
    document["labels"] = labels.into();
    document["aliases"] = aliases.into();
    document["packs"] = packs.collect();
    document["presets"] = presets.collect();
    document
}

/// Returns the list as text, with a block for each option and a line for each value.
pub(crate) fn table(catalogue: &Catalogue) -> String {
    let transports = TRANSPORTS.map(|(_, title, bot_type)| {
        let rows = catalogue.transports(bot_type);
        let row = |it: &Transport| row(&it.id, &it.label, it.alias.as_ref(), None);
        block(title, "transport", &rows.map(row).collect::<Vec<_>>())
    });
    let services = SERVICES.map(|(title, kind)| {
        let rows = catalogue.services(kind).map(|it| {
            let deprecated = it.deprecated.as_ref().map(|_| "deprecated".to_owned());
            let pack = catalogue.pack_of(it);
            let remark = pack.map_or(deprecated, |pack| Some(pack.words()));
            row(&it.id, &it.label, it.alias.as_ref(), remark)
        });
        block(title, kind.name(), &rows.collect::<Vec<_>>())
    });
    let presets = Preset::all().iter();
    let presets = presets.map(|preset| row(&preset.name, &preset.about, None, None));
    let presets = block("Presets", "preset", &presets.collect::<Vec<_>>());
    let blocks = transports.into_iter().chain(services).chain([presets]);
    blocks.collect::<Vec<_>>().join("\n")
}

fn block(title: &str, option: &str, rows: &[Vec<String>]) -> String {
    format!("{title} (--{option})\n{}", aligned(rows))
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
