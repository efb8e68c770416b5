//! A backend's errors as reported to the caller. They are safe to show and never claim an outcome that the backend's reply does not
//! support.

use bot_cli_protocol::failure::Failure;
use bot_cli_protocol::{ErrorObject, codes};
use bot_cli_terminal::{LONGEST_TEXT, short_line};
use serde::de::DeserializeOwned;

use crate::Error;
use crate::messages::{Code, Effect, Parts};

const MOST_HINTS: usize = 5;

/// Returns the error for a backend that could not be started, exited, did not respond, or violated the protocol. The failure quotes no
/// secrets.
pub fn broken(failure: impl Into<Failure>) -> Error {
    let mut failure = failure.into();
    // The caller determines the outcome of the change.
    failure.outcome = None;
    Error {
        // A backend that ended like a cancelled one was not cancelled by the user.
        code: Code::Internal,
        ..failure.into()
    }
}

/// Returns the error for a request that the user cancelled.
pub fn cancelled() -> Error {
    Failure::cancelled().into()
}

/// Converts an error that the backend reported. The message is a single printable line. If `secretive` is true, drops the message and the
/// hints.
pub fn told(name: &str, error: &ErrorObject, secretive: bool) -> Error {
    let (message, mut hints) = if secretive {
        // Any part of the text may be a value.
        (String::new(), Vec::new())
    } else {
        let hints: Vec<String> = member(error, "hints").unwrap_or_default();
        (short_line(&error.message, LONGEST_TEXT), hints)
    };
    hints.truncate(MOST_HINTS);
    for hint in &mut hints {
        *hint = short_line(hint, LONGEST_TEXT);
    }
    if error.code < 0 {
        let mut failure = Failure::from(ErrorObject::protocol(error.code, ""));
        failure.message = match message.as_str() {
            "" => format!(
                "plugin `{name}` could not serve the request ({})",
                failure.code
            ),
            message => format!("plugin `{name}`: {message}"),
        };
        failure.hints = hints;
        return broken(failure);
    }
    let code = member(error, "code").unwrap_or_default();
    if code == Code::Cancelled {
        return cancelled();
    }
    Error {
        code,
        message,
        hints,
        retry_after: member(error, "retry_after"),
        bytes: member(error, "bytes"),
        // The caller must check that this is a key before showing it.
        key: member(error, "key"),
        told: None,
    }
}

/// Returns the outcome of a change to `keys` that failed with `error`. The outcome is unknown if the effect cannot be decoded or does not
/// match the keys.
pub fn effect(error: &ErrorObject, keys: &[String]) -> Effect {
    let not_begun = [
        codes::PARSE_ERROR,
        codes::INVALID_REQUEST,
        codes::METHOD_NOT_FOUND,
        codes::INVALID_PARAMS,
        codes::UNSUPPORTED_PROTOCOL,
    ];
    if not_begun.contains(&error.code) {
        return Effect::NotDone;
    }
    match member(error, "effect").unwrap_or_default() {
        Effect::Partly(parts) if keys.is_empty() || !covers(&parts, keys) => Effect::Unknown,
        Effect::Partly(parts) => Effect::of(*parts),
        effect @ (Effect::NotDone | Effect::Done | Effect::Unknown) => effect,
    }
}

/// Reports whether the lists in `parts` together contain each key exactly once, and no other keys.
fn covers(parts: &Parts, keys: &[String]) -> bool {
    let mut named = [&parts.done[..], &parts.unknown, &parts.not_done].concat();
    let mut keys = keys.to_vec();
    named.sort_unstable();
    keys.sort_unstable();
    named == keys
}

/// Decodes a member of the error's data. Returns `None` if the member is absent or invalid.
fn member<T: DeserializeOwned>(error: &ErrorObject, name: &str) -> Option<T> {
    let value = error.data.as_ref()?.get(name)?;
    serde_json::from_value(value.clone()).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{effect, told};
    use crate::messages::Effect;
    use bot_cli_protocol::ErrorObject;

    fn error(code: i64, data: serde_json::Value) -> ErrorObject {
        let mut error = ErrorObject::protocol(code, "CANARY");
        error.data = Some(data);
        error
    }

    #[test]
    fn no_error_quotes_a_value() {
        let all = json!({ "code": "CANARY", "hints": ["CANARY"], "fields": ["CANARY"] });
        for code in [-32602, -32000, 1] {
            let told = format!(
                "{:?}",
                told("secrets-acme", &error(code, all.clone()), true)
            );
            assert!(!told.contains("CANARY"), "{code}: {told}");
        }
    }

    #[test]
    fn parts_that_name_no_key_say_nothing() {
        let partly = |done: &[&str]| {
            let parts = json!({ "partly": { "done": done, "unknown": [], "not_done": [] } });
            error(1, json!({ "code": "refused", "effect": parts }))
        };
        assert_eq!(effect(&partly(&[]), &[]), Effect::Unknown);
        assert_eq!(effect(&partly(&["A"]), &["A".to_owned()]), Effect::Done);
    }
}
