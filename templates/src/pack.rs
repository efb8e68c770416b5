//! Provider packs: AI services that another executable or a folder brings for `init`. `PACKS.md` is the normative text.
//!
//! The services that are built in have the same shape and keep the same rules.

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
pub use names::{OWN_MODULES, is_standard_module};
pub use read::{Contents, LeftOut, ProviderFile, read, read_files};
pub use rules::{Effects, Origin, arguments, check, effects, variables};
pub use schema::{Arg, Kind, Literal, Provider, Read, Service, Turns, Type, Variable};
pub use taken::Taken;

/// The version of the schema that this library knows.
pub const SCHEMA: &str = "1.0";

/// The prefix of the name in a pack's manifest: `pack-acme`.
pub const PREFIX: &str = "pack-";

/// The most data of a pack, in bytes of JSON or TOML.
pub const MOST_DATA: usize = 1024 * 1024;
