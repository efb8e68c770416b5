//! The command line.

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::dist::DistArguments;
use crate::project::Project;
use crate::systems::{self, CheckArguments};
use crate::{check, dist};

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
    #[command(after_help = DIST)]
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

const DIST: &str = "\
Examples:
  cargo xtask dist --install    build into dist/, after installing what is missing
  cargo xtask dist --check      the same, and compare with a second build elsewhere";

/// Runs the command of this process's arguments.
pub fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            // A closed standard error changes nothing about the outcome.
            let _ = writeln!(io::stderr(), "error: {problem:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let project = Project::read()?;
    match &arguments.command {
        Command::Dist(arguments) => {
            let artefacts = dist::make(&project, arguments)?;
            if arguments.check {
                check::again(&project, arguments, &artefacts)?;
            }
            Ok(())
        }
        Command::Check(arguments) => systems::check(&project, arguments),
    }
}
