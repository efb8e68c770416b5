//! The command line.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::dist::{self, DistArguments};
use crate::project::{Project, say};
use crate::systems::{self, CheckArguments};

/// Build what users install, and check it for other systems
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Build every artefact: wheel, archives, installer, sums
    Dist(DistArguments),
    /// Check that the product compiles for Windows and macOS, or with the oldest Rust
    #[command(after_help = CHECK)]
    Check(CheckArguments),
}

const CHECK: &str = "\
Examples:
  cargo xtask check --install                  lint for Windows and macOS, after installing what is missing
  cargo xtask check aarch64-apple-darwin       lint for one target
  cargo xtask check --oldest-rust --install    compile with the Rust that `Cargo.toml` names";

/// Runs the command of this process's arguments.
pub fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            say(&format!("error: {problem:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let project = Project::read()?;
    match &arguments.command {
        Command::Dist(arguments) => dist::make(&project, arguments),
        Command::Check(arguments) => systems::check(&project, arguments),
    }
}
