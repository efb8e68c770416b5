//! Rejects JSON objects with duplicate members, because parsers disagree about which value to use.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// Checks that `json` is valid JSON in which no object, at any depth, has duplicate members.
///
/// # Errors
///
/// Returns an error if the text is not JSON or has a duplicate member. The error quotes the member's name.
pub fn unique_members(json: &[u8]) -> serde_json::Result<()> {
    serde_json::from_slice::<Once>(json).map(drop)
}

struct Once;

impl<'de> Deserialize<'de> for Once {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Once)
    }
}

impl<'de> Visitor<'de> for Once {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_unit<E: Error>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Self, A::Error> {
        while values.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self, A::Error> {
        let mut names = HashSet::new();
        while let Some(name) = members.next_key::<String>()? {
            members.next_value::<Self>()?;
            if let Some(twice) = names.replace(name) {
                return Err(A::Error::custom(format!("`{twice}` is there twice")));
            }
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::unique_members;

    #[test]
    fn a_member_is_there_once_at_every_depth() {
        for (line, expected) in [
            (
                r#"{"a":1,"b":{"a":[{"a":-1.5},{"a":null}]},"c":"a"}"#,
                false,
            ),
            (r#"{"a":1,"a":1}"#, true),
            (r#"{"b":[{"a":"x","\u0061":"y"}]}"#, true),
            ("7", false),
        ] {
            assert_eq!(unique_members(line.as_bytes()).is_err(), expected, "{line}");
        }
    }
}
