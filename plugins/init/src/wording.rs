//! Quotes the user's input in messages and suggests corrections.

use bot_cli_protocol::suggest;

/// Returns `; did you mean …?` with the nearest of `known`, or an empty string.
pub fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    suggest::nearest(&word.trim().to_lowercase(), known).map_or_else(String::new, |found| {
        format!("; {}", suggest::did_you_mean(&[found]))
    })
}

/// Quotes a user's word for a message: in backticks, with control characters escaped, and shortened.
pub fn quoted(word: &str) -> String {
    let mut shown: String = word.chars().take(60).flat_map(char::escape_debug).collect();
    if word.chars().nth(60).is_some() {
        shown.push('…');
    }
    format!("`{}`", shown.replace("\\'", "'").replace("\\\"", "\""))
}
