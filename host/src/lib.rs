//! The plugin host behind `bot-cli`, which finds plugins, runs them, and owns the terminal while they run.
//!
//! The host has no built-in list of plugins. It starts no plugin to list plugins or to show help. For completion, it starts a plugin only
//! if the plugin's manifest allows it.

mod arguments;
mod call;
mod completion;
mod environment;
mod help;
pub mod manual;
mod named;
mod route;
mod run;
mod tree;
mod variables;
mod version;

use std::process::ExitCode;

use bot_cli_engine::driver::Patience;
use bot_cli_terminal::core_dump;
use bot_cli_terminal::file_size;

use environment::Environment;

/// Runs the host with this process's arguments and terminal.
pub fn main() -> ExitCode {
    main_with(Patience::default())
}

/// Runs the host with custom time limits for plugins.
pub fn main_with(patience: Patience) -> ExitCode {
    // Text typed at hidden prompts passes through this process.
    core_dump::prevent();
    file_size::fail_writes();
    ExitCode::from(route::route(Environment::read(), patience))
}
