//! Decodes JSON values. Errors name the invalid field but never quote its value, which may be a misplaced secret.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// Decodes the object `value`. Errors contain `name` and the path of the invalid field, for example: `params.argv` must be a list.
pub fn read<T: DeserializeOwned>(name: &str, value: Value) -> Result<T, String> {
    if !value.is_object() {
        return Err(format!("`{name}` must be an object"));
    }
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        let field = match path.as_str() {
            "." => name.to_owned(),
            path if path.starts_with('[') => format!("{name}{path}"),
            path => format!("{name}.{path}"),
        };
        problem(&field, &error.into_inner().to_string())
    })
}

/// Converts serde's error text into a message without the value. In serde's text, the value precedes the expected type.
pub fn problem(field: &str, text: &str) -> String {
    if let Some(missing) = text
        .strip_prefix("missing field `")
        .and_then(|rest| rest.split('`').next())
    {
        return format!("`{field}` has no `{missing}`");
    }
    match text.rsplit_once(", expected ") {
        Some((_, expected)) => format!("`{field}` must be {}", form(expected)),
        None => format!("`{field}` has the wrong form"),
    }
}

fn form(expected: &str) -> &str {
    match expected {
        "a sequence" => "a list",
        "a boolean" => "true or false",
        "u8" => "a number from 0 to 255",
        "u32" => "a number from 0 to 4294967295",
        "u64" => "a number that is not negative",
        "i64" => "a whole number",
        "a string" | "string or map" => "a string",
        "a character" => "one character",
        expected if expected.starts_with("struct ") || expected == "a map" => "an object",
        expected if expected.starts_with("one of `") || expected.starts_with('`') => expected,
        _ => "of another form",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::read;
    use crate::RunParams;

    const CANARY: &str = "zQ7x9Wv3, expected a c4n4ry";

    fn problem<T: serde::de::DeserializeOwned>(value: Value) -> String {
        let problem = read::<T>("params", value).err().unwrap_or_default();
        for part in ["zQ7x", "9Wv3", "c4n4ry"] {
            assert!(!problem.contains(part), "{problem}");
        }
        problem
    }

    /// Rows of invalid parameters and their expected error messages. `@` stands for `CANARY`.
    const WRONG: &str = r#"{"argv":"@"} | `params.argv` must be a list
{"argv":[["@"]]} | `params.argv[0]` must be a string
{"answers":"@"} | `params.answers` must be an object
{"capabilities":"@"} | `params.capabilities` must be an object
{"capabilities":{"ask":{"kinds":"@"}}} | `params.capabilities.ask.kinds` must be a list
{"context":"@"} | `params.context` must be an object
{"context":{"verbosity":"@"}} | `params.context.verbosity` must be a number from 0 to 255
{"context":{"interactive":"@"}} | `params.context.interactive` must be true or false
{"context":{"color":1}} | `params.context.color` must be a string
{"context":{"host":{"version":"1"}}} | `params.context.host` has no `name`"#;

    #[test]
    fn what_has_the_wrong_shape_is_named_with_what_belongs_there() {
        for row in WRONG.lines() {
            let (params, expected) = row.split_once(" | ").unwrap();
            let params: Value = params.replace('@', CANARY).parse().unwrap();
            let mut whole = json!({ "protocol": "1.0", "argv": [] });
            whole
                .as_object_mut()
                .unwrap()
                .extend(params.as_object().unwrap().clone());
            assert_eq!(problem::<RunParams>(whole), expected, "{params}");
        }
        assert_eq!(
            problem::<RunParams>(json!(CANARY)),
            "`params` must be an object"
        );
        assert_eq!(
            problem::<RunParams>(json!({})),
            "`params` has no `protocol`"
        );
    }
}
