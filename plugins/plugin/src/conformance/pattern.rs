//! Patterns for messages. A pattern is JSON. It may omit members of a message, and its strings that begin with `$` can match many values.

use std::collections::BTreeMap;

use regex_lite::Regex;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::report::shown;
use bot_cli_engine::compat;
use bot_cli_engine::discovery::{PluginName, RESERVED};
use bot_cli_protocol::question::Question;
use bot_cli_protocol::{
    CompleteResult, LogParams, OutputParams, ProgressParams, RunResult, methods, shape,
};
use bot_cli_secrets::messages::{self as secrets, methods as of_sets};
use bot_cli_secrets::names_a_credential;

#[derive(Debug, Default)]
pub struct Known {
    pub method: String,
    /// The first value that each `$$NAME` matched.
    pub names: BTreeMap<String, Value>,
}

impl Known {
    /// Matches a value against a pattern. The error contains the expected value and the value's path, `at`.
    pub fn compare(
        &mut self,
        pattern: &Value,
        value: Option<&Value>,
        at: &str,
    ) -> Result<(), String> {
        let found = value.unwrap_or(&Value::Null);
        match pattern {
            Value::String(word) if word.starts_with('$') => self.word(word, value, at),
            Value::Object(rules) if rules.keys().any(|rule| rule.starts_with('$')) => {
                let mut rules = rules.iter().filter(|(rule, _)| *rule != "$is");
                let kept = rules.try_for_each(|(rule, inner)| self.rule(rule, inner, value, at));
                match pattern["$is"].as_str() {
                    Some(what) => {
                        kept.map_err(|_| format!("`{at}` is {}, and must be {what}", quoted(found)))
                    }
                    None => kept,
                }
            }
            Value::Object(members) => {
                let is_object = found.is_object() || (value.is_none() && !members.is_empty());
                must(is_object, at, "an object")?;
                members.iter().try_for_each(|(name, inner)| {
                    self.compare(inner, found.get(name), &format!("{at}.{name}"))
                })
            }
            Value::Array(items) => {
                let values = found.as_array().filter(|it| it.len() == items.len());
                let what = (quoted(found), quoted(pattern));
                let values = values
                    .ok_or_else(|| format!("`{at}` is {}, and must be {}", what.0, what.1))?;
                items.iter().zip(values).try_for_each(|(item, value)| {
                    self.compare(item, Some(value), &format!("{at}[]"))
                })
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                must(pattern == found, at, &quoted(pattern))
            }
        }
    }

    fn word(&mut self, word: &str, value: Option<&Value>, at: &str) -> Result<(), String> {
        let found = value.unwrap_or(&Value::Null);
        let text = found.as_str().unwrap_or_default();
        let (holds, what) = match word {
            "$any" => (!found.is_null(), "there"),
            "$text" => (!text.is_empty(), "a text"),
            "$plugin_name" => (PluginName::parse(text).is_some(), "the name of a plugin"),
            "$reserved" => (RESERVED.contains(&text), "a command of `bot-cli` itself"),
            "$credential" => (names_a_credential(text).is_some(), "a credential"),
            "$semver" => (
                semver::Version::parse(text).is_ok(),
                "a version as semver.org has it: `1.2.0`",
            ),
            "$range" => (
                compat::range(text).is_ok(),
                "a range of versions: `>=1.2,<2`",
            ),
            "$question" => return answerable(found),
            "$shape" => return shaped(&self.method, "result", found),
            _ => {
                let is_known =
                    word.starts_with("$?") || (word.starts_with("$$") && !found.is_null());
                let first = self.names.entry(word.to_owned());
                let is_same = first.or_insert_with(|| found.clone()) == found;
                (is_known && is_same, "the same again")
            }
        };
        must(holds, at, what)
    }

    /// Applies a rule such as `{"$one":PATTERN}`. An empty list satisfies any rule about all elements of a list.
    fn rule(
        &mut self,
        rule: &str,
        inner: &Value,
        value: Option<&Value>,
        at: &str,
    ) -> Result<(), String> {
        let patterns = inner.as_array().map_or(&[][..], Vec::as_slice);
        let text = value.and_then(Value::as_str);
        let list: Vec<&Value> = match value {
            Some(Value::Array(list)) => list.iter().collect(),
            Some(Value::Object(members)) => members.values().collect(),
            _ => Vec::new(),
        };
        let mut fits = |pattern: &Value, value| self.compare(pattern, value, "").is_ok();
        let holds = match rule {
            "$not" => !patterns.iter().any(|pattern| fits(pattern, value)),
            "$or" => patterns.iter().any(|pattern| fits(pattern, value)),
            "$one" => list.iter().filter(|it| fits(inner, Some(it))).count() == 1,
            "$first" => list.first().is_some_and(|first| fits(inner, Some(first))),
            "$each" => {
                return list.iter().enumerate().try_for_each(|(number, element)| {
                    let name = element["name"].as_str().map(str::to_owned);
                    let name = name.unwrap_or_else(|| number.to_string());
                    self.compare(inner, Some(element), &format!("{at}[{name}]"))
                });
            }
            "$same" => patterns.len() == list.len() && patterns.iter().all(|it| list.contains(&it)),
            "$unique" => patterns.iter().filter_map(Value::as_str).all(|name| {
                let values: Vec<_> = list.iter().filter_map(|it| it.get(name)).collect();
                let mut values_before = (0..).map(|at| &values[..at]).zip(&values);
                values_before.all(|(before, value)| !before.contains(value))
            }),
            "$begins" => text
                .zip(inner.as_str())
                .is_some_and(|(text, it)| text.starts_with(it)),
            "$like" => text.zip(inner.as_str()).is_some_and(|(text, it)| {
                Regex::new(it).is_ok_and(|pattern| pattern.is_match(text))
            }),
            "$from" => value.and_then(Value::as_u64) >= inner.as_u64(),
            "$to" => value.and_then(Value::as_u64) <= inner.as_u64(),
            _ => false,
        };
        must(holds, at, &format!("{{\"{rule}\":{}}}", quoted(inner)))
    }
}

