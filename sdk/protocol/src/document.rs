//! Tests that the types can decode and re-encode the code blocks in `PROTOCOL.md`.

use std::collections::HashMap;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::examples::{add_fields, blocks, is_json};
use super::{
    AskResult, CancelParams, CompleteParams, CompleteResult, DescribeParams, ErrorData, Id,
    LogParams, Manifest, Message, OutputParams, ProgressParams, RunParams, RunResult, StdinResult,
};
use crate::Question;

const DOCUMENT: &str = include_str!("../PROTOCOL.md");

#[test]
fn examples_decode_and_encode_to_themselves() {
    for (file, text) in blocks(DOCUMENT).iter().filter(|(name, _)| is_json(name)) {
        let mut methods: HashMap<Id, String> = HashMap::new();
        for line in text.lines() {
            let message = Message::from_line(line.as_bytes()).unwrap();
            let typed = through_types(message, &mut methods);
            assert_eq!(typed.to_line().trim_end(), line, "{file}");
        }
    }
}

fn through_types(message: Message, methods: &mut HashMap<Id, String>) -> Message {
    match message {
        Message::Request { id, method, params } => {
            methods.insert(id.clone(), method.clone());
            let params = match method.as_str() {
                "run" => through::<RunParams>(params),
                "describe" => through::<DescribeParams>(params),
                "complete" => through::<CompleteParams>(params),
                "ask" => through::<Question>(params),
                "stdin" => params,
                other => panic!("no type for {other}"),
            };
            Message::Request { id, method, params }
        }
        Message::Notification { method, params } => {
            let params = match method.as_str() {
                "cancel" => through::<CancelParams>(params),
                "progress" => through::<ProgressParams>(params),
                "log" => through::<LogParams>(params),
                "output" => through::<OutputParams>(params),
                other => panic!("no type for {other}"),
            };
            Message::Notification { method, params }
        }
        Message::Result { id, result } => {
            let result = match methods[&id].as_str() {
                "run" => through::<RunResult>(result),
                "describe" => through::<Manifest>(result),
                "complete" => through::<CompleteResult>(result),
                "ask" => through::<AskResult>(result),
                "stdin" => through::<StdinResult>(result),
                other => panic!("no type for {other}"),
            };
            Message::Result { id, result }
        }
        Message::Error { id, mut error } => {
            error.data = error.data.map(through::<ErrorData>);
            Message::Error { id, error }
        }
    }
}

fn through<T: DeserializeOwned + Serialize>(value: Value) -> Value {
    json!(serde_json::from_value::<T>(value).unwrap())
}

#[test]
fn every_example_decodes_with_fields_of_a_later_version() {
    for (file, text) in blocks(DOCUMENT).iter().filter(|(name, _)| is_json(name)) {
        let mut methods: HashMap<Id, String> = HashMap::new();
        for line in text.lines() {
            let mut later: Value = serde_json::from_str(line).unwrap();
            add_fields(&mut later, &["answers", "data"]);
            let message = Message::from_line(later.to_string().as_bytes()).unwrap();
            // Free-form members keep the added field, so this checks only that everything decodes.
            let typed = through_types(message, &mut methods);
            assert!(!typed.to_line().is_empty(), "{file}");
        }
    }
}
