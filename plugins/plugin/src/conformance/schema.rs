//! Compares values with JSON Schemas (draft 2020-12). The crate for this would exceed the size that the executable may have.

use std::cell::Cell;

use serde_json::Value;

use super::bench::{Held, Stop, failed, not_run};

/// The keywords that require nothing of a value.
const NOTES: &str = "$schema $id $comment $defs title description default examples deprecated readOnly writeOnly format";

/// The maximum number of comparisons. A reference may lead to itself.
const MOST: u32 = 100_000;

/// The maximum number of nested schemas.
const DEEPEST: usize = 128;

/// Checks that a value matches a schema. A schema with a keyword that is not compared here is not run.
pub fn compare(schema: &Value, value: &Value) -> Held {
    let (root, left) = (schema, Cell::new(MOST));
    let comparison = Comparison {
        root,
        left: &left,
        depth: 0,
    };
    comparison.matches(schema, value, "")
}

#[derive(Clone, Copy)]
struct Comparison<'a> {
    root: &'a Value,
    left: &'a Cell<u32>,
    depth: usize,
}

impl Comparison<'_> {
    fn matches(mut self, schema: &Value, value: &Value, at: &str) -> Held {
        self.depth += 1;
        self.left.set(self.left.get().saturating_sub(1));
        if self.depth > DEEPEST || self.left.get() == 0 {
            return not_run("the `result` schema takes too many comparisons");
        }
        if let Some(is_allowed) = schema.as_bool() {
            return must(is_allowed, at, "absent");
        }
        let Some(keywords) = schema.as_object() else {
            return failed("the `result` of its command is neither an object nor a boolean");
        };
        // A keyword that is not compared can only forbid more.
        let mut unknown = Ok(());
        for (keyword, rule) in keywords {
            let what = format!("as its schema says: `\"{keyword}\":{rule}`");
            match self.holds(keyword, rule, schema, value, at) {
                Err(stop @ Stop::NotRun(_)) => unknown = Err(stop),
                holds => must(holds?, at, &what)?,
            }
            if self.left.get() == 0 {
                break;
            }
        }
        unknown
    }

    /// Reports whether a value fits a keyword. Fails if a part of the value doesn't match its schema.
    fn holds(
        self,
        keyword: &str,
        rule: &Value,
        schema: &Value,
        value: &Value,
        at: &str,
    ) -> Result<bool, Stop> {
        let rules = rule.as_array().map_or(&[][..], Vec::as_slice);
        let elements = value.as_array().into_iter().flatten().enumerate();
        let members = value.as_object().into_iter().flatten();
        let below = |rule, value, part: &str| self.matches(rule, value, &format!("{at}/{part}"));
        let fitting = || {
            let mut fitting = rules.iter().map(|rule| self.matches(rule, value, at));
            fitting.try_fold(0, |sum, held| match held {
                Ok(()) => Ok(sum + 1),
                Err(Stop::Failed(_)) => Ok(sum),
                Err(stop) => Err(stop),
            })
        };
        let count = value.as_array().and_then(|it| u32::try_from(it.len()).ok());
        let amount = match keyword {
            "minItems" | "maxItems" => count.map(f64::from),
            _ => value.as_f64(),
        };
        let limited = |fits: fn(&f64, &f64) -> bool| {
            amount
                .zip(rule.as_f64())
                .is_none_or(|(it, limit)| fits(&it, &limit))
        };
        let is_formed = match keyword {
            "properties" => rule.is_object(),
            "required" | "enum" | "anyOf" | "oneOf" | "allOf" | "prefixItems" => rule.is_array(),
            "minimum" | "maximum" => rule.is_number(),
            "minItems" | "maxItems" => rule.is_u64(),
            "type" => rule.is_array() || rule.is_string(),
            _ => true,
        };
        if !is_formed {
            let problem =
                format!("the `result` schema has `\"{keyword}\":{rule}`, which is not valid");
            return failed(problem).map(|()| true);
        }
        match keyword {
            "properties" => { members }.try_for_each(|(name, it)| {
                let rule = rule.get(name);
                rule.map_or(Ok(()), |rule| below(rule, it, name))
            })?,
            "additionalProperties" if schema.get("patternProperties").is_some() => {
                return not_run(
                    "the `result` schema has `patternProperties`, which is not compared",
                );
            }
            "additionalProperties" => { members }.try_for_each(|(name, it)| {
                let known = schema["properties"].get(name);
                known.map_or_else(|| below(rule, it, name), |_| Ok(()))
            })?,
            "items" => {
                let first = schema["prefixItems"].as_array().map_or(0, Vec::len);
                let mut others = { elements }.skip(first);
                others.try_for_each(|(number, it)| below(rule, it, &number.to_string()))?;
            }
            "prefixItems" => { elements }
                .zip(rules)
                .try_for_each(|((number, it), rule)| below(rule, it, &number.to_string()))?,
            "allOf" => { rules.iter() }.try_for_each(|rule| self.matches(rule, value, at))?,
            "$ref" => {
                let target = rule.as_str().and_then(|it| it.strip_prefix('#'));
                match target.and_then(|it| self.root.pointer(it)) {
                    Some(target) => self.matches(target, value, at)?,
                    None => return not_run(format!("the `result` schema refers to {rule}")),
                }
            }
            "type" => {
                let mut kinds = rules.iter().chain([rule]).filter_map(Value::as_str);
                return Ok(kinds.any(|kind| is_of(value, kind)));
            }
            "const" => return Ok(is_same(rule, value)),
            "enum" => return Ok(rules.iter().any(|it| is_same(it, value))),
            "required" => {
                let mut names = rules.iter().filter_map(Value::as_str);
                return Ok(!value.is_object() || names.all(|name| value.get(name).is_some()));
            }
            "minimum" | "minItems" => return Ok(limited(f64::ge)),
            "maximum" | "maxItems" => return Ok(limited(f64::le)),
            "anyOf" => return Ok(fitting()? > 0),
            "oneOf" => return Ok(fitting()? == 1),
            _ if keyword.starts_with("x-") || NOTES.split(' ').any(|it| it == keyword) => {}
            _ => {
                let problem = format!("the `result` schema has `{keyword}`, which is not compared");
                return not_run(problem);
            }
        }
        Ok(true)
    }
}

