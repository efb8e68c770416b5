//! Parses JSON configuration files, collecting all problems instead of stopping at the first.

use std::collections::BTreeMap;
use std::fmt;

use bot_cli_protocol::failure::Field;
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde_json::Value;

use crate::draft::{self, Draft, NONE, Slot};
use crate::option_table::{self, Form, Setting};
use crate::wording::{did_you_mean, quoted};

#[derive(Debug, Default, PartialEq, Eq)]
pub struct FromFile {
    pub draft: Draft,
    pub problems: Vec<Field>,
    /// The file's own name for each key that it has, which may be an alias.
    pub names: BTreeMap<String, String>,
    /// The file, as error messages name it.
    pub place: String,
}

/// Parses a configuration file.
///
/// # Errors
/// Returns an error message if the text is not a JSON object.
pub fn parse(text: &str) -> Result<FromFile, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let entries: Entries =
        serde_json::from_str(text).map_err(|error| format!("it is not a JSON object: {error}"))?;
    let mut read = FromFile::default();
    let mut seen: Vec<(&str, &Value)> = Vec::new();
    for (name, value) in &entries.0 {
        let key = draft::key_of(name);
        let problem = if let Some((_, before)) = seen.iter().find(|(known, _)| *known == key) {
            // A key and the framework's name for it may both be present with the same value.
            (*before != value).then(|| format!("`{key}` is given twice"))
        } else {
            match read.draft.slot(key) {
                _ if key == "$schema" => None,
                None if key == draft::GENERATE_CLIENT => {
                    typed::<bool>(value, "true or false").err()
                }
                None => Some(format!("no such key{}", did_you_mean(name, known_keys()))),
                Some(slot) => fill(slot, value).err(),
            }
        };
        seen.push((key, value));
        read.names.insert(key.to_owned(), name.clone());
        read.problems
            .extend(problem.map(|it| Field::new(quoted(name).trim_matches('`'), it)));
        // `null` means no client, unlike a missing key.
        if key == "client_framework" && value.is_null() {
            read.draft.put(Setting::ClientFramework, [NONE]);
        }
    }
    // The framework's own tool writes a client server even without a client.
    let draft = &mut read.draft;
    if draft.text(Setting::ClientFramework) == Some(NONE)
        && draft.text(Setting::ClientServer) == Some("vite")
    {
        *draft.setting(Setting::ClientServer) = None;
    }
    Ok(read)
}

fn known_keys() -> impl Iterator<Item = &'static str> {
    let keys = option_table::fields().map(|(key, _)| key);
    keys.chain([draft::PACKS, draft::GENERATE_CLIENT])
}

fn fill(slot: Slot<'_>, value: &Value) -> Result<(), String> {
    match slot {
        Slot::Setting(form, place) => {
            *place = match form {
                Form::Text => Some(vec![typed(value, "a string")?]),
                Form::OptionalText => {
                    let text: Option<String> = typed(value, "a string or null")?;
                    text.map(|text| vec![text])
                }
                Form::List => Some(typed(value, "a list of strings")?),
            }
        }
        Slot::Switch(place) => *place = Some(typed(value, "true or false")?),
        Slot::Packs(place) => {
            *place = Some(typed(value, "an object of packs, each with its `version`")?);
        }
    }
    Ok(())
}

fn typed<T: DeserializeOwned>(value: &Value, needed: &str) -> Result<T, String> {
    T::deserialize(value).map_err(|_| format!("must be {needed}"))
}

/// The members of a JSON object in document order, including duplicate keys.
struct Entries(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Entries;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Entries(members))
            }
        }
        deserializer.deserialize_map(Members)
    }
}

#[cfg(test)]
mod tests {
    use super::parse;
    use crate::draft::Draft;
    use crate::option_table::{Feature, Setting, Switches};

    fn problems(text: &str) -> Vec<String> {
        let read = parse(text).unwrap();
        read.problems
            .iter()
            .map(|field| format!("{}: {}", field.field, field.problem))
            .collect()
    }

    #[test]
    fn tells_all_problems() {
        let text = "{\n  \"project_nane\": \"x\",\n  \"recording\": \"no\",\n  \"mode\": null,\n  \"transports\": [\"ü\", 1],\n  \"transports\": [],\n  \"evals\": 1, \"stt\": 1, \"generate_client\": \"yes\"\n}";
        assert_eq!(
            problems(text),
            [
                "project_nane: no such key; did you mean `project_name`?",
                "recording: must be true or false",
                "mode: must be a string",
                "transports: must be a list of strings",
                "transports: `transports` is given twice",
                "evals: no such key; did you mean `enable_eval`?",
                "stt: must be a string or null",
                "generate_client: must be true or false",
            ]
        );
        assert_eq!(
            problems("{\"enable_eval\": true, \"eval\": false}"),
            ["eval: `enable_eval` is given twice"]
        );
    }

    #[test]
    fn knows_the_keys_of_the_frameworks_own_tool() {
        let text = r#"{"$schema": "x", "name": "a", "project_name": "a", "transport": ["b"], "stt": "c", "llm": "d", "tts": "e", "realtime": "f",
            "video": "g", "enable_krisp": true, "observability": true, "eval": true, "generate_client": true, "client_framework": "react"}"#;
        let read = parse(text).unwrap();
        assert_eq!(read.problems, []);
        let mut expected = Draft {
            switches: Switches::of([
                (Feature::NoiseCancel, true),
                (Feature::Observability, true),
                (Feature::Eval, true),
            ]),
            ..Draft::default()
        };
        for (setting, text) in [
            (Setting::ProjectName, "a"),
            (Setting::Transports, "b"),
            (Setting::SttService, "c"),
            (Setting::LlmService, "d"),
            (Setting::TtsService, "e"),
            (Setting::RealtimeService, "f"),
            (Setting::VideoService, "g"),
            (Setting::ClientFramework, "react"),
        ] {
            expected.put(setting, [text]);
        }
        assert_eq!(read.draft, expected);
    }

    #[test]
    fn a_client_that_is_said_not_to_be_there_needs_no_server() {
        let text =
            r#"{"generate_client": false, "client_framework": null, "client_server": "vite"}"#;
        let read = parse(text).unwrap();
        assert_eq!(read.problems, [], "{text}");
        assert_eq!(read.draft.text(Setting::ClientFramework), Some("none"));
        assert_eq!(read.draft.said(Setting::ClientServer), None);
    }

    #[test]
    fn accepts_a_byte_order_mark_and_refuses_other_documents() {
        assert_eq!(problems("\u{feff}{}"), [""; 0]);
        for text in [
            "",
            "\u{feff} \n",
            "[]",
            "\"mode\"",
            "{",
            "{} {}",
            "{'a': 1}",
        ] {
            let refused = parse(text).unwrap_err();
            assert!(
                refused.starts_with("it is not a JSON object: "),
                "{refused}"
            );
        }
    }
}
