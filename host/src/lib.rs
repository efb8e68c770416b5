//! The plugin host behind `bot-cli`: finds plugins, runs them, and owns the terminal while they run.
//!
//! The host has no built-in list of plugins. Listing and help start no plugin; completion starts one only if its manifest allows it.

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

/// Runs the host with custom timeouts for plugins that do not stop.
pub fn main_with(patience: Patience) -> ExitCode {
    // Text typed at hidden prompts passes through this process.
    core_dump::prevent();
    file_size::fail_writes();
    ExitCode::from(route::route(Environment::read(), patience))
}
