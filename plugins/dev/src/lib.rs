//! Runs a project's bot and its web client until the user stops them.
//!
//! If the project uses a secret set, `secrets run` starts the bot and its evaluation, so this process never receives the values.

mod changes;
mod command;
mod evals;
mod faults;
mod keys;
mod options;
mod ports;
mod processes;
mod programs;
mod project;
mod shown;

bot_cli_sdk::manifest!(options::Options, "../manifest.json");

/// Runs the plugin as a command or over the protocol, depending on how it was started.
pub fn main() -> std::process::ExitCode {
    bot_cli_sdk::plugin::main::<options::Options>()
}
