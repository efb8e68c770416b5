//! The `bot-cli plugin` command, which lists, adds, upgrades, removes, checks and creates plugins.

mod added;
mod check;
mod command;
pub mod conformance;
mod inventory;
mod listing;
mod named;
mod new;
mod options;
mod origin;
mod platform;

bot_cli_sdk::manifest!(options::Options, "../manifest.json");

/// Runs the plugin as a command or over the protocol, depending on how it was started.
pub fn main() -> std::process::ExitCode {
    bot_cli_sdk::plugin::main::<options::Options>()
}
