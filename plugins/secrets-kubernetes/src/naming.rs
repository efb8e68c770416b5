//! Names and keys as Kubernetes accepts them. The mapping of keys is reversible, so reading a set needs no annotation.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// The longest key of a Secret.
const LONGEST_DATA_KEY: usize = 253;

/// Begins a key that the API would refuse as it is.
const ESCAPED: char = '.';

/// The characters that such a key has as bytes, `_20` for a blank.
const BYTES: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-');

/// Whether a set, and so its Secret, or a namespace can have this name.
pub fn is_label(name: &str) -> bool {
    let is_allowed = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '-');
    (1..=63).contains(&name.len())
        && name.chars().all(is_allowed)
        && !name.starts_with('-')
        && !name.ends_with('-')
}

/// Returns the key of a Secret under which `key` is kept: the key itself where the API accepts it, else an escaped form. The
/// error says what is wrong.
pub fn data_key(key: &str) -> Result<String, &'static str> {
    if key.is_empty() {
        return Err("is empty");
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let mapped = if key.chars().all(is_plain) && !key.starts_with(ESCAPED) {
        key.to_owned()
    } else {
        escaped(key)
    };
    if mapped.len() > LONGEST_DATA_KEY {
        return Err("is longer than a Kubernetes Secret allows (253 characters)");
    }
    Ok(mapped)
}

/// Returns the key that is stored under this key of a Secret. A key that another tool has written is returned unchanged.
pub fn key(data_key: &str) -> String {
    let escaped = data_key.strip_prefix(ESCAPED).unwrap_or_default();
    let bytes = escaped.replace('_', "%");
    let key = percent_decode_str(&bytes).decode_utf8().unwrap_or_default();
    // Only what would be written the same way is ours.
    if self::data_key(&key).is_ok_and(|mapped| mapped == data_key) {
        key.into_owned()
    } else {
        data_key.to_owned()
    }
}

fn escaped(key: &str) -> String {
    let bytes = utf8_percent_encode(key, BYTES).to_string();
    format!("{ESCAPED}{}", bytes.replace('%', "_"))
}

#[cfg(test)]
mod tests {
    use super::{data_key, is_label, key};

    #[test]
    fn names_are_those_that_kubernetes_accepts() {
        let longest = "a".repeat(63);
        for name in ["a", "prod", "my-bot-2", "0", &longest] {
            assert!(is_label(name), "{name}");
        }
        let too_long = "a".repeat(64);
        for name in ["", "-a", "a-", "a.b", "A", "a_b", "a b", "ä", &too_long] {
            assert!(!is_label(name), "{name}");
        }
    }

    #[test]
    fn keys_that_kubernetes_refuses_are_mapped_there_and_back() {
        for (plain, mapped) in [
            ("OPENAI_API_KEY", "OPENAI_API_KEY"),
            ("a.b-c", "a.b-c"),
            ("A B", ".A_20B"),
            ("ü", "._C3_BC"),
            (".dockerconfigjson", "._2Edockerconfigjson"),
            ("..", "._2E_2E"),
            ("a/b", ".a_2Fb"),
            ("\u{1b}[31m", "._1B_5B31m"),
        ] {
            assert_eq!(data_key(plain).unwrap(), mapped);
            assert_eq!(key(mapped), plain);
        }
        assert!(data_key("").is_err());
        assert!(data_key(&"K".repeat(253)).is_ok());
        assert!(data_key(&"K".repeat(254)).is_err());
        assert!(data_key(&" ".repeat(85)).is_err());
    }

    #[test]
    fn keys_of_others_are_taken_as_they_are() {
        for other in [".hidden", "._zz", "._c3", "._", ".A_2", ".a"] {
            assert_eq!(key(other), other);
        }
    }
}
