//! A library for writing `bot-cli` plugins. A plugin is a clap command tree and a function that runs it.
//!
//! [`plugin`] contains the items that most plugins import, and [`testing`] runs commands in tests. `protocol/PROTOCOL.md` specifies the protocol.
//!
//! The library is not a runtime: plugins need no async code. It supports Unix and Windows, and does not depend on any plugin.
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
//!     fn run(self, _session: &Session) -> Result<Reply, Failure> {
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

mod declaration;
pub mod libraries;
pub mod plugin;
pub mod project;
#[cfg(any(test, doctest))]
mod readme;
pub mod session;
pub mod testing;

/// The version of this library.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

pub use bot_cli_protocol::{failure, outcome, question, secret};
