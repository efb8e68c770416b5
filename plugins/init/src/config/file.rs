//! A configuration file: a JSON object, read with all its problems and their places.

use std::collections::BTreeMap;
use std::fmt;

use bot_cli_protocol::failure::Field;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::error::Category;
use serde_json::value::RawValue;
use serde_json::{Error, Value};

use crate::draft::{self, Draft, Slot};
use crate::option_table;
use crate::wording::{did_you_mean, quoted};

/// The contents of a file, with its problems.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct FromFile {
    /// The valid part.
    pub draft: Draft,
    /// Everything that could not.
    pub problems: Vec<Field>,
    /// A note if `generate_client` contradicts `client_framework`.
    pub client_note: Option<&'static str>,
}

/// Reads the text of a file. A problem names its line and column in `text`.
///
/// # Errors
/// The text is not a JSON object at all: the reason.
pub fn parse(text: &str) -> Result<FromFile, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let entries: Entries<'_> =
        serde_json::from_str(text).map_err(|error| unreadable(text, &error))?;
    let mut read = FromFile::default();
    let mut seen: Vec<Seen<'_>> = Vec::new();
    let mut client = None;
    for (name, raw) in &entries.0 {
        let place = Position::of(raw.get(), text);
        let key = draft::key_of(name);
        if let Some(earlier) = seen.iter().find(|earlier| earlier.key == key) {
            if let Some(problem) = earlier.repeated(name, raw) {
                read.problem(name, &place, &problem);
            }
            continue;
        }
        seen.push(Seen { key, name, raw });
        let problem = match read.draft.slot(key) {
            _ if key == "$schema" => None,
            None if key == draft::GENERATE_CLIENT => {
                fill(Slot::Switch(&mut client), raw.get()).err()
            }
            None => Some(format!("no such key{}", did_you_mean(name, known_keys()))),
            Some(slot) => fill(slot, raw.get()).err(),
        };
        if let Some(problem) = problem {
            read.problem(name, &place, &problem);
        }
        // Said not to be there, which wins over nothing said.
        if key == "client_framework" && raw.get() == "null" {
            read.draft.client_framework = Some(NO_CLIENT.to_owned());
        }
    }
    read.settle_client(client);
    Ok(read)
}

const NO_CLIENT: &str = "none";

fn known_keys() -> impl Iterator<Item = &'static str> {
    let keys = option_table::fields().map(|(key, _)| key);
    keys.chain([draft::PACKS, draft::GENERATE_CLIENT])
}

/// A key that was there before.
struct Seen<'a> {
    key: &'a str,
    /// As the file has it.
    name: &'a str,
    raw: &'a RawValue,
}

impl Seen<'_> {
    /// Returns the problem of a repeated key.
    fn repeated(&self, name: &str, raw: &RawValue) -> Option<String> {
        let Self { name: earlier, .. } = self;
        if *earlier == name {
            return Some("given twice".to_owned());
        }
        let value = |raw: &RawValue| serde_json::from_str::<Value>(raw.get()).ok();
        (value(self.raw) != value(raw)).then(|| {
            format!("another name of `{earlier}`, which is also given, with a different value")
        })
    }
}

