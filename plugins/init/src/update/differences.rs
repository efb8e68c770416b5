//! The options that an update changes.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::config::Config;
use crate::option_table::fields;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Difference {
    pub key: &'static str,
    pub from: Value,
    pub to: Value,
}

pub(crate) fn between(recorded: &Map<String, Value>, new: &Config) -> Vec<Difference> {
    let new = new.to_json();
    fields()
        .filter_map(|(key, _)| {
            let to = new[key].clone();
            let from = recorded.get(key).cloned().unwrap_or_default();
            (from != to).then_some(Difference { key, from, to })
        })
        .collect()
}

impl Difference {
    /// Formats the difference as one line, such as `transports: p2p_webrtc -> p2p_webrtc, hosted_rtc`.
    pub(crate) fn words(&self) -> String {
        format!("{}: {} -> {}", self.key, shown(&self.from), shown(&self.to))
    }
}

pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::Bool(true) => "on".to_owned(),
        Value::Bool(false) => "off".to_owned(),
        Value::String(text) => text.chars().flat_map(char::escape_debug).collect(),
        Value::Array(items) => items.iter().map(shown).collect::<Vec<_>>().join(", "),
        Value::Number(_) | Value::Object(_) => value.to_string(),
    }
}
