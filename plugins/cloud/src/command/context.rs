//! The context of a command.

use bot_cli_sdk::session::Session;

use crate::environment::Environment;

/// What a command works with: the user, and what surrounds the process.
#[derive(Clone, Copy)]
pub struct CommandContext<'a> {
    pub session: &'a Session,
    pub environment: &'a Environment,
}
