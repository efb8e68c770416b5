//! Compares values with JSON Schemas (draft 2020-12). The crate for this would make the executable larger by a third.

use regex_lite::Regex;
use serde_json::{Map, Value};

use super::bench::{Held, Stop, failed, not_run};

/// The keywords that require nothing of a value.
const NOTES: [&str; 13] = [
    "$schema",
    "$id",
    "$comment",
    "$defs",
    "definitions",
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "format",
];

/// The maximum number of nested schemas. A reference may lead to itself.
const DEEPEST: usize = 128;

/// Checks that a value matches a schema. A keyword that is not compared here stops the check as not run.
pub fn compare(schema: &Value, value: &Value) -> Held {
    let root = schema;
    Comparison { root, depth: 0 }.matches(schema, value, "")
}

#[derive(Clone, Copy)]
struct Comparison<'a> {
    root: &'a Value,
    depth: usize,
}

impl Comparison<'_> {
    fn matches(mut self, schema: &Value, value: &Value, at: &str) -> Held {
        self.depth += 1;
        if self.depth > DEEPEST {
            return not_run("the `result` schema is nested too deeply");
        }
        if let Some(is_allowed) = schema.as_bool() {
            return must(is_allowed, at, "absent");
        }
        let Some(keywords) = schema.as_object() else {
            return failed("the `result` of its command is neither an object nor a boolean");
        };
        keywords.iter().try_for_each(|(keyword, rule)| {
            if let Some(holds) = self.below(keyword, rule, keywords, value, at) {
                return holds;
            }
            let what = format!("as its schema says: `\"{keyword}\":{rule}`");
            must(self.holds(keyword, rule, value, at)?, at, &what)
        })
    }

    /// Compares the parts of a value with the schemas in a keyword. Returns `None` for a keyword about the value itself.
    fn below(
        self,
        keyword: &str,
        rule: &Value,
        schema: &Map<String, Value>,
        value: &Value,
        at: &str,
    ) -> Option<Held> {
        let members = value.as_object().into_iter().flatten();
        let elements = value.as_array().into_iter().flatten().enumerate();
        let rules = rule.as_array().into_iter().flatten();
        let member = |rule: &Value, (name, it): (&String, &Value)| {
            self.matches(rule, it, &format!("{at}/{name}"))
        };
        let element = |rule: &Value, (number, it): (usize, &Value)| {
            self.matches(rule, it, &format!("{at}/{number}"))
        };
        let named = |keyword: &str| schema.get(keyword).and_then(Value::as_object);
        Some(match keyword {
            "properties" => { members }.try_for_each(|it| {
                let rule = rule.get(it.0);
                rule.map_or(Ok(()), |rule| member(rule, it))
            }),
            "patternProperties" => { members }.try_for_each(|it| {
                let mut rules = rule.as_object().into_iter().flatten();
                rules.try_for_each(|(name, rule)| {
                    let is_named = pattern(name)?.is_match(it.0);
                    if is_named { member(rule, it) } else { Ok(()) }
                })
            }),
            "additionalProperties" => { members }.try_for_each(|it| {
                let mut is_known =
                    named("properties").is_some_and(|known| known.contains_key(it.0));
                for (name, _) in named("patternProperties").into_iter().flatten() {
                    is_known |= pattern(name)?.is_match(it.0);
                }
                if is_known { Ok(()) } else { member(rule, it) }
            }),
            "prefixItems" => { rules }
                .zip(elements)
                .try_for_each(|(rule, it)| element(rule, it)),
            "items" => {
                let first = schema.get("prefixItems").and_then(Value::as_array);
                let first = first.map_or(0, Vec::len);
                { elements }
                    .skip(first)
                    .try_for_each(|it| element(rule, it))
            }
            "allOf" => { rules }.try_for_each(|rule| self.matches(rule, value, at)),
            "if" => {
                let branch = match self.matches(rule, value, at) {
                    Ok(()) => "then",
                    Err(Stop::Failed(_)) => "else",
                    stopped => return Some(stopped),
                };
                let branch = schema.get(branch);
                branch.map_or(Ok(()), |rule| self.matches(rule, value, at))
            }
            "$ref" => {
                let target = rule.as_str().and_then(|it| it.strip_prefix('#'));
                match target.and_then(|it| self.root.pointer(it)) {
                    Some(target) => self.matches(target, value, at),
                    None => not_run(format!("the `result` schema refers to {rule}")),
                }
            }
            "then" | "else" => Ok(()),
            _ if NOTES.contains(&keyword) || keyword.starts_with("x-") => Ok(()),
            _ => return None,
        })
    }

    fn holds(self, keyword: &str, rule: &Value, value: &Value, at: &str) -> Result<bool, Stop> {
        let rules = rule.as_array().map_or(&[][..], Vec::as_slice);
        let (text, items) = (value.as_str(), value.as_array());
        let fits = |schema: &Value| match self.matches(schema, value, at) {
            Ok(()) => Ok(true),
            Err(Stop::Failed(_)) => Ok(false),
            Err(stop) => Err(stop),
        };
        let fitting = || {
            let mut fitting = rules.iter().map(fits);
            fitting.try_fold(0, |sum, it| Ok::<_, Stop>(sum + i32::from(it?)))
        };
        let length =
            |length: Option<usize>| length.and_then(|it| u32::try_from(it).ok()).map(f64::from);
        let measured = match keyword {
            "minLength" | "maxLength" => length(text.map(|it| it.chars().count())),
            "minItems" | "maxItems" => length(items.map(Vec::len)),
            "minProperties" | "maxProperties" => length(value.as_object().map(Map::len)),
            _ => value.as_f64(),
        };
        let limited = |fits: fn(f64, f64) -> bool| {
            measured
                .zip(rule.as_f64())
                .is_none_or(|(it, limit)| fits(it, limit))
        };
        Ok(match keyword {
            "minimum" | "minLength" | "minItems" | "minProperties" => {
                limited(|it, least| it >= least)
            }
            "maximum" | "maxLength" | "maxItems" | "maxProperties" => {
                limited(|it, most| it <= most)
            }
            "exclusiveMinimum" => limited(|it, limit| it > limit),
            "exclusiveMaximum" => limited(|it, limit| it < limit),
            "multipleOf" => limited(|it, step| (it / step).fract() == 0.0),
            "uniqueItems" => {
                let items = items.map_or(&[][..], Vec::as_slice);
                *rule == false || (1..items.len()).all(|end| !items[..end].contains(&items[end]))
            }
            "type" => {
                let mut kinds = rules.iter().chain([rule]).filter_map(Value::as_str);
                kinds.any(|kind| is_of(value, kind))
            }
            "const" => rule == value,
            "enum" => rules.contains(value),
            "pattern" => {
                let pattern = pattern(rule.as_str().unwrap_or_default())?;
                text.is_none_or(|text| pattern.is_match(text))
            }
            "required" => {
                let mut names = rules.iter().filter_map(Value::as_str);
                !value.is_object() || names.all(|name| value.get(name).is_some())
            }
            "anyOf" => fitting()? > 0,
            "oneOf" => fitting()? == 1,
            "not" => !fits(rule)?,
            _ => {
                return not_run(format!(
                    "the `result` schema has `{keyword}`, which is not compared"
                ));
            }
        })
    }
}

