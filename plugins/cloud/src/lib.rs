//! Manages secret sets and image pull secrets, of a hosting service or of a local encrypted vault.
//!
//! A command is a pipeline: options → input (validated, all problems at once) → scope (organization, region and backend, each
//! with its source) → [`backend::SecretsBackend`] → report. Backends know nothing about questions, wording or tables.

#![allow(
    missing_docs,
    reason = "nothing outside this repository uses the library"
)]

mod address;
mod auth;
pub mod backend;
pub mod command;
mod config;
pub mod domain;
pub mod environment;
mod files;
pub mod input;
mod keyring;
pub mod options;
pub mod pace;
mod platform;
mod scope;
pub mod secret_file;
mod source;
mod text;
pub mod watch;
mod words;

bot_cli_sdk::manifest!(options::Options, "../manifest.json");

/// Runs the plugin as a command or over the protocol, whichever it was started for.
#[must_use]
pub fn main() -> std::process::ExitCode {
    bot_cli_sdk::plugin::main::<options::Options>()
}
