//! The user's words in messages: quoted, and what a mistyped one may have meant.

use bot_cli_protocol::suggest;

/// `; did you mean …?` with the nearest of `known`, or nothing when none is near.
pub fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    suggest::nearest(&word.trim().to_lowercase(), known).map_or_else(String::new, |found| {
        format!("; {}", suggest::did_you_mean(&[found]))
    })
}

/// A user's word in a message: in backticks, without what a terminal would act on, and not for ever.
pub fn quoted(word: &str) -> String {
    let mut shown: String = word.chars().take(60).flat_map(char::escape_debug).collect();
    if word.chars().nth(60).is_some() {
        shown.push('…');
    }
    format!("`{}`", shown.replace("\\'", "'").replace("\\\"", "\""))
}