fn is_of(value: &Value, kind: &str) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|it| it.fract() == 0.0),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}

fn pattern(text: &str) -> Result<Regex, Stop> {
    Regex::new(text).or_else(|_| {
        not_run(format!(
            "the `result` schema has the pattern `{text}`, which is not compared"
        ))
    })
}

fn must(holds: bool, at: &str, what: &str) -> Held {
    if holds {
        return Ok(());
    }
    failed(format!("`data{at}` must be {what}"))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Stop, compare};

    fn result(schema: &Value, value: &Value) -> &'static str {
        match compare(schema, value) {
            Ok(()) => "fits",
            Err(Stop::Failed(_)) => "differs",
            Err(Stop::NotRun(_) | Stop::Ended(_)) => "not compared",
        }
    }

    #[test]
    fn each_keyword_accepts_what_fits_and_rejects_what_differs() {
        for (schema, good, bad) in [
            (json!({"type":"integer"}), json!(2), json!(2.5)),
            (json!({"type":["string","null"]}), json!(null), json!(1)),
            (json!({"enum":["a",1]}), json!(1), json!("b")),
            (json!({"const":{"a":1}}), json!({"a":1}), json!({"a":2})),
            (
                json!({"properties":{"a":false}}),
                json!({"b":1}),
                json!({"a":1}),
            ),
            (json!({"required":["a"]}), json!({"a":null}), json!({})),
            (
                json!({"patternProperties":{"^x":{"type":"null"}}}),
                json!({"a":1}),
                json!({"xa":1}),
            ),
            (
                json!({"properties":{"a":{}},"patternProperties":{"^x":{}},"additionalProperties":false}),
                json!({"a":1,"xa":2}),
                json!({"b":1}),
            ),
            (json!({"items":{"minimum":2}}), json!([2, 3]), json!([2, 1])),
            (
                json!({"prefixItems":[{}],"items":false}),
                json!([1]),
                json!([1, 2]),
            ),
            (json!({"uniqueItems":true}), json!([1, 2]), json!([1, 2, 1])),
            (json!({"minItems":1,"maxItems":1}), json!([1]), json!([])),
            (
                json!({"minLength":2,"maxLength":2}),
                json!("äö"),
                json!("a"),
            ),
            (json!({"maxProperties":0}), json!({}), json!({"a":1})),
            (json!({"exclusiveMinimum":1}), json!(1.1), json!(1)),
            (
                json!({"exclusiveMaximum":1,"multipleOf":0.5}),
                json!(0.5),
                json!(1),
            ),
            (json!({"pattern":"^a"}), json!("ab"), json!("ba")),
            (
                json!({"allOf":[{"minimum":1},{"maximum":2}]}),
                json!(2),
                json!(3),
            ),
            (
                json!({"anyOf":[{"const":1},{"const":2}]}),
                json!(2),
                json!(3),
            ),
            (
                json!({"oneOf":[{"minimum":1},{"minimum":2}]}),
                json!(1),
                json!(2),
            ),
            (json!({"not":{"const":1}}), json!(2), json!(1)),
            (
                json!({"if":{"type":"string"},"then":{"minLength":1},"else":{"const":0}}),
                json!(0),
                json!(""),
            ),
            (
                json!({"$defs":{"tree":{"items":{"$ref":"#/$defs/tree"},"type":"array"}},"$ref":"#/$defs/tree"}),
                json!([[], [[]]]),
                json!([[1]]),
            ),
        ] {
            assert_eq!(result(&schema, &good), "fits", "{schema} {good}");
            assert_eq!(result(&schema, &bad), "differs", "{schema} {bad}");
        }
    }

    #[test]
    fn what_is_not_compared_does_not_pass() {
        for schema in [
            json!({"unevaluatedProperties":false}),
            json!({"not":{"contains":{}}}),
            json!({"$ref":"https://example.com/schema"}),
            json!({"$ref":"#"}),
            json!({"pattern":"(?=a)"}),
        ] {
            assert_eq!(result(&schema, &json!("a")), "not compared", "{schema}");
        }
        assert_eq!(result(&json!(3), &json!(3)), "differs");
    }
}
