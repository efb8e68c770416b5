//! Error responses in the API server's wording.

use serde_json::{Value, json};

/// The status, reason, message and details of a refusal.
pub(super) struct Refusal(
    pub(super) u16,
    pub(super) &'static str,
    pub(super) String,
    pub(super) Value,
);

/// Returns a Kubernetes `Status` object.
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
    let details = json!({ "name": name, "kind": kind });
    Refusal(404, "NotFound", message, details)
}

pub(super) fn conflict(name: &str) -> Refusal {
    let message = format!("Operation cannot be fulfilled on secrets \"{name}\": it was modified");
    Refusal(409, "Conflict", message, json!({}))
}
