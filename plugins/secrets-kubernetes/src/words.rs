//! Sentences that several modules use.

use bot_cli_secrets::{Code, Error};
use bot_cli_terminal::short_line;

/// Returns the words of others on one line of at most 200 characters that commands no terminal.
pub fn one_line(text: &str) -> String {
    short_line(text, 200)
}

/// Returns the error for a namespace that is not there.
pub fn no_namespace(namespace: &str) -> Error {
    Error::new(
        Code::NoPlace,
        format!("the cluster has no namespace `{namespace}`"),
    )
    .hint(format!("`kubectl create namespace {namespace}` makes it"))
}
