//! For authors: a plugin is a clap command tree and a function for what it does.

use std::process::ExitCode;

use crate::failure::Failure;
pub use crate::outcome::Reply;
use crate::session::Session;

/// A clap command tree that can be run.
pub trait Command: clap::Parser {
    /// The manifest that stands in the executable: `bot_cli_sdk::manifest!("../manifest.json")`.
    const MANIFEST: &'static str;

    /// Does what the user asked for.
    fn run(self, session: &mut Session) -> Result<Reply, Failure>;
}

/// The whole `main` of a plugin: an ordinary command when started with arguments or at a terminal, the protocol otherwise.
#[must_use]
pub fn main<C: Command>() -> ExitCode {
    ExitCode::SUCCESS
}
