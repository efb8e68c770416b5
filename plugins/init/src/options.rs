//! The arguments of `init`.

pub(crate) mod listing;
mod offered;
mod scaffold_args;
pub(crate) mod schema;

use std::path::PathBuf;

use clap::{Parser, ValueEnum, ValueHint};

use crate::draft::Draft;
use offered::presets;

/// The special target name that creates a predefined bot.
pub(crate) const QUICKSTART: &str = "quickstart";

/// Start a bot project: guides for a coding agent, or a complete bot.
#[derive(Debug, Clone, Default, Parser)]
#[command(name = "bot-cli-init", bin_name = "bot-cli init", version, after_help = include_str!("options/examples.txt").trim_end(), max_term_width = 100)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option")]
pub struct Options {
    /// Directory to initialize; `quickstart` creates a fixed bot
    #[arg(value_name = "TARGET_DIR", value_hint = ValueHint::DirPath)]
    pub target_dir: Option<PathBuf>,
    /// An unexpected second argument.
    #[arg(hide = true, value_hint = ValueHint::Other)]
    pub rest: Option<PathBuf>,

    /// Replace existing guides (AGENTS.md and others)
    #[arg(long, help_heading = "Guide")]
    pub overwrite_guide: bool,
    /// The scaffold options.
    #[command(flatten)]
    pub draft: Draft,

    /// Read a JSON file, `-` for stdin; options override it
    #[arg(short, long, value_name = "FILE", help_heading = "Input and output", value_hint = ValueHint::FilePath)]
    pub config: Option<PathBuf>,
    /// Start from `local`, `phone`, `quick` or `realtime`
    #[arg(long, value_name = "NAME", help_heading = "Input and output", value_parser = presets(), hide_possible_values = true, conflicts_with_all = ["config", "update"])]
    pub preset: Option<String>,
    /// The same as `--preset local`: runs on this machine
    #[arg(long, help_heading = "Input and output", conflicts_with_all = ["config", "preset", "update"])]
    pub local: bool,
    /// Ask for what the options leave open
    #[arg(long, help_heading = "Input and output", conflicts_with = "update")]
    pub ask: bool,
    /// Print the configuration as JSON, write nothing
    #[arg(long, help_heading = "Input and output")]
    pub dry_run: bool,
    /// Merge these options and newer templates with your edits
    #[arg(long, help_heading = "Change a project", conflicts_with_all = ["list_options", "config_schema"])]
    pub update: bool,
    /// Write the record of a project that has none; its own files stay as they are
    #[arg(long, help_heading = "Change a project", conflicts_with_all = ["update", "preset", "local", "list_options", "config_schema"])]
    pub adopt: bool,
    /// Write nothing; exit with 0 if an update would change nothing of yours, with 1 if it would
    #[arg(
        long,
        help_heading = "Change a project",
        requires = "update",
        conflicts_with = "dry_run"
    )]
    pub check: bool,
    /// Lines that you and the update changed: `refuse` lists them (default), `markers` writes both
    #[arg(
        long,
        hide_possible_values = true,
        hide_default_value = true,
        help_heading = "Change a project",
        requires = "update",
        value_name = "HOW",
        value_enum,
        default_value_t
    )]
    pub conflicts: Conflicts,
    /// Also replace files with uncommitted changes; the old ones go to `.bot-cli/before`
    #[arg(long, help_heading = "Change a project", requires = "update")]
    pub force: bool,

    /// Print a project's folders, services and environments as JSON and exit
    #[arg(long, help_heading = "Input and output", conflicts_with_all = ["update", "adopt", "list_options", "config_schema"])]
    pub describe: bool,
    /// Print all transports, services and presets and exit
    #[arg(long, help_heading = "Input and output")]
    pub list_options: bool,
    /// Print the JSON Schema of the configuration file and exit
    #[arg(long, help_heading = "Input and output")]
    pub config_schema: bool,
}

/// The treatment of lines that the user and an update have changed in different ways.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Conflicts {
    /// List them and write nothing
    #[default]
    Refuse,
    /// Write them into the files, between markers
    Markers,
}

#[cfg(test)]
mod tests;
