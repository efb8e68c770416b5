//! The user's shell on Unix.

use std::borrow::Cow;

/// The word as a POSIX shell reads it back.
#[must_use]
pub fn quoted(word: &str) -> String {
    // Only a NUL can't be quoted; no argument and no path holds one.
    shlex::try_quote(word).map_or_else(|_| word.replace('\0', ""), Cow::into_owned)
}