impl FromFile {
    /// The framework's own tool writes a client's server where there is no client, and `generate_client`, which nothing reads.
    fn settle_client(&mut self, generate_client: Option<bool>) {
        let framework = self.draft.client_framework.as_deref();
        let has_client = framework.is_some_and(|framework| framework != NO_CLIENT);
        if framework == Some(NO_CLIENT) && self.draft.client_server.as_deref() == Some("vite") {
            self.draft.client_server = None;
        }
        self.client_note = match generate_client {
            Some(true) if !has_client => Some(
                "`generate_client` is true, but no client is generated without `client_framework`",
            ),
            Some(false) if has_client => Some(
                "`generate_client` is false, but a client is generated: `client_framework` decides",
            ),
            Some(_) | None => None,
        };
    }

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

fn fill(slot: Slot<'_>, raw: &str) -> Result<(), String> {
    let value: Value = serde_json::from_str(raw).map_err(|error| without_place(&error))?;
    match (slot, value) {
        (Slot::Text(place) | Slot::OptionalText(place), Value::String(text)) => *place = Some(text),
        (Slot::OptionalText(_), Value::Null) => {}
        (Slot::Switch(place), Value::Bool(switch)) => *place = Some(switch),
        (Slot::List(place), Value::Array(items)) => {
            let mut texts = Vec::with_capacity(items.len());
            for item in items {
                match item {
                    Value::String(text) => texts.push(text),
                    other @ (Value::Null
                    | Value::Bool(_)
                    | Value::Number(_)
                    | Value::Array(_)
                    | Value::Object(_)) => {
                        return Err(format!(
                            "must be a list of strings, but contains {}",
                            kind(&other)
                        ));
                    }
                }
            }
            *place = Some(texts);
        }
        (Slot::Versions(place), Value::Object(members)) => {
            let mut versions = BTreeMap::new();
            for (name, version) in members {
                let Value::String(version) = version else {
                    return Err(format!(
                        "must have a version as a string for each pack, but contains {} for {}",
                        kind(&version),
                        quoted(&name)
                    ));
                };
                versions.insert(name, version);
            }
            *place = Some(versions);
        }
        (slot, value) => {
            let needed = match slot {
                Slot::Text(_) => "a string",
                Slot::OptionalText(_) => "a string or null",
                Slot::List(_) => "a list of strings",
                Slot::Switch(_) => "true or false",
                Slot::Versions(_) => "an object of versions",
            };
            return Err(format!("must be {needed}, but is {}", kind(&value)));
        }
    }
    Ok(())
}

/// Why a text is no JSON object.
fn unreadable(text: &str, error: &Error) -> String {
    let place = format!("line {}, column {}", error.line(), error.column());
    match error.classify() {
        _ if text.trim().is_empty() => "it is empty".to_owned(),
        Category::Eof => format!("it ends before it is complete ({place})"),
        Category::Data => {
            let is = serde_json::from_str(text).map_or("something else".to_owned(), |is| kind(&is));
            format!("it is {is}, not a JSON object")
        }
        Category::Syntax | Category::Io => {
            format!("it is not JSON: {} ({place})", without_place(error))
        }
    }
}

fn without_place(error: &Error) -> String {
    let text = error.to_string();
    let reason = text.split(" at line ").next().unwrap_or(&text);
    reason.to_owned()
}

fn kind(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(switch) => switch.to_string(),
        Value::Number(_) => "a number".to_owned(),
        Value::String(text) => format!("the string {}", quoted(text)),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
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
    use crate::option_table::{Feature, Switches};

    use super::parse;
    use crate::draft::Draft;

    fn problems(text: &str) -> Vec<String> {
        let read = parse(text).unwrap();
        read.problems
            .iter()
            .map(|field| format!("{}: {}", field.field, field.problem))
            .collect()
    }

    #[test]
    fn reads_every_kind_of_value() {
        let read = parse(r#"{"$schema": "x", "project_name": "a", "transports": ["b", "c"], "recording": true, "video_service": null}"#).unwrap();
        assert_eq!(read.problems, []);
        assert_eq!(read.draft.project_name.as_deref(), Some("a"));
        assert_eq!(read.draft.transports.unwrap(), ["b", "c"]);
        assert_eq!(read.draft.switches.get(Feature::Recording), Some(true));
        assert_eq!(read.draft.video_service, None);
    }

    #[test]
    fn tells_all_problems_with_their_places() {
        let text = "{\n  \"project_nane\": \"x\",\n  \"recording\": \"no\",\n  \"mode\": null,\n  \"transports\": [\"ü\", 1],\n  \"transports\": [],\n  \"evals\": 1, \"recording\": null\n}";
        assert_eq!(
            problems(text),
            [
                "project_nane: no such key; did you mean `project_name`? (line 2, column 19)",
                "recording: must be true or false, but is the string `no` (line 3, column 16)",
                "mode: must be a string, but is null (line 4, column 11)",
                "transports: must be a list of strings, but contains a number (line 5, column 17)",
                "transports: given twice (line 6, column 17)",
                "evals: no such key; did you mean `enable_eval`? (line 7, column 12)",
                "recording: given twice (line 7, column 28)",
            ]
        );
    }

    #[test]
    fn knows_the_keys_of_the_frameworks_own_tool() {
        let text = r#"{"name": "a", "transport": ["b"], "stt": "c", "llm": "d", "tts": "e", "realtime": "f", "video": "g",
            "enable_krisp": true, "observability": true, "eval": true, "generate_client": true, "client_framework": "react"}"#;
        let read = parse(text).unwrap();
        assert_eq!((read.problems, read.client_note), (vec![], None));
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
    fn two_names_of_a_key_may_say_the_same_and_nothing_else() {
        assert_eq!(
            problems("{\"name\": \"a\", \"project_name\": \"a\"}"),
            [""; 0]
        );
        assert_eq!(
            problems(
                "{\"enable_eval\": true, \"eval\": false,\n \"stt\": 1, \"generate_client\": \"yes\"}"
            ),
            [
                "eval: another name of `enable_eval`, which is also given, with a different value (line 1, column 31)",
                "stt: must be a string or null, but is a number (line 2, column 9)",
                "generate_client: must be true or false, but is the string `yes` (line 2, column 31)",
            ]
        );
    }

    #[test]
    fn a_client_that_is_said_not_to_be_there_needs_no_server() {
        for (text, note) in [
            (
                r#"{"generate_client": false, "client_framework": null, "client_server": "vite"}"#,
                None,
            ),
            (
                r#"{"generate_client": true, "client_framework": null}"#,
                Some(
                    "`generate_client` is true, but no client is generated without `client_framework`",
                ),
            ),
        ] {
            let read = parse(text).unwrap();
            assert_eq!(read.problems, [], "{text}");
            assert_eq!(read.draft.client_framework.as_deref(), Some("none"));
            assert_eq!(read.draft.client_server, None);
            assert_eq!(read.client_note, note);
        }
        let read = parse(r#"{"generate_client": false, "client_framework": "vanilla"}"#).unwrap();
        assert_eq!(
            read.client_note,
            Some(
                "`generate_client` is false, but a client is generated: `client_framework` decides"
            )
        );
    }

    #[test]
    fn accepts_a_byte_order_mark_and_refuses_other_documents() {
        assert_eq!(problems("\u{feff}{}"), [""; 0]);
        for (text, reason) in [
            ("", "it is empty"),
            ("\u{feff} \n", "it is empty"),
            ("[]", "it is a list, not a JSON object"),
            ("null", "it is null, not a JSON object"),
            ("\"mode\"", "it is the string `mode`, not a JSON object"),
            ("{", "it ends before it is complete (line 1, column 1)"),
            (
                "{} {}",
                "it is not JSON: trailing characters (line 1, column 4)",
            ),
            (
                "{'a': 1}",
                "it is not JSON: key must be a string (line 1, column 2)",
            ),
            (
                "mode = 1",
                "it is not JSON: expected value (line 1, column 1)",
            ),
        ] {
            assert_eq!(parse(text).unwrap_err(), reason, "{text}");
        }
    }
}
