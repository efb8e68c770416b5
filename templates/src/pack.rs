//! Provider packs: AI services for `init` from another executable or a folder. `PACKS.md` is the specification.
//!
//! Built-in services have the same schema and follow the same rules.

#[cfg(test)]
mod document;
mod folder;
mod form;
mod names;
mod read;
mod rules;
mod schema;
mod taken;
#[cfg(test)]
mod tests;

pub use folder::{FILE, Folder};
pub use names::{is_own_module, is_standard_module};
pub use read::{Contents, LeftOut, ProviderFile, read, read_files};
pub use rules::{Effects, Origin, address, arguments, check, effects, variables};
pub use schema::{Arg, Kind, Literal, Provider, Read, Service, Turns, Type, Variable};
pub use taken::Taken;

/// The schema version that this library supports.
pub const SCHEMA: &str = "1.0";

/// The name prefix in a pack's manifest, as in `pack-acme`.
pub const PREFIX: &str = bot_cli_engine::discovery::PACK_PREFIX;

/// The maximum size of a pack's data, in bytes of JSON or TOML.
pub const MOST_DATA: usize = 1024 * 1024;
