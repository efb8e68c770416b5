//! For authors: a plugin is a clap command tree and a function for what it does.

use std::process::ExitCode;

use serde_json::Value;

use crate::failure::Failure;
use crate::session::Session;

/// A clap command tree that can be run.
pub trait Command: clap::Parser {
    /// Does what the user asked for.
    fn run(self, session: &mut Session) -> Result<Reply, Failure>;
}

/// What a command leaves behind when it succeeds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reply {
    /// For people, on stdout.
    pub text: String,
    /// For programs: the document of `--json`.
    pub data: Value,
    /// Commands that may come next, shown to people.
    pub next: Vec<String>,
}

/// The whole `main` of a plugin: an ordinary command when started with arguments or at a terminal, the protocol otherwise.
#[must_use]
pub fn main<C: Command>() -> ExitCode {
    ExitCode::SUCCESS
}
