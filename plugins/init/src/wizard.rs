//! The interactive mode, which prompts for options.
//!
//! `questions.toml` and `steps` define the questions. `walk` asks them in order, skips settled questions, and lets the user go back and
//! change answers. This module neither accesses the terminal directly nor writes files.

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

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// The directory that relative targets are resolved against.
    pub cwd: PathBuf,
    /// The user's home directory, for expanding `~`.
    pub home: Option<PathBuf>,
    /// Whether a user answers the prompts. Unsuitable folders are rejected only if a user can choose another one.
    pub can_ask: bool,
    pub target: Option<Target>,
    pub way: Option<Way>,
    /// The scaffold options, used only with [`Way::Scaffold`].
    pub draft: Draft,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Agent,
    Scaffold,
}

/// Prompts for the bot options that are missing from `given`. Nothing is written.
pub fn ask_rest(
    session: &Session,
    given: &Selection,
    catalogue: &Catalogue,
) -> Result<Draft, Failure> {
    Ok(Walk::new(given, catalogue).complete(session)?.draft)
}

/// Prompts for all choices that are missing from `given`. The result has a `target` and a `way`. If the user chose a scaffold, the user has
/// also confirmed it.
///
/// # Errors
/// Returns a failure with [`Exit::Cancelled`](bot_cli_protocol::failure::Exit) if the user cancels.
pub fn ask<'a>(
    session: &Session,
    given: &'a Selection,
    catalogue: &'a Catalogue,
) -> Result<Selection, Failure> {
    let mut walk = Walk::new(given, catalogue);
    loop {
        let selection = walk.complete(session)?;
        let is_for_agent = selection.way == Some(Way::Agent);
        if is_for_agent || summary::agree(session, &mut walk, &selection)? {
            return Ok(selection);
        }
    }
}
