//! The interactive mode: prompts instead of options.
//!
//! The questions are a table (`questions.toml`, `steps`). `walk` asks them in order, skips those that are settled, goes back and changes
//! answers. Nothing here uses the terminal directly or writes a file.

mod choices;
pub(crate) mod place;
mod steps;
mod summary;
#[cfg(test)]
mod tests;
mod walk;

use std::path::PathBuf;

use bot_cli_protocol::failure::Failure;
use bot_cli_sdk::session::Session;

use crate::catalogue::Catalogue;
use crate::draft::Draft;
use crate::target::Target;
use walk::Walk;

/// The user's choices: partial before the prompts, complete afterwards.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// The directory that relative targets are resolved against.
    pub cwd: PathBuf,
    /// The user's home directory, for `~`.
    pub home: Option<PathBuf>,
    /// Whether a user answers the prompts and can be warned about unsuitable folders. Scripts aren't warned.
    pub can_ask: bool,
    pub target: Option<Target>,
    pub way: Option<Way>,
    /// The scaffold options, used only with [`Way::Scaffold`].
    pub draft: Draft,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// A coding agent, with the guides that this program writes.
    Agent,
    /// This program.
    Scaffold,
}

/// Finds the available services. Called only once the user starts to choose.
pub type Find<'a> = &'a dyn Fn(&mut Session) -> Result<&'a Catalogue, Failure>;

/// Prompts for the bot options that are missing from `given`. Nothing is written.
pub fn ask_rest<'a>(
    session: &mut Session,
    given: &'a Selection,
    find: Find<'a>,
) -> Result<Draft, Failure> {
    Ok(Walk::new(given, find).complete(session)?.draft)
}

/// Prompts for everything that is missing from `given`. The result has a `target` and a `way`; a scaffold has been confirmed. Cancelling
/// is a failure with [`Exit::Cancelled`](bot_cli_protocol::failure::Exit).
pub fn ask<'a>(
    session: &mut Session,
    given: &'a Selection,
    find: Find<'a>,
) -> Result<Selection, Failure> {
    let mut walk = Walk::new(given, find);
    loop {
        let selection = walk.complete(session)?;
        let is_for_agent = selection.way == Some(Way::Agent);
        if is_for_agent || summary::agree(session, &mut walk, &selection)? {
            return Ok(selection);
        }
    }
}
