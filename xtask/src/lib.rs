//! `cargo xtask`: builds the release artefacts. None of this code is shipped.
//!
//! The executables are packed as a wheel and as archives, with completions, manual pages, licences and notices.

mod archive;
mod command_line;
mod contents;
mod dist;
mod notices;
mod project;
mod wheel;

use std::path::Path;

pub use command_line::main;
pub use project::TOGETHER;

/// Packs existing executables for this machine into the same artefacts as `dist`.
pub fn pack(executables: &Path, out: &Path) -> anyhow::Result<()> {
    let arguments = dist::DistArguments {
        target: project::this_machine()?,
        out: out.to_owned(),
        executables: Some(executables.to_owned()),
    };
    dist::make(&project::Project::read()?, &arguments)
}
