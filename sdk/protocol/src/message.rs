//! The message envelope: one JSON-RPC 2.0 message per line.

use std::{fmt, io};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use zeroize::{Zeroize, Zeroizing};

use super::Question;

/// A message from a host to a plugin, or from a plugin to a host.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Message {
    /// A request, which expects a reply with the same ID.
    Request {
        /// The request's ID, unique among the sender's requests.
        id: Id,
        /// The method's name.
        method: String,
        /// The parameters object, or `null` if absent.
        #[serde(skip_serializing_if = "Value::is_null")]
        params: Value,
    },
    /// A notification, which expects no reply.
    Notification {
        /// The method's name.
        method: String,
        /// The parameters object, or `null` if absent.
        #[serde(skip_serializing_if = "Value::is_null")]
        params: Value,
    },
    /// The reply to a successful request.
    Result {
        /// The request's ID.
        id: Id,
        /// The result, whose shape depends on the method.
        result: Value,
    },
    /// The reply to a failed request.
    Error {
        /// The request's ID, or `None` if the ID could not be read.
        id: Option<Id>,
        /// The error.
        error: ErrorObject,
    },
}

/// A request ID, unique among the sender's requests.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Id {
    /// A number. Hosts number their requests 1, 2, 3 and so on.
    Number(i64),
    /// A string.
    Text(String),
}

/// The error in the reply to a failed request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ErrorObject {
    /// The error code. Positive codes are exit statuses; [`codes`](super::codes) lists the negative ones.
    pub code: i64,
    /// The message for the user.
    pub message: String,
    /// Machine-readable details. Conforming plugins send [`ErrorData`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

/// The state of a change after the command has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ChangeState {
    /// Nothing has changed.
    NotDone,
    /// A known part of the change has been made.
    PartlyDone,
    /// The change has been made, but a later step failed.
    Done,
    /// The change may or may not have been made. Unknown states from later versions decode as this variant.
    #[serde(other)]
    Unknown,
}

/// A missing or invalid input field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[must_use]
pub struct Field {
    /// The field's name in the input, such as `stt_service`.
    pub field: String,
    /// The option that sets the field, such as `--stt`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flag: Option<String>,
    /// `missing`, or a description of the problem.
    pub problem: String,
}

impl Field {
    /// Creates a field with the given problem, which is either `missing` or a description.
    pub fn new(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            flag: None,
            problem: problem.into(),
        }
    }

    /// Specifies the option that sets the field.
    pub fn flag(mut self, flag: impl Into<String>) -> Self {
        self.flag = Some(flag.into());
        self
    }

    /// Returns the option, or the field's name if no option sets the field. For a position in a file, returns the position followed by the
    /// option.
    fn name(&self) -> String {
        let is_place = self
            .field
            .contains(|letter: char| letter != '_' && !letter.is_alphanumeric());
        match &self.flag {
            Some(flag) if is_place && *flag != self.field => format!("{} ({flag})", self.field),
            Some(flag) => flag.clone(),
            None => self.field.clone(),
        }
    }

    /// Returns a message that describes the problem.
    pub fn sentence(&self) -> String {
        match self.problem.strip_prefix("missing") {
            Some(rest) => format!("`{}` is missing{rest}", self.name()),
            None => self.to_string(),
        }
    }
}

/// Formats the field as a list item, such as `--stt: missing`.
impl fmt::Display for Field {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.name(), self.problem)
    }
}

/// The details of an error from a plugin.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ErrorData {
    /// The specific error code in `snake_case`. Codes are stable.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub code: String,
    /// The missing or invalid fields.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<Field>,
    /// Suggestions for the user.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<String>,
    /// The unanswered questions, if `code` is `input_required`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<Question>,
    /// The state of the attempted change. Absent if the command changes nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<ChangeState>,
    /// The supported versions, if the numeric error code is -32022.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub supported: Vec<String>,
}

/// The reason a line is not a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotAMessage {
    /// The line is not UTF-8.
    NotUtf8,
    /// The line is not JSON.
    NotJson,
    /// The line is JSON, but not a JSON-RPC 2.0 message.
    NotJsonRpc,
}

#[derive(Serialize)]
struct Envelope<'a> {
    jsonrpc: &'static str,
    #[serde(flatten)]
    message: &'a Message,
}

impl Message {
    /// Parses a line, with or without its line ending.
    pub fn from_line(line: &[u8]) -> Result<Self, NotAMessage> {
        let line = std::str::from_utf8(line).map_err(|_| NotAMessage::NotUtf8)?;
        let value: Value = serde_json::from_str(line).map_err(|_| NotAMessage::NotJson)?;
        Self::from_value(value).ok_or(NotAMessage::NotJsonRpc)
    }

    fn from_value(mut value: Value) -> Option<Self> {
        let members = value.as_object_mut()?;
        if members.get("jsonrpc")? != "2.0" {
            return None;
        }
        let id = members.remove("id");
        let id = id
            .map(|id| Option::<Id>::deserialize(id).ok())
            .map_or(Some(None), |id| id.map(Some))?;
        let method = member(members, "method").ok()?;
        let error = member(members, "error").ok()?;
        let params = members.remove("params").unwrap_or_default();
        match (method, members.remove("result"), error, id) {
            (Some(method), None, None, None) => Some(Self::Notification { method, params }),
            (Some(method), None, None, Some(Some(id))) => {
                Some(Self::Request { id, method, params })
            }
            (None, Some(result), None, Some(Some(id))) => Some(Self::Result { id, result }),
            (None, None, Some(error), id) => Some(Self::Error {
                id: id.flatten(),
                error,
            }),
            _ => None,
        }
    }

