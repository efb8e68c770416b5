//! Warnings about keys and values that are allowed, but probably not what the user wants.

use crate::domain::Entry;

/// The beginnings of references to secrets that another store keeps.
const REFERENCES: [&str; 5] = [
    "op://",
    "ref+",
    "sm://",
    "arn:aws:secretsmanager:",
    "@Microsoft.KeyVault(",
];

/// The beginnings of values that another tool has encrypted.
const CIPHERTEXTS: [&str; 5] = [
    "ENC[",
    "encrypted:",
    "$ANSIBLE_VAULT;",
    "-----BEGIN AGE ENCRYPTED FILE-----",
    "-----BEGIN PGP MESSAGE-----",
];

/// Returns a warning about a suspicious value. The warning never quotes the value.
pub fn odd(value: &str) -> Option<&'static str> {
    if REFERENCES.iter().any(|start| value.starts_with(start)) {
        return Some("is a reference to another store, which nothing resolves");
    }
    if CIPHERTEXTS.iter().any(|start| value.starts_with(start)) {
        return Some("is encrypted, and nothing decrypts it");
    }
    if value.ends_with('\n') {
        // Multi-line keys and certificates must end with a line break.
        return (value.lines().count() == 1).then_some("ends with a line break");
    }
    if value.trim() != value {
        return Some("has a blank at an edge");
    }
    let lower = value.to_lowercase();
    let is_placeholder = ["changeme", "todo", "placeholder"].contains(&lower.as_str())
        || ["your-", "your_", "<your"]
            .iter()
            .any(|start| lower.starts_with(start))
        || (value.starts_with('<') && value.ends_with('>'))
        || (value.len() >= 3 && lower.chars().all(|c| c == 'x' || c == '.' || c == '*'));
    is_placeholder.then_some("looks like a placeholder")
}

/// The problem with a variable that is too long.
pub const TOO_LONG: &str = "is longer than 128 KiB, so Linux starts no program with it";

/// Reports whether a variable, as `KEY=value` with a final NUL byte, exceeds Linux's limit `MAX_ARG_STRLEN`.
pub fn is_too_long(Entry { key, value }: &Entry) -> bool {
    key.as_str().len() + value.expose().len() + 2 > 128 * 1024
}

/// The variables that decide which programs and libraries are found, and where programs look for the user's files.
const OF_THE_SYSTEM: [&str; 9] = [
    "PATH",
    "PATHEXT",
    "HOME",
    "USERPROFILE",
    "SYSTEMROOT",
    "PYTHONHOME",
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "LD_AUDIT",
];

/// Returns the keys of variables that belong to the system or to this tool, in backticks.
pub fn reserved(entries: &[Entry]) -> Vec<String> {
    let keys = entries.iter().map(|entry| entry.key.as_str());
    let reserved = keys.filter(|key| {
        let of_others = ["DYLD_", "BOT_CLI_"];
        OF_THE_SYSTEM.contains(key) || of_others.iter().any(|start| key.starts_with(start))
    });
    reserved.map(|key| format!("`{key}`")).collect()
}

#[cfg(test)]
mod tests {
    use super::odd;

    #[test]
    fn placeholders_and_edges_are_odd() {
        for value in [
            "your-api-key",
            "YOUR_KEY",
            "<key>",
            "xxx",
            "...",
            " a",
            "a\n",
            "a\t",
            "op://vault/item/field",
            "encrypted:BKc",
            "-----BEGIN PGP MESSAGE-----\nabc\n-----END PGP MESSAGE-----\n",
        ] {
            assert!(odd(value).is_some(), "{value:?}");
        }
        let pem = "-----BEGIN X-----\nabc\n-----END X-----\n";
        for value in ["sk-proj-1", "yours", "x", "a b", "<a", pem] {
            assert_eq!(odd(value), None, "{value:?}");
        }
    }
}
