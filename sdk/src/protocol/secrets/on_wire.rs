//! Secrets as they are written and read: the one place in this crate where a value becomes part of a message.

use serde::{Deserialize, Deserializer};

/// A member that must be there, and may be `null`.
pub fn required<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Option::deserialize(deserializer)
}

/// A text.
pub mod text {
    use serde::{Deserialize, Deserializer, Serializer};

    use crate::secret::Secret;

    pub fn serialize<S: Serializer>(secret: &Secret, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(secret.expose())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Secret, D::Error> {
        String::deserialize(deserializer).map(Secret::new)
    }
}

/// Values by their keys.
pub mod values {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Deserializer, Serializer};

    use crate::secret::Secret;

    pub fn serialize<S: Serializer>(
        values: &BTreeMap<String, Secret>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_map(values.iter().map(|(key, value)| (key, value.expose())))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BTreeMap<String, Secret>, D::Error> {
        let values = BTreeMap::<String, String>::deserialize(deserializer)?;
        let secrets = values.into_iter();
        Ok(secrets
            .map(|(key, value)| (key, Secret::new(value)))
            .collect())
    }
}

/// Values by their keys, or `null`.
pub mod optional_values {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Deserializer, Serializer};

    use crate::secret::Secret;

    #[expect(clippy::ref_option, reason = "serde passes a reference to the member")]
    pub fn serialize<S: Serializer>(
        values: &Option<BTreeMap<String, Secret>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match values {
            Some(values) => super::values::serialize(values, serializer),
            None => serializer.serialize_none(),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<BTreeMap<String, Secret>>, D::Error> {
        let values = Option::<BTreeMap<String, String>>::deserialize(deserializer)?;
        Ok(values.map(|values| {
            let secrets = values.into_iter();
            secrets
                .map(|(key, value)| (key, Secret::new(value)))
                .collect()
        }))
    }
}
