//! Suggestions and quotations for messages.

use bot_cli_protocol::suggest;

/// Returns `; did you mean …?` with the closest match in `known`, or an empty string if no match is close.
pub fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    suggest::nearest(&word.trim().to_lowercase(), known).map_or_else(String::new, |found| {
        format!("; {}", suggest::did_you_mean(&[found]))
    })
}

/// Formats user input for a message: in backticks, shortened, and with control characters escaped.
pub fn quoted(word: &str) -> String {
    let mut shown: String = word.chars().take(60).flat_map(char::escape_debug).collect();
    if word.chars().nth(60).is_some() {
        shown.push('…');
    }
    format!("`{}`", shown.replace("\\'", "'").replace("\\\"", "\""))
}
