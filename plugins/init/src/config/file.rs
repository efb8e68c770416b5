//! A configuration file: a JSON object, read with all its problems and their places.

use std::collections::BTreeMap;
use std::fmt;

use bot_cli_sdk::failure::Field;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::error::Category;
use serde_json::value::RawValue;
use serde_json::{Error, Value};

use crate::draft::{self, Draft, Slot};
use crate::resolve::{did_you_mean, quoted};

/// What a file says, and what is wrong with it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct FromFile {
    /// What could be understood.
    pub draft: Draft,
    /// Everything that could not.
    pub problems: Vec<Field>,
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
    let mut seen: Vec<&str> = Vec::new();
    for (key, raw) in &entries.0 {
        let place = Place::of(raw.get(), text);
        if seen.contains(&key.as_str()) {
            read.problem(key, &place, "a second time");
            continue;
        }
        seen.push(key);
        if key == "$schema" {
            continue;
        }
        let problem = match read.draft.slot(key) {
            None => Some(format!(
                "no such key{}",
                did_you_mean(
                    key,
                    draft::FIELDS
                        .iter()
                        .map(|(name, _)| *name)
                        .chain([draft::PACKS])
                )
            )),
            Some(slot) => fill(slot, raw.get()).err(),
        };
        if let Some(problem) = problem {
            read.problem(key, &place, &problem);
        }
    }
    Ok(read)
}

impl FromFile {
    fn problem(&mut self, key: &str, place: &Place, problem: &str) {
        let known = draft::flag(key);
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
                        return Err(format!("needs a list of strings, holds {}", kind(&other)));
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
                        "needs a version as a string for each pack, holds {} for {}",
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
            return Err(format!("needs {needed}, is {}", kind(&value)));
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
struct Place {
    line: usize,
    column: usize,
}

impl Place {
    /// Where `part`, a piece of `text` itself, begins.
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
        assert_eq!(read.draft.recording, Some(true));
        assert_eq!(read.draft.video_service, None);
    }

    #[test]
    fn tells_all_problems_with_their_places() {
        let text = "{\n  \"project_nane\": \"x\",\n  \"recording\": \"no\",\n  \"mode\": null,\n  \"transports\": [\"ü\", 1],\n  \"transports\": [],\n  \"eval\": 1, \"recording\": null\n}";
        assert_eq!(
            problems(text),
            [
                "project_nane: no such key; did you mean `project_name`? (line 2, column 19)",
                "recording: needs true or false, is the string `no` (line 3, column 16)",
                "mode: needs a string, is null (line 4, column 11)",
                "transports: needs a list of strings, holds a number (line 5, column 17)",
                "transports: a second time (line 6, column 17)",
                "eval: no such key; did you mean `enable_eval`? (line 7, column 11)",
                "recording: a second time (line 7, column 27)",
            ]
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
