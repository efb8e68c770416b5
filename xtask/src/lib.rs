//! `cargo xtask`: builds what users install. Nothing of it is part of the product.
//!
//! From one set of executables it makes a wheel and archives, with what belongs to them: completions, manual pages, licences and
//! notices. The same commit gives the same bytes.

mod archive;
mod check;
mod command_line;
mod contents;
mod dist;
mod entry;
mod executables;
mod notices;
mod progress;
mod project;
mod systems;
mod tools;
mod traces;
mod wheel;

use std::path::Path;

pub use command_line::main;

/// Packs the executables of a folder, which are of this machine, as `dist` packs those that it builds.
pub fn pack(executables: &Path, out: &Path) -> anyhow::Result<()> {
    let project = project::Project::read()?;
    let arguments = dist::DistArguments {
        target: tools::this_machine()?,
        out: out.to_owned(),
        executables: Some(executables.to_owned()),
        install: false,
        check: false,
    };
    dist::make(&project, &arguments).map(drop)
}
