//! The plugin's failures, with their messages and hints.

pub mod external;

use bot_cli_protocol::failure::{ChangeState, Exit, Failure};
use bot_cli_protocol::suggest::{did_you_mean, nearest};

use crate::text::theirs;

/// Marks the outcome of the change as unknown.
pub fn unknown(mut failure: Failure, what: &str, look: &str) -> Failure {
    failure.message = format!("{}; it is unknown whether {what}", failure.message);
    // Keep the exit status of an interrupted command.
    if !matches!(failure.exit, Exit::Cancelled | Exit::Terminated) {
        failure.exit = Exit::Unknown;
    }
    failure
        .outcome(ChangeState::Unknown)
        .hint(format!("`{look}` shows what is there now"))
}

/// Creates a failure with the general exit status.
pub fn failed(code: &str, message: impl Into<String>) -> Failure {
    Failure::new(Exit::Failed, code, message)
}

/// Adds the most similar known name as a hint, or `instead` if no known name is similar.
pub fn near_or<'a>(
    failure: Failure,
    word: &str,
    known: impl IntoIterator<Item = &'a str>,
    instead: impl Into<String>,
) -> Failure {
    match nearest(word, known) {
        Some(near) => failure.hint(did_you_mean(&[theirs(near)])),
        None => failure.hint(instead),
    }
}
