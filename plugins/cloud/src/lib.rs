//! Deploys agents to the hosting service, and manages secret sets and image pull secrets in the service, a local encrypted vault or an
//! installed backend.
//!
//! A command for secrets is a pipeline: options → input → scope → `bot_cli_secrets::Store` → report. The input step validates all input
//! and reports all problems together. The scope contains the organization, the region and the backend, each with its source. Stores never
//! format tables.

mod address;
mod auth;
mod backend;
mod command;
mod config;
mod deploy;
mod domain;
mod environment;
mod files;
mod input;
mod options;
mod pace;
mod platform;
mod scope;
mod service;
mod source;
mod text;
mod words;

// The repository's tests use these items directly.
pub use command::run;
pub use environment::Environment;
pub use input::dotenv::parse as parse_dotenv;
pub use options::Options;
pub use pace::Pace;

bot_cli_sdk::manifest!(options::Options, "../manifest.json");

/// Runs the plugin as a command or in protocol mode, depending on how the process was started.
pub fn main() -> std::process::ExitCode {
    bot_cli_sdk::plugin::main::<options::Options>()
}
