//! The user's shell on Windows.

/// The word as PowerShell reads it back, and the command prompt unless the word has `$`, a backtick or a double quotation mark in it.
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
