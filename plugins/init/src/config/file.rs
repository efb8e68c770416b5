//! A configuration file: a JSON object, read with all its problems and their places.

use std::fmt;

use bot_cli_protocol::failure::Field;
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::draft::{self, Draft, NONE, Slot};
use crate::option_table;
use crate::wording::{did_you_mean, quoted};

/// The contents of a file, with its problems.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct FromFile {
    /// The valid part.
    pub draft: Draft,
    /// Everything else.
    pub problems: Vec<Field>,
}

/// Reads the text of a file. A problem names its line and column in `text`.
///
/// # Errors
/// The text is not a JSON object at all: the reason.
pub fn parse(text: &str) -> Result<FromFile, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let entries: Entries<'_> =
        serde_json::from_str(text).map_err(|error| format!("it is not a JSON object: {error}"))?;
    let mut read = FromFile::default();
    let mut seen: Vec<(&str, &str)> = Vec::new();
    for (name, raw) in &entries.0 {
        let key = draft::key_of(name);
        let problem = if let Some((_, raw_before)) = seen.iter().find(|(known, _)| *known == key) {
            // The framework's own name may say the same again.
            (*raw_before != raw.get()).then(|| format!("`{key}` is given twice"))
        } else {
            match read.draft.slot(key) {
                _ if key == "$schema" => None,
                None if key == draft::GENERATE_CLIENT => {
                    value(raw, "true or false").map(|_: bool| ()).err()
                }
                None => Some(format!("no such key{}", did_you_mean(name, known_keys()))),
                Some(slot) => fill(slot, raw).err(),
            }
        };
        seen.push((key, raw.get()));
        if let Some(problem) = problem {
            let place = Position::of(raw.get(), text);
            read.problem(name, &place, &problem);
        }
        // Said not to be there, which wins over nothing said.
        if key == "client_framework" && raw.get() == "null" {
            read.draft.client_framework = Some(NONE.to_owned());
        }
    }
    // The framework's own tool writes a client's server where there is no client.
    let Draft {
        client_framework,
        client_server,
        ..
    } = &mut read.draft;
    if client_framework.as_deref() == Some(NONE) && client_server.as_deref() == Some("vite") {
        *client_server = None;
    }
    Ok(read)
}

fn known_keys() -> impl Iterator<Item = &'static str> {
    let keys = option_table::fields().map(|(key, _)| key);
    keys.chain([draft::PACKS, draft::GENERATE_CLIENT])
}

impl FromFile {
    fn problem(&mut self, key: &str, place: &Position, problem: &str) {
        let known = draft::flag(draft::key_of(key));
        let name = if known.is_some() {
            key.to_owned()
        } else {
            quoted(key).trim_matches('`').to_owned()
        };
        let problem = format!("{problem} (line {}, column {})", place.line, place.column);
        let mut field = Field::new(name, problem);
        field.flag = known.map(str::to_owned);
        self.problems.push(field);
    }
}

fn fill(slot: Slot<'_>, raw: &RawValue) -> Result<(), String> {
    match slot {
        Slot::Text(place) => *place = Some(value(raw, "a string")?),
        Slot::OptionalText(place) => *place = value(raw, "a string or null")?,
        Slot::List(place) => *place = Some(value(raw, "a list of strings")?),
        Slot::Switch(place) => *place = Some(value(raw, "true or false")?),
        Slot::Versions(place) => *place = Some(value(raw, "an object of versions")?),
    }
    Ok(())
}

fn value<T: DeserializeOwned>(raw: &RawValue, needed: &str) -> Result<T, String> {
    serde_json::from_str(raw.get()).map_err(|_| format!("must be {needed}"))
}

/// A place in a text, from 1; columns count characters.
struct Position {
    line: usize,
    column: usize,
}

impl Position {
    /// Returns the position of `part`, a slice of `text`.
    fn of(part: &str, text: &str) -> Self {
        let offset = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
        let before = text.get(..offset).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        Self {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }
}

/// The members of an object in their order, repeated keys included.
struct Entries<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Entries<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Entries<'de>;

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
    use crate::option_table::{Feature, Switches};

    fn problems(text: &str) -> Vec<String> {
        let read = parse(text).unwrap();
        read.problems
            .iter()
            .map(|field| format!("{}: {}", field.field, field.problem))
            .collect()
    }

    #[test]
    fn tells_all_problems_with_their_places() {
        let text = "{\n  \"project_nane\": \"x\",\n  \"recording\": \"no\",\n  \"mode\": null,\n  \"transports\": [\"ü\", 1],\n  \"transports\": [],\n  \"evals\": 1, \"stt\": 1, \"generate_client\": \"yes\"\n}";
        assert_eq!(
            problems(text),
            [
                "project_nane: no such key; did you mean `project_name`? (line 2, column 19)",
                "recording: must be true or false (line 3, column 16)",
                "mode: must be a string (line 4, column 11)",
                "transports: must be a list of strings (line 5, column 17)",
                "transports: `transports` is given twice (line 6, column 17)",
                "evals: no such key; did you mean `enable_eval`? (line 7, column 12)",
                "stt: must be a string or null (line 7, column 22)",
                "generate_client: must be true or false (line 7, column 44)",
            ]
        );
        assert_eq!(
            problems("{\"enable_eval\": true, \"eval\": false}"),
            ["eval: `enable_eval` is given twice (line 1, column 31)"]
        );
    }

    #[test]
    fn knows_the_keys_of_the_frameworks_own_tool() {
        let text = r#"{"$schema": "x", "name": "a", "project_name": "a", "transport": ["b"], "stt": "c", "llm": "d", "tts": "e", "realtime": "f",
            "video": "g", "enable_krisp": true, "observability": true, "eval": true, "generate_client": true, "client_framework": "react"}"#;
        let read = parse(text).unwrap();
        assert_eq!(read.problems, []);
        let text = |text: &str| Some(text.to_owned());
        let expected = Draft {
            project_name: text("a"),
            transports: Some(vec!["b".to_owned()]),
            stt_service: text("c"),
            llm_service: text("d"),
            tts_service: text("e"),
            realtime_service: text("f"),
            video_service: text("g"),
            client_framework: text("react"),
            switches: Switches::of([
                (Feature::NoiseCancel, true),
                (Feature::Observability, true),
                (Feature::Eval, true),
            ]),
            ..Draft::default()
        };
        assert_eq!(read.draft, expected);
    }

    #[test]
    fn a_client_that_is_said_not_to_be_there_needs_no_server() {
        let text =
            r#"{"generate_client": false, "client_framework": null, "client_server": "vite"}"#;
        let read = parse(text).unwrap();
        assert_eq!(read.problems, [], "{text}");
        assert_eq!(read.draft.client_framework.as_deref(), Some("none"));
        assert_eq!(read.draft.client_server, None);
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
