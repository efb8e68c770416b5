//! The user's shell on Windows.

/// Quotes a word for PowerShell. The command prompt also accepts the result, unless the word contains `$`, a backtick or a double quotation
/// mark.
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || r"-_.:\/+=@~".contains(c);
    if !word.is_empty() && !word.starts_with('@') && word.chars().all(is_plain) {
        word.to_owned()
    } else if word.contains(['$', '`', '"']) {
        format!("'{}'", word.replace('\'', "''"))
    } else {
        format!("\"{word}\"")
    }
}
