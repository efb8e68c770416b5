//! Provider packs: AI services that another executable or a folder brings for `init`. `PACKS.md` is the normative text.

mod schema;

pub use schema::{Arg, Kind, Literal, Provider, Read, Service, Turns, Type, Variable};

/// The version of the schema that this library knows.
pub const SCHEMA: &str = "1.0";
