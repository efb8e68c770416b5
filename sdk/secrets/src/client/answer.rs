//! What a backend answers, made fit to be shown and relied on.

use serde_json::Value;

use super::Fault;
use crate::Error;
use crate::messages::{Code, Effect, NameRules, OpenResult, Parts, Region};
use bot_cli_protocol::failure::Failure;
use bot_cli_protocol::{ErrorObject, codes};
use bot_cli_terminal::{LONGEST_TEXT, short_line};

/// The most hints that are shown.
const MOST_HINTS: usize = 5;

/// Returns what is said of a place, fit to be shown, with rules that something can be made under.
pub fn opened(mut opened: OpenResult) -> OpenResult {
    opened.place = short_line(&opened.place, LONGEST_TEXT);
    for Region { name, .. } in opened
        .regions
        .iter_mut()
        .flat_map(|regions| &mut regions.all)
    {
        *name = short_line(name, LONGEST_TEXT);
    }
    let widest = NameRules::default();
    let names = &mut opened.names;
    names.shortest = names.shortest.clamp(widest.shortest, widest.longest);
    names.longest = names.longest.clamp(names.shortest, widest.longest);
    opened
}

/// The backend's own error. `secretive`: no more of it than its code.
pub fn told(name: &str, error: ErrorObject, secretive: bool) -> Fault {
    if error.code < 0 {
        if secretive {
            // Every word of it may be a value.
            let mut failure = Failure::from(ErrorObject::protocol(error.code, ""));
            failure.message = format!(
                "plugin `{name}` could not serve the request ({})",
                failure.code
            );
            return Fault::broken(failure);
        }
        let mut failure = Failure::from(error);
        failure.message = format!(
            "plugin `{name}`: {}",
            short_line(&failure.message, LONGEST_TEXT)
        );
        failure.hints.truncate(MOST_HINTS);
        for hint in &mut failure.hints {
            *hint = short_line(hint, LONGEST_TEXT);
        }
        return Fault::broken(failure);
    }
    let code = member(&error, "code").unwrap_or_default();
    let mut told = Error::new(code, "");
    told.retry_after = member(&error, "retry_after");
    told.bytes = member(&error, "bytes");
    // Whoever shows it makes sure first that it is a key.
    told.key = member(&error, "key");
    if code == Code::Cancelled {
        return Fault::Cancelled;
    }
    if !secretive {
        let hints: Vec<String> = member(&error, "hints").unwrap_or_default();
        told.message = short_line(&error.message, LONGEST_TEXT);
        told.hints = hints
            .iter()
            .take(MOST_HINTS)
            .map(|hint| short_line(hint, LONGEST_TEXT))
            .collect();
    }
    Fault::Told(told)
}

/// Returns what became of a change of `keys` that failed with `error`. An effect that can't be read, or that does not fit to the keys, is unknown.
pub fn effect(error: &ErrorObject, keys: &[&str]) -> Effect {
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
        Effect::Partly(parts) if parts.done.len() == keys.len() => Effect::Done,
        Effect::Partly(parts) if parts.not_done.len() == keys.len() => Effect::NotDone,
        effect @ (Effect::NotDone | Effect::Done | Effect::Unknown | Effect::Partly(_)) => effect,
    }
}

/// Whether every key is in exactly one of the lists, and nothing else.
fn covers(parts: &Parts, keys: &[&str]) -> bool {
    let lists = [&parts.done, &parts.unknown, &parts.not_done];
    let mut named: Vec<&str> = lists.into_iter().flatten().map(String::as_str).collect();
    let mut keys = keys.to_vec();
    named.sort_unstable();
    keys.sort_unstable();
    named == keys
}

/// Whether a plugin that was ended said more than its one reply.
pub fn contradicts(failure: &Failure) -> bool {
    [
        "double_reply",
        "wrong_id",
        "wrong_reply",
        "invalid_utf8",
        "line_too_long",
    ]
    .contains(&failure.code.as_str())
}

fn member<T: serde::de::DeserializeOwned>(error: &ErrorObject, name: &str) -> Option<T> {
    let value: &Value = error.data.as_ref()?.get(name)?;
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
        let all = json!({
            "code": "CANARY",
            "hints": ["CANARY"],
            "fields": [{ "field": "CANARY", "problem": "CANARY" }],
            "inputs": [{ "key": "CANARY", "kind": "text", "message": "CANARY" }],
        });
        for code in [-32602, -32000, 1] {
            let told = format!("{:?}", told("secrets-acme", error(code, all.clone()), true));
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
        assert_eq!(effect(&partly(&["A"]), &["A"]), Effect::Done);
    }
}
