//! Manages secret sets and image pull secrets, of a hosting service or of a local encrypted vault.
//!
//! A command is a pipeline: options → input (validated, all problems at once) → scope (organization, region and backend, each
//! with its source) → `backend::SecretsBackend` → report. Backends know nothing about questions, wording or tables.

mod address;
mod auth;
mod backend;
mod command;
mod config;
mod domain;
mod environment;
mod files;
mod input;
mod keyring;
mod options;
mod pace;
mod platform;
mod random;
mod scope;
mod secret_file;
mod source;
mod text;
mod watch;
mod words;

// What this repository's tests use besides the executable.
pub use backend::local::{ORGANIZATION, REGIONS, Vault};
pub use backend::{
    BackendError, ChangeError, Details, Effect, Explained, Keys, Prior, ReadsValues,
    SecretsBackend, Summary,
};
pub use command::run;
pub use domain::{Entry, Key, Organization, Region, RegistryHost, SetKind, SetName, Status};
pub use environment::Environment;
pub use input::dotenv::parse as parse_dotenv;
pub use options::Options;
pub use pace::Pace;
pub use secret_file::Storage;
pub use watch::Nobody;

bot_cli_sdk::manifest!(options::Options, "../manifest.json");

/// Runs the plugin as a command or over the protocol, whichever it was started for.
pub fn main() -> std::process::ExitCode {
    bot_cli_sdk::plugin::main::<options::Options>()
}
