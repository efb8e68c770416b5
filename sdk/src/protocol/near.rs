//! Lines that were meant as messages and are none: what is wrong with them, in words that quote nothing.

use serde_json::{Map, Value};

use super::{ErrorObject, Id, shape};

/// The members that messages have.
const MEMBERS: [&str; 6] = ["jsonrpc", "id", "method", "params", "result", "error"];

/// A line that was meant as a message, and why it is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NearMessage {
    /// The reply to the open request.
    Reply(String),
    /// A request or a notification, or something that can't be told.
    Other(String),
}

impl NearMessage {
    /// Returns what `line` was meant as while the request `open` is; `None` if nothing of it is like a message.
    #[must_use]
    pub fn of(line: &[u8], open: &Id) -> Option<Self> {
        let line = std::str::from_utf8(line).ok()?.trim();
        let (text, marked) = match line.strip_prefix('\u{feff}') {
            Some(rest) => (rest.trim_start(), true),
            None => (line, false),
        };
        if let Some(batch) = text.strip_prefix('[') {
            let reason = || "it is a list, and there are no batches".to_owned();
            return match of_object(batch.trim_start(), open)? {
                Meant::Reply => Some(Self::Reply(reason())),
                Meant::Other => Some(Self::Other(reason())),
            };
        }
        let meant = of_object(text, open)?;
        let reason = if marked {
            "it begins with a byte order mark".to_owned()
        } else {
            reason(text)
        };
        Some(match meant {
            Meant::Reply => Self::Reply(reason),
            Meant::Other => Self::Other(reason),
        })
    }
}

enum Meant {
    Reply,
    Other,
}

/// Returns what the object that `text` begins with was meant as.
fn of_object(text: &str, open: &Id) -> Option<Meant> {
    let members = members(text)?;
    if members.is_empty() && !["{", "{}"].contains(&text) {
        return None;
    }
    let value = |name: &str| members.iter().find(|(member, _)| *member == name);
    let has = |name: &str| value(name).is_some();
    let is_open = value("id").is_some_and(|(_, id)| is_same(id, open));
    let all_known = members.iter().all(|(name, _)| MEMBERS.contains(name));
    let replies = has("result") || has("error");
    let certain = has("jsonrpc") || all_known;
    if !has("method") && ((is_open && (certain || replies)) || (replies && certain)) {
        return Some(Meant::Reply);
    }
    (has("jsonrpc") || is_open || all_known).then_some(Meant::Other)
}

/// Whether an id as it is written may be meant as `open`: `1`, `1.0`, `"1"`.
fn is_same(written: &str, open: &Id) -> bool {
    let written = written.trim_matches(['"', '\'']);
    match open {
        Id::Number(number) => written.strip_suffix(".0").unwrap_or(written) == number.to_string(),
        Id::Text(text) => written == text,
    }
}

/// The members of an object and their values as they are written, also where the object is not quite JSON.
fn members(text: &str) -> Option<Vec<(&str, &str)>> {
    let inner = text.strip_prefix('{')?;
    let mut members = Vec::new();
    let mut rest = inner.trim_start();
    while let Some(quote) = rest
        .chars()
        .next()
        .filter(|first| ['"', '\''].contains(first))
    {
        let end = 1 + string_length(&rest[1..], quote)?;
        let name = &rest[1..end];
        let Some(value) = rest[end + 1..].trim_start().strip_prefix(':') else {
            break;
        };
        let length = value_length(value);
        members.push((name, value[..length].trim()));
        let Some(next) = value[length..].strip_prefix(',') else {
            break;
        };
        rest = next.trim_start();
    }
    Some(members)
}

/// The bytes before the end of a string.
fn string_length(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (index, character) in text.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if character == quote => return Some(index),
            _ => {}
        }
    }
    None
}

/// The bytes before the comma or the end of the object that this value stands in.
fn value_length(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut inside: Option<char> = None;
    let mut escaped = false;
    for (index, character) in text.char_indices() {
        match (inside, character) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(quote), _) if character == quote => inside = None,
            (None, '"' | '\'') => inside = Some(character),
            (None, '{' | '[') => depth += 1,
            (None, ',' | '}') if depth == 0 => return index,
            (None, '}' | ']') => depth = depth.saturating_sub(1),
            (Some(_) | None, _) => {}
        }
    }
    text.len()
}

/// Why the line is not a message.
fn reason(text: &str) -> String {
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(message)) => of_members(&message),
        Ok(_) => "it is not an object".to_owned(),
        Err(error) if error.is_eof() => "it ends in the middle; a message is one line".to_owned(),
        Err(error) => {
            // The parser's words name a place and no content.
            let words = error.to_string();
            let words = words.split(" at line ").next().unwrap_or_default();
            format!("it is not JSON: {words} (column {})", error.column())
        }
    }
}

