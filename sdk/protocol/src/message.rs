//! The envelope: one JSON-RPC 2.0 message a line.

use std::{fmt, io};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use zeroize::{Zeroize, Zeroizing};

use super::Question;

/// A message in either direction.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Message {
    /// Wants a reply with the same id.
    Request {
        /// Names the request among those of its sender.
        id: Id,
        /// The name of the method.
        method: String,
        /// An object; `null` when absent.
        #[serde(skip_serializing_if = "Value::is_null")]
        params: Value,
    },
    /// Wants no reply.
    Notification {
        /// The event.
        method: String,
        /// An object; `null` when absent.
        #[serde(skip_serializing_if = "Value::is_null")]
        params: Value,
    },
    /// The request was served.
    Result {
        /// That of the request.
        id: Id,
        /// The value, whose shape depends on the method.
        result: Value,
    },
    /// The request was not served.
    Error {
        /// That of the request; `None` where it could not be read.
        id: Option<Id>,
        /// Why not.
        error: ErrorObject,
    },
}

/// Names a request among those of its sender.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Id {
    /// Hosts count 1, 2, 3.
    Number(i64),
    /// Any text.
    Text(String),
}

/// Why a request was not served.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ErrorObject {
    /// Positive: the exit status. Negative: see [`codes`](super::codes).
    pub code: i64,
    /// The message, for people.
    pub message: String,
    /// More about it, for programs: [`ErrorData`] where the plugin follows the protocol.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

/// The outcome of a change that a command was to make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ChangeState {
    /// Nothing has changed.
    NotDone,
    /// Some of it is done, and it is known what.
    PartlyDone,
    /// It is done; something else failed afterwards.
    Done,
    /// It may or may not have been done. What later versions may add counts as this.
    #[serde(other)]
    Unknown,
}

/// One field of the input that is missing or wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[must_use]
pub struct Field {
    /// The name in the input: `stt_service`.
    pub field: String,
    /// The option that sets it: `--stt`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flag: Option<String>,
    /// `missing`, or what is wrong with it.
    pub problem: String,
}

impl Field {
    /// A field with its problem: `missing`, or what is wrong with it.
    pub fn new(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            flag: None,
            problem: problem.into(),
        }
    }

    /// The option that sets it.
    pub fn flag(mut self, flag: impl Into<String>) -> Self {
        self.flag = Some(flag.into());
        self
    }

    /// The option, or else the name; a place in a file with the option that names the file.
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

    /// The problem as a whole sentence.
    pub fn sentence(&self) -> String {
        match self.problem.strip_prefix("missing") {
            Some(rest) => format!("`{}` is missing{rest}", self.name()),
            None => self.to_string(),
        }
    }
}

/// As one of several: `--stt: missing`.
impl fmt::Display for Field {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.name(), self.problem)
    }
}

/// Details of a failure beside its message.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ErrorData {
    /// The finer cause, stable, in `snake_case`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub code: String,
    /// The fields that are missing or wrong.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<Field>,
    /// Hints on what to do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<String>,
    /// With `input_required`: the open questions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<Question>,
    /// The outcome of the change; absent where the command changes nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<ChangeState>,
    /// With code -32022: the versions that can be served.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub supported: Vec<String>,
}

/// Why a line is not a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotAMessage {
    /// It is not UTF-8.
    NotUtf8,
    /// It is not JSON.
    NotJson,
    /// It is JSON, but not a JSON-RPC 2.0 message.
    NotJsonRpc,
}

/// A message as it is written.
#[derive(Serialize)]
struct Envelope<'a> {
    jsonrpc: &'static str,
    #[serde(flatten)]
    message: &'a Message,
}

impl Message {
    /// Reads a line, with or without its end.
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

    /// The line of the message, with its end. JSON escapes every line break within.
    pub fn to_line(&self) -> String {
        let mut line = serde_json::to_string(&self.envelope()).unwrap_or_default();
        line.push('\n');
        line
    }

    /// The same in memory that is wiped.
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

    /// Wipes every text of its parameters or result from memory.
    pub fn wipe(&mut self) {
        match self {
            Self::Request { params, .. } | Self::Notification { params, .. } => wipe(params),
            Self::Result { result, .. } => wipe(result),
            Self::Error { .. } => {}
        }
    }
}

/// The JSON of `value` in memory that is wiped, with room for the end of a line.
pub fn wiped_json(value: &impl Serialize) -> Zeroizing<Vec<u8>> {
    let mut json = Wiped::default();
    let _ = serde_json::to_writer(&mut json, value);
    json.grow_for(1);
    json.0
}

/// Bytes that leave nothing behind where they were before they became too many for it.
struct Wiped(Zeroizing<Vec<u8>>);

impl Default for Wiped {
    fn default() -> Self {
        Self(Zeroizing::new(Vec::with_capacity(1024)))
    }
}

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

/// Wipes every text in `value` from memory.
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
    /// An error of the protocol itself.
    pub fn protocol(code: i64, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
        }
    }

    /// The version that was asked for cannot be served.
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

    /// Returns what is known beside the message, as far as it can be read.
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

/// A member that may be absent or `null`.
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
