//! Serializes secrets. In this crate, only this module writes secret values into messages.

use std::collections::BTreeMap;

use bot_cli_protocol::secret::Secret;
use serde::Serializer;

pub fn text<S: Serializer>(secret: &Secret, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(secret.expose())
}

pub fn values<S: Serializer>(
    values: &BTreeMap<String, Secret>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(values.iter().map(|(key, value)| (key, value.expose())))
}

#[expect(clippy::ref_option, reason = "serde passes a reference to the member")]
pub fn optional_values<S: Serializer>(
    values: &Option<BTreeMap<String, Secret>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match values {
        Some(values) => self::values(values, serializer),
        None => serializer.serialize_none(),
    }
}
