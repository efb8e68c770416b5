//! Starts a bot project: coding-agent guides and a complete runnable bot.

#![allow(
    missing_docs,
    reason = "nothing outside this repository uses the library"
)]

pub mod catalogue;
pub mod command;
pub mod config;
mod digest;
pub mod draft;
pub mod equivalent;
pub mod guides;
pub mod option_table;
pub mod options;
pub mod packs;
pub mod plan;
mod platform;
pub mod record;
pub mod resolve;
mod side_by_side;
pub mod target;
pub mod transaction;
pub mod wizard;
mod wording;

bot_cli_sdk::manifest!(options::Options, "../manifest.json");

/// Runs the plugin as a command or over the protocol, whichever it was started for.
#[must_use]
pub fn main() -> std::process::ExitCode {
    bot_cli_sdk::plugin::main::<options::Options>()
}
