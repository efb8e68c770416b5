//! The bot-cli plugin protocol, and the library for writing and driving plugins.
//!
//! - For authors: [`plugin`], [`session`], [`question`], [`failure`]. A plugin is a clap command tree and a function for what it does.
//! - For hosts: [`discovery`] finds plugins, [`driver`] runs a plugin's process, [`complete`] completes from a manifest, [`terminal`] shows everything.
//! - For both: [`core_dump`] keeps secrets out of core files. [`protocol`] has the wire types without any input or output. `PROTOCOL.md` beside this crate is their normative text.
//!   [`suggest`] knows what a mistyped name may have meant.
//!
//! It is not a runtime: it needs no async and knows nothing of any particular plugin.
//! It runs on Unix.
//!
//! ```
//! use bot_cli_sdk::failure::Failure;
//! use bot_cli_sdk::plugin::{Command, Reply};
//! use bot_cli_sdk::session::Session;
//!
//! /// Adds two numbers
//! #[derive(clap::Parser)]
//! #[command(name = "bot-cli-add", version = "0.1.0")]
//! struct Add {
//!     left: i64,
//!     right: i64,
//! }
//!
//! impl Command for Add {
//!     // With a file beside the source: `bot_cli_sdk::manifest!("../manifest.json")`.
//!     const MANIFEST: &'static str = r#"bot-cli-plugin: {"protocol":"1.0","name":"add","version":"0.1.0"}"#;
//!
//!     fn run(self, _session: &mut Session) -> Result<Reply, Failure> {
//!         let sum = self.left + self.right;
//!         Ok(Reply { text: format!("{sum}\n"), data: sum.into(), next: Vec::new() })
//!     }
//! }
//!
//! // fn main() -> std::process::ExitCode { bot_cli_sdk::plugin::main::<Add>() }
//! assert_eq!(bot_cli_sdk::plugin::manifest::<Add>().name, "add");
//! ```

pub mod cancel;
pub mod complete;
pub mod discovery;
pub mod driver;
pub mod failure;
mod line;
pub mod outcome;
pub mod plugin;
pub mod process;
pub mod protocol;
pub mod question;
pub mod secret;
pub mod session;
pub mod standard_input;
pub mod suggest;
pub mod terminal;
pub mod ui;

pub use process::{core_dump, file_size};

/// The manifest that stands in the executable, where a host finds it without running anything.
///
/// The argument is a file beside the source that holds what `describe` answers.
#[macro_export]
macro_rules! manifest {
    ($file:literal) => {
        concat!("bot-cli-plugin: ", include_str!($file), "\n")
    };
}
