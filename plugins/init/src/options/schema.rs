//! The JSON Schema for configuration files, built from the option table for use in editors.

use clap::builder::TypedValueParser as _;
use serde_json::{Map, Value, json};

use super::offered::Offered;
use crate::catalogue::Catalogue;
use crate::draft::{GENERATE_CLIENT, NONE, PACKS};
use crate::option_table::{self, Feature, Form, Setting, SettingRow, Values};

pub(crate) fn schema(catalogue: &Catalogue) -> Value {
    let mut properties = Map::new();
    let mut insert = |key: &str, property: Value| _ = properties.insert(key.to_owned(), property);
    insert(
        "$schema",
        json!({ "type": "string", "description": "The location of this schema, for editors; ignored" }),
    );
    for row in Setting::ALL.map(Setting::row) {
        let mut property = property(row, catalogue);
        property["description"] = json!(row.about);
        if row.key == Setting::ClientFramework.row().key {
            property["default"] = json!(NONE);
        }
        insert(row.key, property);
    }
    for feature in Feature::ALL {
        let row = feature.row();
        let mut property = json!({ "type": "boolean", "description": row.about });
        // A video service turns video output on.
        if feature != Feature::VideoOutput {
            property["default"] = json!(row.default);
        }
        insert(row.key, property);
    }
    for (alias, key) in option_table::aliases() {
        let description = format!("Another name of `{key}`, from the framework's own tool");
        let key = format!("#/properties/{key}");
        insert(alias, json!({ "$ref": key, "description": description }));
    }
    let ignored = "Written by the framework's own tool; only `client_framework` counts";
    insert(
        GENERATE_CLIENT,
        json!({ "type": "boolean", "description": ignored }),
    );
    insert(
        PACKS,
        json!({
            "type": "object",
            "additionalProperties": {
                "type": "object",
                "properties": {
                    "version": { "type": "string" },
                    "from": { "type": "string", "description": "The address that it was downloaded from" },
                    "sha256": { "type": "string", "description": "What `plugin add --sha256` compares" },
                },
                "required": ["version"],
            },
            "description": "The provider packs of the chosen services, and where they come from; `--dry-run` prints them",
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

fn property(row: &SettingRow, catalogue: &Catalogue) -> Value {
    let offered = Offered(row.values);
    let offered = offered.possible_values().into_iter().flatten();
    let names = |value: clap::builder::PossibleValue| {
        let names = value.get_name_and_aliases().map(Value::from);
        names.collect::<Vec<_>>()
    };
    let mut accepted: Vec<Value> = offered.flat_map(names).collect();
    if let Values::Service(kind) = row.values {
        let of_packs = catalogue.services(kind);
        let of_packs = of_packs.filter(|service| catalogue.pack_of(service).is_some());
        accepted.extend(
            of_packs
                .flat_map(|service| std::iter::once(&service.id).chain(&service.alias))
                .map(|name| json!(name)),
        );
    }
    let mut property = match row.form {
        Form::List => {
            let mut items = json!({ "type": "string" });
            if !accepted.is_empty() {
                items["enum"] = accepted.into();
            }
            return json!({ "type": "array", "items": items, "minItems": 1 });
        }
        Form::Text => json!({ "type": "string" }),
        Form::OptionalText => json!({ "type": ["string", "null"] }),
    };
    if !accepted.is_empty() {
        accepted.extend((row.form == Form::OptionalText).then_some(Value::Null));
        property["enum"] = accepted.into();
    }
    property
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draft::{Draft, Slot};
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
                let Some(Slot::Setting(_, place)) = draft.slot(key) else {
                    panic!("{key} has no texts")
                };
                *place = Some(vec![text.to_owned()]);
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
