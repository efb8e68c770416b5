/// Returns a warning about a suspicious value. The warning never quotes the value.
pub fn odd(value: &str) -> Option<&'static str> {
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
        ] {
            assert!(odd(value).is_some(), "{value:?}");
        }
        let pem = "-----BEGIN X-----\nabc\n-----END X-----\n";
        for value in ["sk-proj-1", "yours", "x", "a b", "<a", pem] {
            assert_eq!(odd(value), None, "{value:?}");
        }
    }
}
