//! The host's own command line.

use std::ffi::OsString;

use clap::{ArgAction, Args, CommandFactory, Parser, Subcommand, ValueEnum};

/// Tools for voice and video bot projects
#[derive(Debug, Parser)]
#[command(
    name = "bot-cli",
    version,
    disable_help_subcommand = true,
    subcommand_help_heading = "Built in",
    override_usage = "bot-cli [OPTIONS] [COMMAND] [ARGS]..."
)]
pub struct Arguments {
    #[command(flatten)]
    pub options: Options,
    #[command(subcommand)]
    pub command: Option<Command>,
}

#[derive(Debug, Clone, Default, Args)]
pub struct Options {
    /// Print the result as one JSON document
    #[arg(long, global = true)]
    pub json: bool,
    /// Say more; twice for everything
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub verbose: u8,
    /// Show no notes, no progress and no next steps
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show what a command does and takes
    Help {
        /// The command, with its subcommands
        command: Vec<String>,
    },
    /// See the plugins
    Plugin {
        #[command(subcommand)]
        command: PluginCommand,
    },
    /// Print the script that completes words for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print what the last word may become
    #[command(name = "__complete", hide = true, disable_help_flag = true)]
    Complete {
        /// The words after the program's name
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<String>,
    },
    #[command(external_subcommand)]
    External(Vec<OsString>),
}

#[derive(Debug, Subcommand)]
pub enum PluginCommand {
    /// List every plugin, where it is, and whether it is used
    List,
}

/// A shell that words are completed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    Bash,
    Zsh,
    Fish,
}

/// The names that no plugin can have.
pub const RESERVED: [&str; 3] = ["help", "plugin", "completions"];

/// The host's command tree.
pub fn command() -> clap::Command {
    Arguments::command()
}
