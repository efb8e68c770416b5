//! The host's own command line.

use std::ffi::OsString;

use bot_cli_sdk::outcome::Format;
use bot_cli_sdk::words::{HostOption, Taken};
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
    #[arg(long, global = true, help = HostOption::Json.about())]
    pub json: bool,
    #[arg(short, long, global = true, action = ArgAction::Count, help = HostOption::Verbose.about())]
    pub verbose: u8,
    #[arg(short, long, global = true, conflicts_with = "verbose", help = HostOption::Quiet.about())]
    pub quiet: bool,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show what a command does and takes
    Help {
        /// The command, with its subcommands, or `environment`
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
    /// Print what the last word may become, for the script of a shell
    #[command(name = "__complete", hide = true, disable_help_flag = true)]
    Complete {
        /// The shell
        shell: Shell,
        /// What it knows: the words after the program's name, or for bash the line and what breaks words
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<OsString>,
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
    Powershell,
}

/// The names that no plugin can have.
pub const RESERVED: [&str; 3] = ["help", "plugin", "completions"];

impl Options {
    /// The form of the result.
    pub fn format(&self) -> Format {
        if self.json {
            Format::Json
        } else {
            Format::Text
        }
    }

    /// These, and what is `taken` from the words behind the plugin's name.
    pub fn with(&self, taken: &Taken) -> Self {
        Self {
            json: self.json || taken.json,
            verbose: self.verbose.saturating_add(taken.verbose),
            quiet: self.quiet || taken.quiet,
        }
    }
}

/// The host's command tree.
pub fn command() -> clap::Command {
    Arguments::command()
}
