//! Values that are probably not what somebody means.

use crate::domain::Entry;

/// The most bytes that one variable of an environment may have on Linux, with its name, `=` and the NUL at its end.
pub const LONGEST_VARIABLE: usize = 128 * 1024;

/// Returns the bytes that a key with its value needs in an environment.
pub fn size(entry: &Entry) -> usize {
    entry.key.as_str().len() + entry.value.expose().len() + "=\0".len()
}

/// Returns what is odd about each entry.
pub fn warnings(entries: &[Entry]) -> Vec<String> {
    let mut warnings = Vec::new();
    for entry in entries {
        if let Some(odd) = odd(entry.value.expose()) {
            warnings.push(format!("the value of `{}` {odd}", entry.key));
        }
        let size = size(entry);
        if size > LONGEST_VARIABLE {
            warnings.push(format!(
                "`{}` has {size} bytes with its name, more than the {LONGEST_VARIABLE} that a variable of an environment may have",
                entry.key
            ));
        }
    }
    warnings
}

/// Returns advice about a suspicious value, without any part of it.
pub fn odd(value: &str) -> Option<&'static str> {
    if value.contains('\r') {
        return Some("has carriage returns (CR), which few programs expect");
    }
    // A key or a certificate of many lines ends like this, and has to.
    let lines = value.lines().count();
    if value.ends_with('\n') {
        return (lines == 1).then_some("ends with a line break");
    }
    if value.starts_with(char::is_whitespace) || value.ends_with(char::is_whitespace) {
        return Some("has a blank at an edge");
    }
    is_placeholder(value).then_some("looks like a placeholder")
}

fn is_placeholder(value: &str) -> bool {
    const WHOLE: [&str; 9] = [
        "changeme",
        "change-me",
        "change_me",
        "todo",
        "tbd",
        "placeholder",
        "secret",
        "password",
        "none",
    ];
    const BEGINNINGS: [&str; 6] = ["your-", "your_", "<your", "replace-", "replace_", "insert-"];
    let lower = value.to_lowercase();
    WHOLE.contains(&lower.as_str())
        || BEGINNINGS
            .iter()
            .any(|beginning| lower.starts_with(beginning))
        || (value.starts_with('<') && value.ends_with('>'))
        || (value.len() >= 3 && lower.chars().all(|c| c == 'x' || c == '.' || c == '*'))
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
            "changeme",
            " a",
            "a\n",
            "a\t",
            "a\r\nb\r\n",
        ] {
            assert!(odd(value).is_some(), "{value:?}");
        }
        for value in [
            "sk-proj-1",
            "yours",
            "x",
            "a b",
            "<a",
            "postgres://u:p@h/db",
            "-----BEGIN X-----\nabc\n-----END X-----\n",
        ] {
            assert_eq!(odd(value), None, "{value:?}");
        }
    }
}
