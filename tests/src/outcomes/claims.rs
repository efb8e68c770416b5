//! What a run claims, held against what is so.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::operation::Operation;
use super::runner::Ran;
use crate::service::ORGANIZATION;

/// How a run ended, for the tally.
pub fn ending(ran: &Ran) -> String {
    match (ran.status, outcome(ran)) {
        (0, _) => "done".to_owned(),
        (_, Some(outcome)) => outcome.replace('_', " "),
        (_, None) => "failed before".to_owned(),
    }
}

/// Every claim that is not true.
pub fn untrue(operation: &Operation, before: &Value, after: &Value, ran: &Ran) -> Vec<String> {
    let (before, after) = (&before[ORGANIZATION], &after[ORGANIZATION]);
    let parts = parts(operation, before, after);
    let mut wrong = Vec::new();
    let mut claim = |holds: bool, what: String| {
        if !holds {
            wrong.push(what);
        }
    };
    let all = parts.iter().all(|part| part.applied);
    let none = parts.iter().all(|part| !part.applied);
    let changes = !parts.is_empty();

    // The status and the members.
    let outcome = outcome(ran);
    let stopped = matches!(ran.status, 130 | 143);
    if changes {
        match (ran.status, outcome.as_deref()) {
            (0, None) => claim(all, "status 0".to_owned()),
            (0, Some(outcome)) => claim(false, format!("status 0 with {outcome}")),
            (_, Some("not_done") | None) => claim(none, "not done".to_owned()),
            (_, Some("done")) => claim(all, "done".to_owned()),
            (_, Some("partly_done")) => claim(!all, "partly done".to_owned()),
            (_, Some("unknown")) => {}
            (_, Some(other)) => claim(false, format!("outcome {other}")),
        }
    }
    claim(
        (ran.status == 3) == (outcome.as_deref() == Some("unknown") && !stopped),
        format!("status {} with {outcome:?}", ran.status),
    );
    for field in fields(ran) {
        let name = field["field"].as_str().unwrap_or_default();
        let part = parts.iter().find(|part| part.key == name);
        match (field["problem"].as_str(), part) {
            (Some("applied"), part) => {
                claim(
                    part.is_some_and(|part| part.applied),
                    format!("{name} applied"),
                );
            }
            (Some("not applied"), part) => {
                claim(
                    part.is_none_or(|part| !part.applied),
                    format!("{name} not applied"),
                );
            }
            _ => {}
        }
    }
    if ran.status == 0 {
        for (member, existed) in [("created", false), ("overwritten", true)] {
            for key in ran.document[member].as_array().into_iter().flatten() {
                let key = key.as_str().unwrap_or_default();
                let part = parts.iter().find(|part| part.key == key);
                claim(
                    part.is_some_and(|part| part.existed == existed),
                    format!("{key} {member}"),
                );
            }
        }
    }

    // The sentences.
    let said = |words: &[&str]| words.iter().any(|words| ran.said.contains(words));
    if said(&[
        "was not changed",
        "was not deleted",
        "nothing was",
        "othing has changed",
    ]) {
        claim(none, "a sentence says that nothing was done".to_owned());
    }
    let done = [
        "Saved ",
        "Removed ",
        "Deleted the ",
        "Updated the image",
        "Created the image",
    ];
    let said_done = ran
        .said
        .lines()
        .any(|line| done.iter().any(|done| line.starts_with(done)));
    if said_done || said(&["` is changed"]) {
        claim(changes && all, "a sentence says that it is done".to_owned());
    }
    if said(&["unknown whether"]) {
        claim(
            outcome.as_deref() == Some("unknown"),
            "only a sentence says unknown".to_owned(),
        );
    }
    let name = name(operation);
    if said(&["there is no set"]) {
        claim(
            before.get(name).is_none(),
            "there is no such set".to_owned(),
        );
    }
    if said(&["No secrets in"]) {
        claim(before == &json!({}), "there are no secrets".to_owned());
    }
    claim(!leaks(operation, ran), "a value is shown".to_owned());

    // What is seen.
    if ran.status == 0 {
        match operation {
            Operation::List => {
                let listed: Vec<&str> = ran.document["sets"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(|set| set["name"].as_str())
                    .collect();
                let there: Vec<&String> = before
                    .as_object()
                    .into_iter()
                    .flat_map(|m| m.keys())
                    .collect();
                claim(listed == there, format!("listed {listed:?}"));
            }
            Operation::Show { name } => {
                let there = &before[name];
                let keys = ran.document["keys"].as_array().map(|keys| {
                    let keys = keys
                        .iter()
                        .map(|key| key.as_str().unwrap_or_default().to_owned());
                    keys.collect::<Vec<_>>()
                });
                let real = there["secrets"]
                    .as_object()
                    .map(|secrets| secrets.keys().cloned().collect::<Vec<_>>());
                claim(!there.is_null() && keys == real, format!("shown {keys:?}"));
            }
            Operation::Set { .. }
            | Operation::Unset { .. }
            | Operation::Delete { .. }
            | Operation::Pull { .. } => {}
        }
    }
    if !changes {
        claim(before == after, "something was changed".to_owned());
    }
    wrong
}

/// A part of a change.
struct Part {
    key: String,
    existed: bool,
    applied: bool,
}

fn parts(operation: &Operation, before: &Value, after: &Value) -> Vec<Part> {
    match operation {
        Operation::Set { name, pairs, .. } => pairs
            .iter()
            .map(|(key, value)| Part {
                key: key.clone(),
                existed: before[name]["secrets"].get(key).is_some(),
                applied: after[name]["secrets"][key] == json!(value),
            })
            .collect(),
        Operation::Unset { name, keys } => keys
            .iter()
            .map(|key| {
                let existed = before[name]["secrets"].get(key).is_some();
                Part {
                    key: key.clone(),
                    existed,
                    applied: existed && after[name]["secrets"].get(key).is_none(),
                }
            })
            .collect(),
        Operation::Delete { name } => {
            let existed = before.get(name).is_some();
            vec![Part {
                key: String::new(),
                existed,
                applied: existed && after.get(name).is_none(),
            }]
        }
        Operation::Pull { name, credentials } => vec![Part {
            key: String::new(),
            existed: before.get(name).is_some(),
            applied: after[name]["credentials"] == json!(STANDARD.encode(credentials)),
        }],
        Operation::List | Operation::Show { .. } => Vec::new(),
    }
}

fn name(operation: &Operation) -> &str {
    match operation {
        Operation::Set { name, .. }
        | Operation::Unset { name, .. }
        | Operation::Delete { name }
        | Operation::Pull { name, .. }
        | Operation::Show { name } => name,
        Operation::List => "",
    }
}

fn leaks(operation: &Operation, ran: &Ran) -> bool {
    let document = ran.document.to_string();
    let shows = |secret: &str| ran.said.contains(secret) || document.contains(secret);
    match operation {
        Operation::Set { pairs, .. } => pairs.iter().any(|(_, value)| shows(value)),
        Operation::Pull { credentials, .. } => {
            shows(credentials) || shows(&STANDARD.encode(credentials))
        }
        Operation::Unset { .. }
        | Operation::Delete { .. }
        | Operation::List
        | Operation::Show { .. } => false,
    }
}

fn outcome(ran: &Ran) -> Option<String> {
    ran.document["error"]["outcome"].as_str().map(str::to_owned)
}

fn fields(ran: &Ran) -> Vec<Value> {
    let fields = ran.document["error"]["fields"].as_array();
    fields.cloned().unwrap_or_default()
}
