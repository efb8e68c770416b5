//! The JSON Schema of a configuration file, for editors: made of the options that set its keys.

use clap::{Arg, CommandFactory as _};
use serde_json::{Map, Value, json};

use super::Options;
use crate::catalogue::Catalogue;
use crate::draft::{Draft, GENERATE_CLIENT, NONE, PACKS, Slot};
use crate::option_table::{self, Feature, Setting, Values};

/// The document of `--config-schema`, with the services of the packs of `catalogue`.
pub(crate) fn schema(catalogue: &Catalogue) -> Value {
    let command = Options::command();
    let mut draft = Draft::default();
    let mut properties = Map::new();
    let mut insert = |key: &str, property: Value| _ = properties.insert(key.to_owned(), property);
    insert(
        "$schema",
        json!({ "type": "string", "description": "The location of this schema, for editors; ignored" }),
    );
    for (key, flag) in option_table::fields() {
        let option = command
            .get_arguments()
            .find(|argument| argument.get_long() == flag.strip_prefix("--"));
        if let (Some(option), Some(slot)) = (option, draft.slot(key)) {
            let mut property = property(option, &slot, &of_packs(catalogue, key));
            let help = option.get_help();
            property["description"] = help.map_or(Value::Null, |help| help.to_string().into());
            if let Some(default) = default_of(key) {
                property["default"] = default;
            }
            insert(key, property);
        }
    }
    for (alias, key) in option_table::aliases() {
        let description = format!("Another name of `{key}`, from the framework's own tool");
        insert(
            alias,
            json!({ "$ref": format!("#/properties/{key}"), "description": description }),
        );
    }
    insert(
        GENERATE_CLIENT,
        json!({
            "type": "boolean",
            "description": "Written by the framework's own tool; only `client_framework` counts",
        }),
    );
    insert(
        PACKS,
        json!({
            "type": "object",
            "additionalProperties": { "type": "string" },
            "description": "The provider packs of the chosen services, with their versions; `--dry-run` prints them",
        }),
    );
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Configuration of `bot-cli init`",
        "description": "Read by `--config` and printed by `--dry-run`. Options override the file, so every key is optional.",
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    })
}

/// Returns the default of a key, if it does not depend on the transport or the services.
fn default_of(key: &str) -> Option<Value> {
    if key == Setting::ClientFramework.row().key {
        return Some(json!(NONE));
    }
    let mut features = Feature::ALL.into_iter();
    let feature = features.find(|feature| feature.row().key == key)?;
    // A video service turns it on.
    (feature != Feature::VideoOutput).then(|| json!(feature.row().default))
}

/// The services of packs that a key can have.
fn of_packs<'c>(catalogue: &'c Catalogue, key: &str) -> Vec<&'c str> {
    let mut settings = Setting::ALL.into_iter();
    let setting = settings.find(|setting| setting.row().key == key);
    let Some(Values::Service(kind)) = setting.map(|setting| setting.row().values) else {
        return Vec::new();
    };
    catalogue
        .services(kind)
        .filter(|service| catalogue.pack_of(service).is_some())
        .flat_map(|service| std::iter::once(&service.id).chain(&service.alias))
        .map(String::as_str)
        .collect()
}

fn property(option: &Arg, slot: &Slot<'_>, more: &[&str]) -> Value {
    let mut accepted: Vec<Value> = option
        .get_possible_values()
        .iter()
        .flat_map(|value| value.get_name_and_aliases().map(Value::from))
        .chain(more.iter().map(|id| Value::from(*id)))
        .collect();
    match slot {
        Slot::Switch(_) => json!({ "type": "boolean" }),
        Slot::List(_) => {
            json!({ "type": "array", "items": { "type": "string", "enum": accepted }, "minItems": 1 })
        }
        Slot::Versions(_) => json!({ "type": "object" }),
        Slot::Text(_) if accepted.is_empty() => json!({ "type": "string" }),
        Slot::Text(_) => json!({ "type": "string", "enum": accepted }),
        Slot::OptionalText(_) if accepted.is_empty() => json!({ "type": ["string", "null"] }),
        Slot::OptionalText(_) => {
            accepted.push(Value::Null);
            json!({ "type": ["string", "null"], "enum": accepted })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resolve::resolve;

    #[test]
    fn every_value_that_the_schema_offers_is_accepted() {
        let schema = schema(Catalogue::built_in());
        let mut offered = 0;
        for (key, property) in schema["properties"].as_object().unwrap() {
            let lists = [&property["enum"], &property["items"]["enum"]];
            for value in lists.into_iter().filter_map(Value::as_array).flatten() {
                let Some(text) = value.as_str() else { continue };
                let mut draft = Draft::default();
                match draft.slot(key) {
                    Some(Slot::Text(place) | Slot::OptionalText(place)) => {
                        *place = Some(text.to_owned());
                    }
                    Some(Slot::List(place)) => *place = Some(vec![text.to_owned()]),
                    Some(Slot::Switch(_) | Slot::Versions(_)) | None => {
                        panic!("{key} has no texts")
                    }
                }
                let unknown = resolve(&draft, Some("bot"), Catalogue::built_in())
                    .unwrap_err()
                    .into_iter()
                    .find(|field| field.field == *key && field.problem.contains(text));
                assert_eq!(unknown, None);
                offered += 1;
            }
        }
        assert!(offered >= 140, "only {offered}");
    }
}
