//! The interactive path: questions instead of options.
//!
//! The questions are a table (`questions.toml`, `steps`); `walk` asks them in its order, skips what is settled, goes back and changes.
//! Nothing here knows the terminal or writes a file.

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

/// The wanted project: partly known before the questions, completely after them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// The folder that a target is named from.
    pub cwd: PathBuf,
    /// The user's home directory, for `~`.
    pub home: Option<PathBuf>,
    /// Whether a user answers, who may be told that a folder is no place for a project; a script has its reasons.
    pub can_ask: bool,
    /// The folder to initialize.
    pub target: Option<Target>,
    /// The way in which the bot is built.
    pub way: Option<Way>,
    /// The scaffold options; of meaning with [`Way::Scaffold`].
    pub draft: Draft,
}

/// The way in which the bot is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// A coding agent, by the guide that is written for it.
    Agent,
    /// This program, now.
    Scaffold,
}

/// Finds what there is to choose from; called once the user wants to choose.
pub type Find<'a> = &'a dyn Fn(&mut Session) -> Result<&'a Catalogue, Failure>;

/// Asks for what `given` doesn't say of a bot, for which nothing is created.
pub fn ask_rest<'a>(
    session: &mut Session,
    given: &'a Selection,
    find: Find<'a>,
) -> Result<Draft, Failure> {
    Ok(Walk::new(given, find).complete(session)?.draft)
}

/// Asks for everything that `given` doesn't say. The result has a `target` and a `way`; before a scaffold, the
/// user has agreed to the summary. Cancelling is a failure with [`Exit::Cancelled`](bot_cli_protocol::failure::Exit).
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
