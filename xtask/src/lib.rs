//! `cargo xtask`: builds what users install. Nothing of it is part of the product.
//!
//! From one set of executables it makes a wheel, archives and a source distribution, with what belongs to them: completions,
//! manual pages, licences, notices and bills of materials. The same commit gives the same bytes.

mod archive;
mod bill;
mod check;
mod command_line;
mod contents;
mod dist;
mod entry;
mod executables;
mod notices;
mod project;
mod source;
mod tools;
mod traces;
mod wheel;

pub use command_line::main;
