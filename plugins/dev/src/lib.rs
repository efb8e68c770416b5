//! Runs the bot of a project and its web client until the user stops them.
//!
//! The keys stay where they are: a bot that takes them from a secret set is started by `secrets run`, and nothing else gets them.

mod changes;
mod command;
mod keys;
mod options;
mod ports;
mod processes;
mod programs;
mod project;
mod shown;

bot_cli_sdk::manifest!(options::Options, "../manifest.json");

/// Runs the plugin as a command or over the protocol, whichever it was started for.
pub fn main() -> std::process::ExitCode {
    bot_cli_sdk::plugin::main::<options::Options>()
}
