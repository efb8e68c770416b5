//! The schema accepts what the document allows and refuses what it forbids.

use jsonschema::Validator;
use serde_json::{Value, json};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../sdk/protocol");

fn schema() -> Value {
    let text = std::fs::read_to_string(format!("{FOLDER}/protocol.schema.json")).unwrap();
    text.parse().unwrap()
}

/// The schema of one message, or of the result of `method`.
fn validator(method: Option<&str>) -> Validator {
    let mut schema = schema();
    if let Some(method) = method {
        let result = schema["x-results"][method].clone();
        schema = json!({ "$defs": schema["$defs"], "allOf": [result] });
    }
    jsonschema::draft202012::new(&schema).unwrap()
}

#[test]
fn every_line_of_the_document_is_valid() {
    let message = validator(None);
    let files = std::fs::read_dir(format!("{FOLDER}/tests/examples")).unwrap();
    let lines = files
        .map(|file| file.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "jsonl"))
        .flat_map(|path| {
            let text = std::fs::read_to_string(path).unwrap();
            text.lines().map(str::to_owned).collect::<Vec<_>>()
        });
    for line in lines {
        assert!(message.is_valid(&line.parse().unwrap()), "{line}");
    }
}

#[test]
fn messages_are_as_the_document_says() {
    let message = validator(None);
    for (valid, text) in [
        (true, r#"{"id":1,"method":"run","params":{"argv":[]}}"#),
        (
            true,
            r#"{"id":"a","method":"run","params":{"protocol":"1.9","command":[],"later":1}}"#,
        ),
        (true, r#"{"id":1,"method":"secrets/list","params":{}}"#),
        (true, r#"{"id":1,"method":"describe","params":{}}"#),
        (true, r#"{"id":1,"result":{}}"#),
        (
            true,
            r#"{"id":null,"error":{"code":-32700,"message":"no JSON"}}"#,
        ),
        (
            true,
            r#"{"id":1,"error":{"code":2,"message":"no","data":{"code":"usage","later":[]}}}"#,
        ),
        (false, r#"{"id":1,"method":"run"}"#),
        (false, r#"{"id":1,"method":"run","params":{}}"#),
        (
            false,
            r#"{"id":1,"method":"run","params":{"argv":[],"command":[]}}"#,
        ),
        (
            false,
            r#"{"id":1,"method":"run","params":{"argv":[],"input":{}}}"#,
        ),
        (false, r#"{"id":1,"method":"run","params":{"argv":"x"}}"#),
        (false, r#"{"id":1.5,"method":"run","params":{"argv":[]}}"#),
        (
            true,
            r#"{"id":1,"method":"run","params":{"command":[],"input":{"a":1,"b":["c",true]}}}"#,
        ),
        (
            false,
            r#"{"id":1,"method":"run","params":{"command":[],"input":{"a":null}}}"#,
        ),
        (
            false,
            r#"{"id":1,"method":"run","params":{"command":[],"input":{"a":{}}}}"#,
        ),
        (
            false,
            r#"{"id":1,"method":"ask","params":{"key":"a","kind":"select","message":"b"}}"#,
        ),
        (
            false,
            r#"{"id":1,"method":"ask","params":{"key":"a","kind":"multiselect","message":"b","choices":[]}}"#,
        ),
        (
            false,
            r#"{"method":"log","params":{"id":1,"level":"info","message":"a\nb"}}"#,
        ),
        (false, r#"{"id":null,"method":"run","params":{"argv":[]}}"#),
        (false, r#"{"method":"run","params":{"argv":[]}}"#),
        (false, r#"{"id":1,"method":"cancel","params":{"id":1}}"#),
        (false, r#"{"method":"cancel","params":{}}"#),
        (false, r#"{"id":1}"#),
        (
            false,
            r#"{"id":1,"result":{},"error":{"code":1,"message":"no"}}"#,
        ),
        (false, r#"{"id":1,"result":[]}"#),
        (false, r#"{"id":1,"result":null}"#),
        (false, r#"{"id":null,"result":{}}"#),
        (false, r#"{"id":1,"error":{"code":"1","message":"no"}}"#),
        (false, r#"{"id":1,"error":{"code":1}}"#),
        (
            false,
            r#"{"id":1,"error":{"code":1,"message":"no","data":{"fields":"oops"}}}"#,
        ),
        (
            false,
            r#"{"method":"log","params":{"id":1,"message":"no level"}}"#,
        ),
        (
            false,
            r#"{"id":1,"method":"ask","params":{"key":"k","message":"m","kind":"colour"}}"#,
        ),
    ] {
        let mut line: Value = text.parse().unwrap();
        assert!(!message.is_valid(&line), "without `jsonrpc`: {text}");
        line["jsonrpc"] = json!("2.0");
        assert_eq!(message.is_valid(&line), valid, "{text}");
    }
    assert!(!message.is_valid(&json!([])));
}

#[test]
fn results_are_as_the_document_says() {
    for (valid, method, text) in [
        (true, "run", "{}"),
        (
            true,
            "run",
            r#"{"text":"a","data":[],"exit":7,"next":["b"],"later":1}"#,
        ),
        (false, "run", r#"{"text":["a"]}"#),
        (false, "run", r#"{"exit":256}"#),
        (false, "run", r#"{"exit":-1}"#),
        (false, "run", "[]"),
        (
            true,
            "describe",
            r#"{"protocol":"1.0","name":"a-1","role":"weather"}"#,
        ),
        (false, "describe", r#"{"protocol":"1.0","name":"A"}"#),
        (false, "describe", r#"{"name":"a"}"#),
        (
            false,
            "describe",
            r#"{"protocol":"1.0","name":"a","command":[]}"#,
        ),
        (true, "complete", r#"{"candidates":[{"value":"a"}]}"#),
        (false, "complete", r#"{"candidates":["a"]}"#),
        (false, "complete", "{}"),
        (true, "ask", r#"{"action":"accept","value":false}"#),
        (true, "ask", r#"{"action":"cancel"}"#),
        (false, "ask", r#"{"action":"accept"}"#),
        (false, "ask", r#"{"value":"a"}"#),
        (true, "stdin", r#"{"text":""}"#),
        (true, "stdin", r#"{"base64":"//79"}"#),
        (false, "stdin", "{}"),
        (false, "stdin", r#"{"text":"","base64":""}"#),
    ] {
        let result = text.parse().unwrap();
        assert_eq!(
            validator(Some(method)).is_valid(&result),
            valid,
            "{method}: {text}"
        );
    }
}