    /// Encodes the message as a line, including the line ending. The message itself contains no line breaks, because JSON strings escape
    /// them.
    pub fn to_line(&self) -> String {
        let mut line = serde_json::to_string(&self.envelope()).unwrap_or_default();
        line.push('\n');
        line
    }

    /// Encodes the message like [`to_line`](Self::to_line), but into memory that is wiped on drop.
    pub fn to_wiped_line(&self) -> Zeroizing<Vec<u8>> {
        let mut line = wiped_json(&self.envelope());
        line.push(b'\n');
        line
    }

    fn envelope(&self) -> Envelope<'_> {
        Envelope {
            jsonrpc: "2.0",
            message: self,
        }
    }

    /// Wipes all string values in the parameters or the result from memory.
    pub fn wipe(&mut self) {
        match self {
            Self::Request { params, .. } | Self::Notification { params, .. } => wipe(params),
            Self::Result { result, .. } => wipe(result),
            Self::Error { .. } => {}
        }
    }
}

/// Encodes `value` as JSON into memory that is wiped on drop. The buffer has room for one more byte, so that appending a line feed does not
/// reallocate.
pub fn wiped_json(value: &impl Serialize) -> Zeroizing<Vec<u8>> {
    let mut json = Wiped(Zeroizing::new(Vec::with_capacity(1024)));
    let _ = serde_json::to_writer(&mut json, value);
    json.grow_for(1);
    json.0
}

/// A byte buffer that wipes its old memory when it grows.
struct Wiped(Zeroizing<Vec<u8>>);

impl Wiped {
    fn grow_for(&mut self, more: usize) {
        let needed = self.0.len() + more;
        if needed > self.0.capacity() {
            let larger = Vec::with_capacity(needed.max(2 * self.0.capacity()));
            let before = std::mem::replace(&mut self.0, Zeroizing::new(larger));
            self.0.extend_from_slice(&before);
        }
    }
}

impl io::Write for Wiped {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.grow_for(bytes.len());
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn wipe(value: &mut Value) {
    match value {
        Value::String(text) => text.zeroize(),
        Value::Array(values) => values.iter_mut().for_each(wipe),
        Value::Object(members) => members.values_mut().for_each(wipe),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

impl std::fmt::Display for Id {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => write!(f, "\"{}\"", text.escape_default()),
        }
    }
}

impl ErrorObject {
    /// Creates a protocol-level error without details.
    pub fn protocol(code: i64, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
        }
    }

    /// Creates the error for an unsupported protocol version.
    pub fn unsupported() -> Self {
        let data = ErrorData {
            supported: vec![super::VERSION.to_owned()],
            ..ErrorData::default()
        };
        Self {
            code: super::codes::UNSUPPORTED_PROTOCOL,
            message: "this version of the protocol is not supported".to_owned(),
            data: serde_json::to_value(data).ok(),
        }
    }

    /// Returns the error's details. Details that cannot be decoded get default values.
    pub fn details(&self) -> ErrorData {
        let mut data = self.data.clone().unwrap_or_default();
        let Some(members) = data.as_object_mut() else {
            return ErrorData::default();
        };
        ErrorData {
            code: readable(members, "code"),
            fields: readable(members, "fields"),
            hints: readable(members, "hints"),
            inputs: readable(members, "inputs"),
            outcome: readable(members, "outcome"),
            supported: readable(members, "supported"),
        }
    }
}

/// Removes and decodes a member that may be absent or `null`.
fn member<T: DeserializeOwned>(
    members: &mut Map<String, Value>,
    name: &str,
) -> serde_json::Result<Option<T>> {
    let value = members.remove(name).unwrap_or_default();
    serde_json::from_value(value)
}

fn readable<T: DeserializeOwned + Default>(members: &mut Map<String, Value>, name: &str) -> T {
    member(members, name).ok().flatten().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Id, Message, NotAMessage};

    #[test]
    fn a_line_that_is_wiped_is_the_same_line_whatever_its_length() {
        for length in [0, 1, 900, 1024, 5000, 1 << 20] {
            let result = json!({"a": "é\n".repeat(length), "b": [length, null]});
            let message = Message::Result {
                id: Id::Number(1),
                result,
            };
            let line = message.to_wiped_line();
            assert!(*line == message.to_line().as_bytes(), "{length}");
        }
    }

    #[test]
    fn tells_what_a_line_is_instead_of_a_message() {
        for (line, reason) in [
            (&b"\xff\xfe"[..], NotAMessage::NotUtf8),
            (b"Loading model ...", NotAMessage::NotJson),
            (b"{\"jsonrpc\":\"2.0\"", NotAMessage::NotJson),
            (b"7", NotAMessage::NotJsonRpc),
            (b"[]", NotAMessage::NotJsonRpc),
            (b"{\"level\":\"info\"}", NotAMessage::NotJsonRpc),
            (b"{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"run\"}", NotAMessage::NotJsonRpc),
            (b"{\"jsonrpc\":\"2.0\",\"id\":1}", NotAMessage::NotJsonRpc),
            (b"{\"jsonrpc\":\"2.0\",\"result\":1}", NotAMessage::NotJsonRpc),
            (b"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"result\":1}", NotAMessage::NotJsonRpc),
            (
                b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1,\"error\":{\"code\":1,\"message\":\"\"}}",
                NotAMessage::NotJsonRpc,
            ),
        ] {
            assert_eq!(Message::from_line(line), Err(reason), "{line:?}");
        }
    }
}
