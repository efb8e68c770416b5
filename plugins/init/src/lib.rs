//! Starts a bot project: coding-agent guides and a complete runnable bot.

pub mod config;
pub mod draft;
pub mod plan;

/// Runs the plugin as a command or over the protocol, whichever it was started for.
#[must_use]
pub fn main() -> std::process::ExitCode {
    std::process::ExitCode::SUCCESS
}
