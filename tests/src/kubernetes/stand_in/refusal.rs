//! What the API refuses, and in which words.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::fields::Leaves;

/// The most bytes of the values of a Secret.
const MAX_SECRET_SIZE: usize = 1024 * 1024;

/// Status, reason, message and details of a refusal.
pub(super) struct Refusal(
    pub(super) u16,
    pub(super) &'static str,
    pub(super) String,
    pub(super) Value,
);

/// Values that are not base64 are no object at all.
pub(super) fn decoded(object: &Value) -> Result<(), Refusal> {
    for value in object["data"].as_object().into_iter().flat_map(Map::values) {
        let text = value.as_str().unwrap_or_default();
        if STANDARD.decode(text).is_err() {
            return Err(bad_request("illegal base64 data"));
        }
    }
    Ok(())
}

pub(super) fn validate(
    name: &str,
    before: Option<&Leaves>,
    leaves: &Leaves,
) -> Result<(), Refusal> {
    let is_label = |label: &str| {
        !label.is_empty()
            && label
                .chars()
                .all(|c| matches!(c, 'a'..='z' | '0'..='9' | '-'))
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    if name.len() > 253 || !name.split('.').all(is_label) {
        return Err(invalid(name, "metadata.name: a DNS-1123 subdomain"));
    }
    let data = || {
        leaves
            .iter()
            .filter_map(|(path, value)| Some((path.strip_prefix("data/")?, value.as_str()?)))
    };
    let mut size = 0;
    for (key, value) in data() {
        let is_key = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let is_valid = (1..=253).contains(&key.len())
            && key.chars().all(is_key)
            && key != "."
            && !key.starts_with("..");
        if !is_valid {
            return Err(invalid(name, "data: a valid config key"));
        }
        size += STANDARD.decode(value).map_or(0, |bytes| bytes.len());
    }
    if size > MAX_SECRET_SIZE {
        return Err(invalid(
            name,
            "data: Too long: must have at most 1048576 bytes",
        ));
    }
    match leaves.get("type/").and_then(Value::as_str) {
        Some("kubernetes.io/dockerconfigjson") => {
            let config = data().find(|(key, _)| *key == ".dockerconfigjson");
            let config = config.and_then(|(_, value)| STANDARD.decode(value).ok());
            let parsed =
                config.and_then(|config| serde_json::from_slice::<Map<_, _>>(&config).ok());
            if parsed.is_none() {
                return Err(invalid(name, "data[.dockerconfigjson]: Invalid value"));
            }
        }
        Some("kubernetes.io/tls") if data().count() < 2 => {
            return Err(invalid(name, "data[tls.crt]: Required value"));
        }
        _ => {}
    }
    let Some(before) = before else {
        return Ok(());
    };
    if before.get("type/") != leaves.get("type/") {
        return Err(invalid(name, "type: field is immutable"));
    }
    let content = |leaves: &Leaves| {
        let content = leaves
            .iter()
            .filter(|(path, _)| path.starts_with("data/") || *path == "immutable/");
        content
            .map(|(path, value)| (path.clone(), value.clone()))
            .collect::<Vec<_>>()
    };
    if before.get("immutable/") == Some(&json!(true)) && content(before) != content(leaves) {
        return Err(invalid(
            name,
            "data: field is immutable when `immutable` is set",
        ));
    }
    Ok(())
}

/// The API's own words.
pub(super) fn status(status: u16, reason: &str, message: &str, details: &Value) -> Value {
    json!({
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message,
        "reason": reason,
        "details": details,
        "code": status,
    })
}

pub(super) fn not_found(kind: &str, name: &str) -> Refusal {
    let message = format!("{kind} \"{name}\" not found");
    Refusal(
        404,
        "NotFound",
        message,
        json!({ "name": name, "kind": kind }),
    )
}

pub(super) fn invalid(name: &str, problem: &str) -> Refusal {
    let message = format!("Secret \"{name}\" is invalid: {problem}");
    Refusal(
        422,
        "Invalid",
        message,
        json!({ "name": name, "kind": "Secret" }),
    )
}

pub(super) fn conflict(name: &str, problem: &str, details: &Value) -> Refusal {
    let message = format!("Operation cannot be fulfilled on secrets \"{name}\": {problem}");
    Refusal(409, "Conflict", message, details.clone())
}

pub(super) fn bad_request(problem: &str) -> Refusal {
    Refusal(400, "BadRequest", problem.to_owned(), json!({}))
}