fn of_members(message: &Map<String, Value>) -> String {
    let has = |name: &str| message.contains_key(name);
    let words = match message.get("jsonrpc") {
        None => "`jsonrpc` is missing",
        Some(version) if version != "2.0" => "`jsonrpc` must be \"2.0\"",
        Some(_) => match (message.get("id"), has("method")) {
            (Some(Value::Number(number)), _) if number.as_i64().is_none() => {
                "`id` must be a whole number or a string"
            }
            (Some(Value::Bool(_) | Value::Array(_) | Value::Object(_)), _) => {
                "`id` must be a whole number or a string"
            }
            (Some(Value::Null), true) => "`id` is null",
            (_, true) if has("result") || has("error") => {
                "it has a `method`, and a `result` or `error`"
            }
            (_, true) => "`method` must be a string",
            _ if has("result") && has("error") => "it has both `result` and `error`",
            _ if !has("result") && !has("error") => "it has neither `result` nor `error`",
            (None, false) if has("result") => "`id` is missing",
            (Some(Value::Null), false) if has("result") => "`id` is null",
            _ => {
                let error = message.get("error").cloned().unwrap_or_default();
                return match shape::read::<ErrorObject>("error", error) {
                    Err(problem) => problem,
                    Ok(_) => "it has another form".to_owned(),
                };
            }
        },
    };
    words.to_owned()
}

#[cfg(test)]
mod tests {
    use super::NearMessage;
    use crate::protocol::Id;

    fn of(line: &str) -> Option<NearMessage> {
        NearMessage::of(line.as_bytes(), &Id::Number(1))
    }

    #[test]
    fn what_is_nearly_the_reply_has_its_reason() {
        let deep = format!(
            r#"{{"jsonrpc":"2.0","id":1,"result":{{"data":{}{}}}}}"#,
            "[".repeat(200),
            "]".repeat(200)
        );
        for (line, reason) in [
            (r#"{"id":1,"result":{}}"#, "`jsonrpc` is missing"),
            (r#"{"result":{"text":"hi"}}"#, "`jsonrpc` is missing"),
            (
                r#"{"jsonrpc":2.0,"id":1,"result":{}}"#,
                "`jsonrpc` must be \"2.0\"",
            ),
            (
                r#"{"jsonrpc":"1.0","id":1,"result":{}}"#,
                "`jsonrpc` must be \"2.0\"",
            ),
            (
                r#"{"jsonrpc":"2.0","id":1}"#,
                "it has neither `result` nor `error`",
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"results":{}}"#,
                "it has neither `result` nor `error`",
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}"#,
                "it has both `result` and `error`",
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"result":{},"error":null}"#,
                "it has both `result` and `error`",
            ),
            (r#"{"jsonrpc":"2.0","result":{}}"#, "`id` is missing"),
            (r#"{"jsonrpc":"2.0","id":null,"result":{}}"#, "`id` is null"),
            (
                r#"{"jsonrpc":"2.0","id":1.0,"result":{}}"#,
                "`id` must be a whole number or a string",
            ),
            (
                r#"{"jsonrpc":"2.0","id":[1],"result":{}}"#,
                "`id` must be a whole number or a string",
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"error":"no"}"#,
                "`error` must be an object",
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"error":{"code":"1","message":"no"}}"#,
                "`error.code` must be a whole number",
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"error":{"code":1}}"#,
                "`error` has no `message`",
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"error":["a"]}"#,
                "`error` must be an object",
            ),
            (
                r#"[{"jsonrpc":"2.0","id":1,"result":{}}]"#,
                "it is a list, and there are no batches",
            ),
            (
                "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
                "it begins with a byte order mark",
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"result":{"text":"\ud800"}}"#,
                "it is not JSON: unexpected end of hex escape (column 49)",
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"result":{"data":1e999}}"#,
                "it is not JSON: number out of range (column 46)",
            ),
            (
                &deep,
                "it is not JSON: recursion limit exceeded (column 167)",
            ),
            (
                "{'jsonrpc': '2.0', 'id': 1, 'result': {}}",
                "it is not JSON: key must be a string (column 2)",
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"result":{}"#,
                "it ends in the middle; a message is one line",
            ),
        ] {
            assert_eq!(
                of(line),
                Some(NearMessage::Reply(reason.to_owned())),
                "{line}"
            );
        }
    }

    #[test]
    fn what_is_nearly_another_message_has_its_reason() {
        for (line, reason) in [
            (r#"{"method":"log","params":{}}"#, "`jsonrpc` is missing"),
            (
                r#"{"jsonrpc":"2.0","method":7}"#,
                "`method` must be a string",
            ),
            (
                r#"{"jsonrpc":"2.0","id":null,"method":"ask"}"#,
                "`id` is null",
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"run","result":{}}"#,
                "it has a `method`, and a `result` or `error`",
            ),
            (
                r#"[{"jsonrpc":"2.0","method":"log"}]"#,
                "it is a list, and there are no batches",
            ),
            (r#"{"id":1,"level":"info"}"#, "`jsonrpc` is missing"),
            ("{", "it ends in the middle; a message is one line"),
            ("{}", "`jsonrpc` is missing"),
        ] {
            assert_eq!(
                of(line),
                Some(NearMessage::Other(reason.to_owned())),
                "{line}"
            );
        }
    }

    #[test]
    fn what_libraries_print_is_no_message() {
        for line in [
            "Loading model ...",
            r#"{"level":"info"}"#,
            r#"{"level":"error","error":"connection refused"}"#,
            r#"{"id":7,"name":"ann"}"#,
            "[1, 2]",
            "[INFO] ready",
            "{not json at all}x",
            "7",
            "null",
        ] {
            assert_eq!(of(line), None, "{line}");
        }
    }
}
