//! Tests that `protocol.schema.json` matches the wire types and the additional constraints in `PROTOCOL.md`.

use schemars::SchemaGenerator;
use serde_json::{Value, json};

use super::examples::{assert_stored, of};
use super::{
    AskResult, CancelParams, CompleteParams, CompleteResult, DescribeParams, ErrorData,
    ErrorObject, Id, LogParams, Manifest, OutputParams, ProgressParams, RunParams, RunResult,
    StdinResult, methods,
};
use crate::Question;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/protocol.schema.json");

#[test]
fn the_stored_schema_is_that_of_the_types() {
    assert_stored(FILE.as_ref(), &schema());
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
    let request = |method: Value, params: &Value| {
        message(
            &["id", "method", "params"],
            json!({ "id": id, "method": method, "params": params }),
        )
    };
    let mut messages: Vec<Value> = requests
        .clone()
        .map(|(method, params, _)| request(json!({ "const": method }), params))
        .collect();
    // Each role specifies its methods in its own document.
    messages.push(request(
        json!({ "type": "string", "pattern": "/" }),
        &json!({ "type": "object" }),
    ));
    messages.extend(
        host_says
            .iter()
            .chain(&plugin_says)
            .map(|(method, params)| {
                message(
                    &["method", "params"],
                    json!({ "method": { "const": method }, "params": params }),
                )
            }),
    );
    messages.push(message(
        &["id", "result"],
        json!({ "id": id, "result": { "type": "object" } }),
    ));
    let nullable = json!({ "anyOf": [id, { "type": "null" }] });
    messages.push(message(
        &["id", "error"],
        json!({ "id": nullable, "error": error }),
    ));
    let results: serde_json::Map<String, Value> = requests
        .map(|(method, _, result)| ((*method).to_owned(), result.clone()))
        .collect();
    let mut types = json!(types.take_definitions(true));
    tighten(&mut types);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "bot-cli plugin protocol 1.0: one message",
        "description": "Generated from the types of bot-cli-sdk. What a writer of this version sends; a reader takes \
            more, because later minor versions add fields, methods and values: ignore what you don't know. `x-results` has the shape of each method's result.",
        "anyOf": messages,
        "x-results": results,
        "$defs": types,
    })
}

/// Adds the constraints in `PROTOCOL.md` that the types cannot express.
fn tighten(types: &mut Value) {
    for params in ["RunParams", "DescribeParams", "CompleteParams"] {
        // A person who types a request by hand may omit the version.
        let required = types[params]["required"].as_array_mut().unwrap();
        required.retain(|member| member != "protocol");
    }
    types["ErrorObject"]["properties"]["data"] = json!({ "$ref": "#/$defs/ErrorData" });
    types["Manifest"]["properties"]["name"]["pattern"] = json!("^[a-z][a-z0-9-]{0,31}$");
    types["Manifest"]["properties"]["protocol"]["pattern"] = json!("^[0-9]+\\.[0-9]+$");
    types["ArgumentSpec"]["properties"]["name"]["pattern"] = json!("^[a-z][a-z0-9_]*$");
    types["Context"]["properties"]["color"]["enum"] = json!(["always", "never"]);
    types["LogParams"]["properties"]["message"]["pattern"] = json!("^[^\\n\\r]*$");
    let choice = json!({ "enum": ["select", "multiselect"] });
    types["Question"]["if"] = json!({ "properties": { "kind": choice } });
    types["Question"]["then"] =
        json!({ "properties": { "choices": { "minItems": 1 } }, "required": ["choices"] });
    types["AskResult"]["properties"]["value"] = json!({
        "anyOf": [{ "type": ["string", "boolean"] }, { "type": "array", "items": { "type": "string" } }]
    });
    types["StdinResult"]["oneOf"] = json!([{ "required": ["text"] }, { "required": ["base64"] }]);
    types["AskResult"]["if"] = json!({ "properties": { "action": { "const": "accept" } } });
    types["AskResult"]["then"] = json!({ "required": ["value"] });
}

/// Returns the schema for a message with the given members. The schema forbids members that belong to other kinds of messages.
fn message(required: &[&str], members: Value) -> Value {
    let mut properties = json!({ "jsonrpc": { "const": "2.0" } });
    for other in ["id", "method", "result", "error"] {
        if !required.contains(&other) {
            properties[other] = json!(false);
        }
    }
    if let (Value::Object(properties), Value::Object(members)) = (&mut properties, members) {
        properties.extend(members);
    }
    let required: Vec<&str> = std::iter::once("jsonrpc")
        .chain(required.iter().copied())
        .collect();
    json!({ "type": "object", "properties": properties, "required": required })
}
