//! The JSON Schema of the wire types. It is stored in `protocol.schema.json`, and this is the test that holds it there.

use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Value, json};

use super::{
    AskResult, CancelParams, CompleteParams, CompleteResult, DescribeParams, ErrorData,
    ErrorObject, Id, LogParams, Manifest, OutputParams, ProgressParams, RunParams, RunResult,
    StdinResult, methods,
};
use crate::question::Question;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/protocol.schema.json");

#[test]
fn the_stored_schema_is_that_of_the_types() {
    let generated = serde_json::to_string_pretty(&schema()).unwrap() + "\n";
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(FILE, &generated).unwrap();
    }
    let stored = std::fs::read_to_string(FILE).unwrap_or_default();
    assert!(
        stored == generated,
        "run `UPDATE=1 cargo test -p bot-cli-sdk schema`"
    );
}

fn schema() -> Value {
    let mut types = SchemaGenerator::default();
    let id = of::<Id>(&mut types);
    let error = of::<ErrorObject>(&mut types);
    of::<ErrorData>(&mut types);
    let nothing = json!({ "type": "object" });
    let host = [
        (
            methods::RUN,
            of::<RunParams>(&mut types),
            of::<RunResult>(&mut types),
        ),
        (
            methods::DESCRIBE,
            of::<DescribeParams>(&mut types),
            of::<Manifest>(&mut types),
        ),
        (
            methods::COMPLETE,
            of::<CompleteParams>(&mut types),
            of::<CompleteResult>(&mut types),
        ),
    ];
    let plugin = [
        (
            methods::ASK,
            of::<Question>(&mut types),
            of::<AskResult>(&mut types),
        ),
        (methods::STDIN, nothing, of::<StdinResult>(&mut types)),
    ];
    let host_says = [(methods::CANCEL, of::<CancelParams>(&mut types))];
    let plugin_says = [
        (methods::PROGRESS, of::<ProgressParams>(&mut types)),
        (methods::LOG, of::<LogParams>(&mut types)),
        (methods::OUTPUT, of::<OutputParams>(&mut types)),
    ];
    let requests = host.iter().chain(&plugin);
    let mut messages: Vec<Value> = requests
        .clone()
        .map(|(method, params, _)| {
            message(
                &["id", "method"],
                json!({ "id": id, "method": { "const": method }, "params": params }),
            )
        })
        .collect();
    messages.extend(
        host_says
            .iter()
            .chain(&plugin_says)
            .map(|(method, params)| {
                message(
                    &["method"],
                    json!({ "method": { "const": method }, "params": params }),
                )
            }),
    );
    messages.push(message(
        &["id", "result"],
        json!({ "id": id, "result": {} }),
    ));
    let nullable = json!({ "anyOf": [id, { "type": "null" }] });
    messages.push(message(
        &["id", "error"],
        json!({ "id": nullable, "error": error }),
    ));
    let results: serde_json::Map<String, Value> = requests
        .map(|(method, _, result)| ((*method).to_owned(), result.clone()))
        .collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "bot-cli plugin protocol 1.0: one message",
        "description": "Generated from the types of bot-cli-sdk. Later minor versions add fields and methods: \
            ignore what you don't know. `x-results` has the shape of each method's result.",
        "anyOf": messages,
        "x-results": results,
        "$defs": types.take_definitions(true),
    })
}

fn of<T: JsonSchema>(types: &mut SchemaGenerator) -> Value {
    types.subschema_for::<T>().to_value()
}

fn message(required: &[&str], members: Value) -> Value {
    let required: Vec<&str> = std::iter::once("jsonrpc")
        .chain(required.iter().copied())
        .collect();
    let mut properties = json!({ "jsonrpc": { "const": "2.0" } });
    if let (Value::Object(properties), Value::Object(members)) = (&mut properties, members) {
        properties.extend(members);
    }
    json!({ "type": "object", "properties": properties, "required": required })
}
