//! Creates a bot project: coding-agent guides and a complete, runnable bot.

mod catalogue;
mod code;
mod command;
mod config;
mod digest;
mod draft;
mod equivalent;
mod guides;
mod merge;
mod option_table;
mod options;
mod pack_source;
mod packs;
mod plan;
mod platform;
mod record;
mod resolve;
mod target;
mod transaction;
mod update;
mod wizard;
mod wording;

// Exports for this repository's tests.
pub use catalogue::{Catalogue, Pack};
pub use config::{Config, concede, parse_file};
pub use draft::{Draft, Slot};
pub use equivalent::command as equivalent_command;
pub use guides::{Path as GuidePath, planned as planned_guides};
pub use option_table::{Feature, Setting, Switches, fields};
pub use options::Options;
pub use pack_source::PackSource;
pub use plan::{PlannedFile, scaffold};
pub use resolve::{is_missing, resolve};

bot_cli_sdk::manifest!(options::Options, "../manifest.json");

/// Runs the plugin as a command or over the protocol, depending on how it was started.
pub fn main() -> std::process::ExitCode {
    bot_cli_sdk::plugin::main::<options::Options>()
}