fn must(holds: bool, at: &str, what: &str) -> Result<(), String> {
    if holds {
        return Ok(());
    }
    Err(format!("`{at}` must be {what}"))
}

/// Checks that `value` has the type that the protocol specifies for `method`.
pub fn shaped(method: &str, name: &str, value: &Value) -> Result<(), String> {
    let read: fn(&str, &Value) -> Result<(), String> = match method {
        methods::RUN => read::<RunResult>,
        methods::COMPLETE => read::<CompleteResult>,
        methods::ASK => read::<Question>,
        methods::OUTPUT => read::<OutputParams>,
        methods::PROGRESS => read::<ProgressParams>,
        methods::LOG => read::<LogParams>,
        of_sets::OPEN => read::<secrets::OpenResult>,
        of_sets::LIST => read::<secrets::ListResult>,
        of_sets::GET => read::<secrets::GetResult>,
        of_sets::VALUES => read::<secrets::ValuesResult>,
        of_sets::CREDENTIALS => read::<secrets::CredentialsResult>,
        of_sets::UNSET => read::<secrets::UnsetResult>,
        of_sets::DELETE => read::<secrets::DeleteResult>,
        _ => read::<Map<String, Value>>,
    };
    read(name, value)
}

fn read<T: DeserializeOwned>(name: &str, value: &Value) -> Result<(), String> {
    shape::read::<T>(name, value.clone()).map(drop)
}

fn answerable(question: &Value) -> Result<(), String> {
    let question: Question = shape::read("question", question.clone())?;
    let key = &question.key;
    let default = question.default.as_ref();
    if question.kind.has_choices() && question.choices.is_empty() {
        Err(format!("the question `{key}` has no `choices`"))
    } else if key.is_empty() || question.message.is_empty() {
        Err(format!("the question `{key}` has no key or no message"))
    } else if default.is_some_and(|default| question.check(default).is_err()) {
        Err(format!("the `default` of `{key}` is not a possible answer"))
    } else {
        Ok(())
    }
}

fn quoted(value: &Value) -> String {
    shown(value.to_string().as_bytes())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Known;

    fn fits(pattern: &Value, value: &Value) -> bool {
        Known::default().compare(pattern, Some(value), "it").is_ok()
    }

    #[test]
    fn a_pattern_names_what_must_be_there_and_nothing_else() {
        for (pattern, good, bad) in [
            (json!({"a":1}), json!({"a":1,"b":2}), json!({"b":2})),
            (json!({"a":null}), json!({}), json!({"a":0})),
            (json!({}), json!({"a":1}), json!(null)),
            (json!(["A"]), json!(["A"]), json!(["A", "B"])),
            (json!("$text"), json!("x"), json!("")),
            (json!({"$from":1,"$to":3}), json!(3), json!(4)),
            (json!({"$like":"^a$"}), json!("a"), json!("ab")),
            (json!({"a":{"$not":[1, 2]}}), json!({}), json!({"a":2})),
            (json!({"$same":["A","B"]}), json!(["B", "A"]), json!(["B"])),
            (json!({"$one":1}), json!([1, 2]), json!([1, 1])),
            (json!({"$each":1}), json!([]), json!([1, 2])),
            (
                json!({"$unique":["a"]}),
                json!([{"a":1},{"a":2},{},{}]),
                json!([{"a":1},{},{"a":1}]),
            ),
            (
                json!({"a":"$$x","b":"$$x"}),
                json!({"a":1,"b":1}),
                json!({"a":1,"b":2}),
            ),
            (json!({"a":"$?x","b":"$?x"}), json!({}), json!({"a":1})),
        ] {
            assert!(fits(&pattern, &good), "{pattern} {good}");
            assert!(!fits(&pattern, &bad), "{pattern} {bad}");
        }
    }

    #[test]
    fn the_place_of_a_difference_is_named() {
        let value = json!({"list":[{"name":"a","code":-32600}]});
        let pattern = json!({"list":{"$each":{"code":1}}});
        let differs = Known::default().compare(&pattern, Some(&value), "reply");
        assert_eq!(differs, Err("`reply.list[a].code` must be 1".to_owned()));
    }
}
