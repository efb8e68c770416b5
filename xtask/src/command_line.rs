//! The command line.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::dist::DistArguments;
use crate::executables::Executables;
use crate::project::Project;
use crate::systems::{self, CheckArguments};
use crate::{check, dist, source, wheel};

/// Build what users install, and check it for other systems
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Build every artefact: wheel, source distribution, archives, installer, sums
    #[command(after_help = DIST)]
    Dist(DistArguments),
    /// Check that the product compiles for Windows and macOS, or with the oldest Rust
    #[command(after_help = CHECK)]
    Check(CheckArguments),
    /// Build one wheel for this machine; what `pip` runs for a source distribution
    Wheel {
        /// Folder for the wheel
        #[arg(long, value_name = "FOLDER")]
        out: PathBuf,
        /// Platform tag of the wheel, such as `linux_x86_64`
        #[arg(long)]
        tag: String,
    },
    /// Build the source distribution
    Sdist {
        /// Folder for the source distribution
        #[arg(long, value_name = "FOLDER")]
        out: PathBuf,
    },
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
#[must_use]
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
        Command::Wheel { out, tag } => {
            let executables = Executables::of_this_machine(&project)?;
            let file = wheel::write(&project, &executables, tag, out)?;
            print(&file)
        }
        Command::Sdist { out } => print(&source::write(&project, out)?),
    }
}

/// The name of the file alone: programs read it.
fn print(file: &std::path::Path) -> anyhow::Result<()> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    writeln!(io::stdout(), "{name}")?;
    Ok(())
}
