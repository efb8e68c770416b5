//! Checks that the schema accepts what the specification allows and rejects what it forbids.

use jsonschema::Validator;
use serde_json::{Value, json};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../sdk/protocol");

fn schema() -> Value {
    let text = std::fs::read_to_string(format!("{FOLDER}/protocol.schema.json")).unwrap();
    text.parse().unwrap()
}

/// Returns a validator for one message, or for the result of `method`.
fn validator(method: Option<&str>) -> Validator {
    let mut schema = schema();
    if let Some(method) = method {
        let result = schema["x-results"][method].clone();
        schema = json!({ "$defs": schema["$defs"], "allOf": [result] });
    }
    jsonschema::draft202012::new(&schema).unwrap()
}

/// Returns each text and whether it should be valid.
fn rows(lines: &str) -> impl Iterator<Item = (bool, &str)> {
    lines.lines().map(|line| {
        let (word, text) = line.split_once(' ').unwrap();
        (word == "valid", text)
    })
}

#[test]
fn every_line_of_the_document_is_valid() {
    let message = validator(None);
    let document = include_str!("../../../../sdk/protocol/PROTOCOL.md");
    let blocks = document.split("\n```json\n").skip(1);
    let lines = blocks.flat_map(|rest| rest.split_once("\n```\n").unwrap().0.lines());
    for line in lines {
        assert!(message.is_valid(&line.parse().unwrap()), "{line}");
    }
}

#[test]
fn messages_are_as_the_document_says() {
    let message = validator(None);
    for (valid, text) in rows(include_str!("messages.txt")) {
        let mut line: Value = text.parse().unwrap();
        assert!(!message.is_valid(&line), "without `jsonrpc`: {text}");
        line["jsonrpc"] = json!("2.0");
        assert_eq!(message.is_valid(&line), valid, "{text}");
    }
    assert!(!message.is_valid(&json!([])));
}

#[test]
fn results_are_as_the_document_says() {
    for (valid, line) in rows(include_str!("results.txt")) {
        let (method, text) = line.split_once(' ').unwrap();
        let result = text.parse().unwrap();
        assert_eq!(
            validator(Some(method)).is_valid(&result),
            valid,
            "{method}: {text}"
        );
    }
}
