//! The plugin host behind `bot-cli`: finds plugins, runs them, and owns the terminal while they run. It knows no
//! plugin by heart, and it starts none for listing or help, nor for completion unless the manifest asks for that.

mod added;
mod arguments;
mod call;
mod check;
mod completion;
mod ended;
mod environment;
mod help;
mod info;
mod inventory;
mod listing;
pub mod manual;
mod named;
mod new;
mod platform;
mod roles;
mod route;
mod run;
mod tree;
mod variables;

use std::process::ExitCode;

use bot_cli_sdk::core_dump;
use bot_cli_sdk::driver::Patience;
use bot_cli_sdk::file_size;

use environment::Environment;

/// Runs the host with this process's arguments and terminal.
#[must_use]
pub fn main() -> ExitCode {
    main_with(Patience::default())
}

/// Like [`main`], with other waiting times for plugins that do not stop.
#[must_use]
pub fn main_with(patience: Patience) -> ExitCode {
    // What is typed at a hidden question passes through here.
    core_dump::prevent();
    file_size::fail_writes();
    ExitCode::from(route::route(&Environment::read(), patience))
}