/// Compares values as JSON Schema does: `1` equals `1.0`.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one.as_f64(), other.as_f64()) {
        (Some(one), Some(other)) => one.total_cmp(&other).is_eq(),
        _ => one == other,
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
            (json!({"enum":[1,2]}), json!(1.0), json!(1.5)),
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
                json!({"properties":{"a":{}},"additionalProperties":{"type":"null"}}),
                json!({"a":1,"b":null}),
                json!({"b":1}),
            ),
            (json!({"items":{"minimum":2}}), json!([2, 3]), json!([2, 1])),
            (
                json!({"prefixItems":[{}],"items":false}),
                json!([1]),
                json!([1, 2]),
            ),
            (json!({"minItems":1,"maxItems":1}), json!([1]), json!([])),
            (json!({"minimum":0,"maximum":255}), json!(255), json!(256)),
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
            json!({"anyOf":[{"not":{}}]}),
            json!({"$ref":"https://example.com/schema"}),
            json!({"$ref":"#"}),
            json!({"additionalProperties":false,"patternProperties":{"^a":{}}}),
        ] {
            assert_eq!(result(&schema, &json!({"a":1})), "not compared", "{schema}");
        }
        let endless = json!({"$defs":{"a":{"$ref":"#/$defs/a","allOf":[{"$ref":"#/$defs/a"}]}},"$ref":"#/$defs/a"});
        assert_eq!(result(&endless, &json!(1)), "not compared");
        for schema in [
            json!(3),
            json!({"type":"object","minProperties":1}),
            json!({"required":"a"}),
            json!({"properties":[1]}),
        ] {
            assert_eq!(result(&schema, &json!("a text")), "differs", "{schema}");
        }
    }
}
