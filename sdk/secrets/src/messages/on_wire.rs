//! Serializes secrets. In this crate, only this module writes secret values into messages.

use std::collections::BTreeMap;

use bot_cli_protocol::secret::Secret;
use serde::Serializer;

pub fn text<S: Serializer>(secret: &Secret, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(secret.expose())
}

#[expect(clippy::ref_option, reason = "serde passes a reference to the member")]
pub fn optional_values<S: Serializer>(
    values: &Option<BTreeMap<String, Secret>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match values {
        Some(values) => {
            serializer.collect_map(values.iter().map(|(key, value)| (key, value.expose())))
        }
        None => serializer.serialize_none(),
    }
}

/// Entries, as a map.
pub mod entries {
    use std::collections::BTreeMap;

    use bot_cli_protocol::secret::Secret;
    use serde::{Deserialize as _, Deserializer, Serializer};

    use crate::domain::{Entry, Key};

    pub fn serialize<S: Serializer>(entries: &[Entry], serializer: S) -> Result<S::Ok, S::Error> {
        let pairs = entries.iter();
        let pairs = pairs.map(|entry| (entry.key.as_str(), entry.value.expose()));
        serializer.collect_map(pairs.collect::<BTreeMap<_, _>>())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Entry>, D::Error> {
        let pairs = BTreeMap::<Key, Secret>::deserialize(deserializer)?.into_iter();
        Ok(pairs.map(|(key, value)| Entry { key, value }).collect())
    }
}
