//! The bot-cli plugin protocol, and the library for writing and driving plugins.
//!
//! - For authors: [`plugin`], [`session`], [`question`], [`failure`]. A plugin is a clap command tree and a function for what it does.
//! - For tests: [`conformance`] checks a plugin against the protocol.
//! - For hosts: [`discovery`] finds plugins, [`driver`] runs a plugin's process, [`complete`] completes from a manifest, [`terminal`] shows everything.
//! - For both: [`core_dump`] keeps secrets out of core files. [`protocol`] has the wire types without any input or output. `PROTOCOL.md` beside this crate is their normative text.
//!   [`pack`] has the shape of provider packs, whose normative text is `PACKS.md`. [`suggest`] knows what a mistyped name may have meant.
//!
//! It is not a runtime: it needs no async and knows nothing of any particular plugin.
//! It runs on Unix and Windows; `platform` has what differs.
//!
//! ```
//! use bot_cli_sdk::plugin::{self, Command, Failure, Reply, Session};
//!
//! /// Adds two numbers
//! #[derive(clap::Parser)]
//! #[command(name = "bot-cli-add", version)]
//! struct Add {
//!     left: i64,
//!     right: i64,
//! }
//!
//! impl Command for Add {
//!     fn run(self, _session: &mut Session) -> Result<Reply, Failure> {
//!         let sum = self.left + self.right;
//!         Ok(Reply::text(format!("{sum}\n")).data(sum))
//!     }
//! }
//!
//! # const _: &str = stringify!(
//! bot_cli_sdk::manifest!(Add, "../manifest.json");
//!
//! fn main() -> std::process::ExitCode {
//!     plugin::main::<Add>()
//! }
//! # );
//! # impl plugin::Declared for Add { const MANIFEST: &'static str = ""; }
//! # fn main() { assert_eq!(plugin::manifest::<Add>().name, "add"); }
//! ```

pub mod backend;
mod background;
pub mod cancel;
#[cfg(feature = "host")]
pub mod compat;
pub mod complete;
#[cfg(feature = "host")]
pub mod conformance;
mod declaration;
#[cfg(feature = "host")]
pub mod discovery;
#[cfg(feature = "host")]
pub mod driver;
#[cfg(feature = "host")]
mod event;
pub mod failure;
mod line;
pub mod outcome;
pub mod pack;
mod platform;
pub mod plugin;
pub mod process;
pub mod protocol;
pub mod question;
#[cfg(any(test, doctest))]
mod readme;
pub mod secret;
pub mod session;
pub mod shell;
pub mod standard_input;
pub mod suggest;
pub mod terminal;
pub mod testing;
pub mod ui;
pub mod wording;
pub mod words;

/// The version of this library.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

pub use process::{core_dump, file_size};
