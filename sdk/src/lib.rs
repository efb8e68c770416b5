//! The library for authors of `bot-cli` plugins. A plugin is a clap command tree and a function that runs it.
//!
//! [`plugin`] contains the items that most plugins import, [`testing`] runs a command in a test, and [`core_dump`] keeps secrets out
//! of core files. `protocol/PROTOCOL.md` specifies the protocol.
//!
//! The library is not a runtime: it requires no async code and depends on no particular plugin. It runs on Unix and Windows.
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

mod declaration;
pub mod plugin;
#[cfg(any(test, doctest))]
mod readme;
pub mod session;
pub mod testing;

/// The version of this library.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

pub use bot_cli_protocol::{failure, outcome, question, secret};
pub use bot_cli_terminal::core_dump;
