//! Names and keys as Kubernetes accepts them. Both mappings are reversible, so a listing needs no annotation to be read.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// The longest key of a Secret.
const LONGEST_DATA_KEY: usize = 253;

/// The longest name of a set, in characters.
const LONGEST_NAME: usize = 63;

/// Separates a name from the positions of its capital letters.
const CAPITALS: &str = ".u";

/// Begins a key that the API would refuse as it is.
const ESCAPED: char = '.';

/// What stands in such a key as its bytes, `_20` for a blank.
const BYTES: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-');

/// Returns the name of the Secret that keeps the set `name`: the name itself where it is one, else its lower-case form with the
/// positions of its capital letters, as in `my-set.u9` for `My-Set`. The error says what is wrong.
pub fn object_name(name: &str) -> Result<String, &'static str> {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
    if name.is_empty() || name.len() > LONGEST_NAME {
        return Err("must be 1 to 63 characters");
    }
    if !name.chars().all(is_allowed) {
        return Err("may have only letters, digits, hyphens and dots");
    }
    let is_label =
        |label: &str| !label.is_empty() && !label.starts_with('-') && !label.ends_with('-');
    if !name.split('.').all(is_label) {
        return Err("has a hyphen or a dot at an end");
    }
    let mask = name.chars().rev().fold(0_u64, |mask, c| {
        mask << 1 | u64::from(c.is_ascii_uppercase())
    });
    let lower = name.to_ascii_lowercase();
    // What looks mapped is mapped, too: otherwise two names could meet in one.
    Ok(if mask == 0 && split(&lower).is_none() {
        lower
    } else {
        format!("{lower}{CAPITALS}{mask:x}")
    })
}

/// Returns the set that a Secret of this name keeps; `None` when no set has such a name.
pub fn set_name(object: &str) -> Option<String> {
    let (lower, mask) = split(object).unwrap_or((object, 0));
    let is_capital = |index| mask.checked_shr(index).is_some_and(|bits| bits & 1 == 1);
    let letters = (0..).zip(lower.chars());
    let name: String = letters
        .map(|(index, c)| {
            if is_capital(index) {
                c.to_ascii_uppercase()
            } else {
                c
            }
        })
        .collect();
    // Only what would be written the same way is ours.
    (object_name(&name).as_deref() == Ok(object)).then_some(name)
}

fn split(object: &str) -> Option<(&str, u64)> {
    let (lower, mask) = object.rsplit_once(CAPITALS)?;
    let is_hex = |c: char| matches!(c, '0'..='9' | 'a'..='f');
    if mask.is_empty() || !mask.chars().all(is_hex) {
        return None;
    }
    Some((lower, u64::from_str_radix(mask, 16).ok()?))
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

/// Returns the key that is kept under this key of a Secret. One that somebody else has written is taken as it is.
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
    use super::{data_key, key, object_name, set_name};

    #[test]
    fn names_that_kubernetes_accepts_stay_as_they_are() {
        let longest = "a".repeat(63);
        for name in [
            "a", "prod", "my-bot-2", "0", "a.b", "a.u", "a.uz", "a.u-1", &longest,
        ] {
            assert_eq!(object_name(name).unwrap(), name);
            assert_eq!(set_name(name).unwrap(), name);
        }
    }

    #[test]
    fn names_with_capitals_are_mapped_there_and_back() {
        for (name, object) in [
            ("My-Set", "my-set.u9"),
            ("A", "a.u1"),
            ("a.u1", "a.u1.u0"),
            ("A.u1", "a.u1.u1"),
            ("PROD", "prod.uf"),
        ] {
            assert_eq!(object_name(name).unwrap(), object);
            assert_eq!(set_name(object).unwrap(), name);
        }
        let longest = "Z".repeat(63);
        let object = object_name(&longest).unwrap();
        assert_eq!(set_name(&object).unwrap(), longest);
        assert!(object.len() <= 253);
    }

    #[test]
    fn every_name_has_an_object_of_its_own() {
        let mut seen = std::collections::BTreeMap::new();
        let letters = ["a", "A", ".", "u", "U", "0", "1", "-"];
        let mut names = vec![String::new()];
        for _ in 0..5 {
            names = names
                .iter()
                .flat_map(|name| letters.map(|letter| format!("{name}{letter}")))
                .collect();
            for name in &names {
                let Ok(object) = object_name(name) else {
                    continue;
                };
                assert_eq!(
                    set_name(&object).as_deref(),
                    Some(name.as_str()),
                    "{object}"
                );
                if let Some(other) = seen.insert(object, name.clone()) {
                    panic!("{name} and {other} meet");
                }
            }
        }
    }

    #[test]
    fn names_that_no_set_has_are_refused_both_ways() {
        let too_long = "a".repeat(64);
        for name in [
            "", "-a", "a-", ".a", "a.", "a..b", "a.-b", "a_b", "a b", "ä", &too_long,
        ] {
            assert!(object_name(name).is_err(), "{name:?}");
        }
        for object in ["a.u0", "a.u01", "a.u2", "1.u1", "a.uffffffffffffffffff"] {
            let name = set_name(object);
            assert!(
                name.is_none() || object_name(&name.unwrap()).unwrap() == object,
                "{object:?}"
            );
        }
        assert_eq!(set_name("a.u0"), None);
        assert_eq!(set_name("1.u1"), None);
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
