//! The names that Kubernetes accepts.

const LONGEST_KEY: usize = 253;

/// Reports whether a set or a namespace can have this name.
pub fn is_label(name: &str) -> bool {
    let is_allowed = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '-');
    (1..=63).contains(&name.len())
        && name.chars().all(is_allowed)
        && !name.starts_with('-')
        && !name.ends_with('-')
}

/// Reports whether a Secret can have this key.
pub fn is_key(key: &str) -> bool {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    (1..=LONGEST_KEY).contains(&key.len())
        && key.chars().all(is_allowed)
        && key != "."
        && !key.starts_with("..")
}

#[cfg(test)]
mod tests {
    use super::{is_key, is_label};

    #[test]
    fn names_and_keys_are_those_that_kubernetes_accepts() {
        for name in ["a", "prod", "my-bot-2", "0", &"a".repeat(63)] {
            assert!(is_label(name), "{name}");
        }
        let too_long = "a".repeat(64);
        for name in ["", "-a", "a-", "a.b", "A", "a_b", "a b", "ä", &too_long] {
            assert!(!is_label(name), "{name}");
        }
        for key in [
            "OPENAI_API_KEY",
            "a.b-c",
            ".dockerconfigjson",
            &"K".repeat(253),
        ] {
            assert!(is_key(key), "{key}");
        }
        for key in ["", "A B", "ü", "a/b", ".", "..", "..a", &"K".repeat(254)] {
            assert!(!is_key(key), "{key}");
        }
    }
}
