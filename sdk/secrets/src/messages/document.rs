//! Tests that the types can decode and re-encode the code blocks in `BACKENDS.md`.

use std::collections::HashMap;

use bot_cli_protocol::{
    AskResult, Capabilities, Context, Id, Manifest, Message, ProgressParams, Question,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use self::examples::{add_fields, blocks, is_json};
use super::{
    CredentialsResult, DeleteParams, DeleteResult, GetResult, ListParams, ListResult, NameParams,
    OpenParams, OpenResult, OrganizationsResult, PutImagePullSecretParams, PutParams, PutResult,
    UnsetParams, UnsetResult, ValuesResult, methods,
};
use crate::{ChangeError, Error};

#[path = "../../../protocol/src/examples.rs"]
#[expect(dead_code, reason = "these messages have no schema")]
mod examples;

const COMMON: [&str; 3] = ["protocol", "capabilities", "context"];

const DOCUMENT: &str = include_str!("../../BACKENDS.md");

fn lines() -> Vec<(String, String)> {
    blocks(DOCUMENT)
        .into_iter()
        .filter(|(name, _)| is_json(name))
        .flat_map(|(name, text)| {
            let lines = text.lines().map(str::to_owned).collect::<Vec<_>>();
            lines.into_iter().map(move |line| (name.clone(), line))
        })
        .collect()
}

#[test]
fn examples_decode_and_encode_to_themselves() {
    let mut requests = HashMap::new();
    for (file, line) in lines() {
        let message = Message::from_line(line.as_bytes()).unwrap();
        let typed = through_types(message, &mut requests);
        assert_eq!(typed.to_line().trim_end(), line, "{file}");
    }
    let used: Vec<&String> = requests.values().collect();
    for method in methods::ALL {
        assert!(used.iter().any(|used| *used == method), "{method}");
    }
}

#[test]
fn every_example_decodes_with_members_of_a_later_version() {
    let mut requests = HashMap::new();
    for (file, line) in lines() {
        let mut later: Value = serde_json::from_str(&line).unwrap();
        add_fields(
            &mut later,
            &["entries", "values", "settings", "effect", "prior"],
        );
        let message = Message::from_line(later.to_string().as_bytes()).unwrap();
        let typed = through_types(message, &mut requests);
        assert!(!typed.to_line().is_empty(), "{file}");
    }
}

fn through_types(message: Message, requests: &mut HashMap<Id, String>) -> Message {
    match message {
        Message::Request { id, method, params } => {
            requests.insert(id.clone(), method.clone());
            let params = if method == "ask" {
                through::<Question>(params)
            } else {
                request(&method, params)
            };
            Message::Request { id, method, params }
        }
        Message::Notification { method, params } => {
            assert_eq!(method, "progress");
            let params = through::<ProgressParams>(params);
            Message::Notification { method, params }
        }
        Message::Result { id, result } => {
            let result = result_of(&requests[&id], result);
            Message::Result { id, result }
        }
        Message::Error { id, mut error } => {
            let is_ours = error.code > 0;
            error.data = error.data.map(|data| {
                if is_ours && data.get("effect").is_some() {
                    through::<ChangeError>(data)
                } else if is_ours {
                    through::<Error>(data)
                } else {
                    through::<bot_cli_protocol::ErrorData>(data)
                }
            });
            Message::Error { id, error }
        }
    }
}

fn request(method: &str, params: Value) -> Value {
    let Value::Object(params) = params else {
        panic!("{method}: params is no object");
    };
    let (common, own): (Map<_, _>, Map<_, _>) = params
        .into_iter()
        .partition(|(name, _)| COMMON.contains(&name.as_str()));
    let own = Value::Object(own);
    let own = match method {
        methods::OPEN => through::<OpenParams>(own),
        methods::LIST => through::<ListParams>(own),
        methods::GET | methods::VALUES | methods::CREDENTIALS => through::<NameParams>(own),
        methods::ORGANIZATIONS => json!({}),
        methods::PUT => through::<PutParams>(own),
        methods::PUT_IMAGE_PULL_SECRET => through::<PutImagePullSecretParams>(own),
        methods::UNSET => through::<UnsetParams>(own),
        methods::DELETE => through::<DeleteParams>(own),
        other => panic!("no type for {other}"),
    };
    let mut all = Map::new();
    all.insert("protocol".to_owned(), common["protocol"].clone());
    all.extend(own.as_object().unwrap().clone());
    for (name, value) in common {
        match name.as_str() {
            "capabilities" => all.insert(name, through::<Capabilities>(value)),
            "context" => all.insert(name, through::<Context>(value)),
            _ => None,
        };
    }
    Value::Object(all)
}

fn result_of(method: &str, result: Value) -> Value {
    match method {
        "ask" => through::<AskResult>(result),
        methods::OPEN => through::<OpenResult>(result),
        methods::LIST => through::<ListResult>(result),
        methods::GET => through::<GetResult>(result),
        methods::VALUES => through::<ValuesResult>(result),
        methods::CREDENTIALS => through::<CredentialsResult>(result),
        methods::ORGANIZATIONS => through::<OrganizationsResult>(result),
        methods::PUT | methods::PUT_IMAGE_PULL_SECRET => through::<PutResult>(result),
        methods::UNSET => through::<UnsetResult>(result),
        methods::DELETE => through::<DeleteResult>(result),
        other => panic!("no type for {other}"),
    }
}

fn through<T: DeserializeOwned + Serialize>(value: Value) -> Value {
    json!(bot_cli_protocol::shape::read::<T>("example", value).unwrap())
}

#[test]
fn the_manifests_of_the_samples_are_found() {
    for (name, text) in blocks(DOCUMENT) {
        if name.starts_with("bot-cli-") {
            let manifest = Manifest::find(text.as_bytes()).unwrap();
            assert_eq!(format!("bot-cli-{}", manifest.name), name);
            assert_eq!(manifest.secrets.as_deref(), Some(super::VERSION));
        }
    }
    let manifest = Manifest::find(DOCUMENT.as_bytes()).unwrap();
    assert_eq!(manifest.name, "secrets-acme");
    assert_eq!(manifest.settings[0].name, "address");
}

#[test]
fn every_code_of_the_document_is_read_as_itself() {
    let errors = DOCUMENT.split("| `data.code` | meaning |").nth(1).unwrap();
    let (errors, _) = errors.split_once("\n\n").unwrap();
    let cells = errors.lines().filter_map(|line| line.split('|').nth(1));
    let names = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    for name in names {
        let code: super::Code = serde_json::from_value(json!(name)).unwrap();
        assert_eq!(code.name(), name);
    }
}
