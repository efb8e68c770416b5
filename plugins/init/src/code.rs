//! Python code: its words, and the names that it binds and looks up, by its scopes.

mod names;
mod words;

use std::collections::BTreeSet;

pub(crate) use names::Names;
pub(crate) use words::{Kind, words};

/// Returns the names that `code` looks up and nothing in it binds; those of Python itself are not among them.
///
/// # Errors
/// It can't be read.
pub(crate) fn free(code: &str) -> Result<BTreeSet<&str>, String> {
    Ok(Names::of(code)?.free())
}
