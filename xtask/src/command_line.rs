//! The arguments of `cargo xtask`.

use std::process::ExitCode;

use clap::Parser;

use crate::dist::{self, DistArguments};
use crate::project::{Project, say};

/// Build what users install
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Arguments {
    /// Build every artefact: wheel, archives, installer, sums
    Dist(DistArguments),
}

/// Parses the process's arguments and runs the command.
pub fn main() -> ExitCode {
    let Arguments::Dist(arguments) = Arguments::parse();
    match Project::read().and_then(|project| dist::make(&project, &arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            say(&format!("error: {problem:#}"));
            ExitCode::FAILURE
        }
    }
}
