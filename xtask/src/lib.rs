//! `cargo xtask`: builds what users install. Nothing of it is part of the product.
//!
//! From one set of executables it makes a wheel and archives, with what belongs to them: completions, manual pages, licences and
//! notices.

mod archive;
mod command_line;
mod contents;
mod dist;
mod notices;
mod project;
mod wheel;

use std::path::Path;

pub use command_line::main;

/// Packs the executables of a folder, which are of this machine, as `dist` packs those that it builds.
pub fn pack(executables: &Path, out: &Path) -> anyhow::Result<()> {
    let arguments = dist::DistArguments {
        target: project::this_machine()?,
        out: out.to_owned(),
        executables: Some(executables.to_owned()),
        install: false,
    };
    dist::make(&project::Project::read()?, &arguments)
}
