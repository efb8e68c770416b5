//! What the API refuses, and in which words.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// The most bytes of the values of a Secret.
const MAX_SECRET_SIZE: usize = 1024 * 1024;

/// Status, reason, message and details of a refusal.
pub(super) struct Refusal(
    pub(super) u16,
    pub(super) &'static str,
    pub(super) String,
    pub(super) Value,
);

/// Refuses an object that no Secret can be, or not after `before`.
pub(super) fn validate(before: Option<&Value>, object: &Value) -> Result<(), Refusal> {
    let name = object["metadata"]["name"].as_str().unwrap_or_default();
    let invalid = |problem: &str| {
        let message = format!("Secret \"{name}\" is invalid: {problem}");
        let details = json!({ "name": name, "kind": "Secret" });
        Err(Refusal(422, "Invalid", message, details))
    };
    let is_name = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '-' | '.');
    if name.len() > 253 || !name.chars().all(is_name) {
        return invalid("metadata.name: a DNS-1123 subdomain");
    }
    let mut size = 0;
    for (key, value) in object["data"].as_object().into_iter().flatten() {
        let Ok(bytes) = STANDARD.decode(value.as_str().unwrap_or_default()) else {
            return Err(bad_request("illegal base64 data"));
        };
        let is_key = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if !(1..=253).contains(&key.len())
            || !key.chars().all(is_key)
            || key == "."
            || key.starts_with("..")
        {
            return invalid("data: a valid config key");
        }
        size += bytes.len();
    }
    if size > MAX_SECRET_SIZE {
        return invalid("data: Too long: must have at most 1048576 bytes");
    }
    match before {
        Some(before) if before["immutable"] == true && before["data"] != object["data"] => {
            invalid("data: field is immutable when `immutable` is set")
        }
        _ => Ok(()),
    }
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

pub(super) fn conflict(name: &str) -> Refusal {
    let message = format!("Operation cannot be fulfilled on secrets \"{name}\": it was modified");
    Refusal(409, "Conflict", message, json!({}))
}

pub(super) fn bad_request(problem: &str) -> Refusal {
    Refusal(400, "BadRequest", problem.to_owned(), json!({}))
}
