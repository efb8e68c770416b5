//! The arguments of the host itself.

use std::ffi::OsString;
use std::path::PathBuf;

use bot_cli_engine::discovery::RESERVED;
use bot_cli_protocol::words::{HostOption, Taken};
use bot_cli_sdk::plugin::JsonOption;
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
    #[command(flatten)]
    pub json: JsonOption,
    #[arg(short, long, global = true, action = ArgAction::Count, help = HostOption::Verbose.about())]
    pub verbose: u8,
    #[arg(short, long, global = true, conflicts_with = "verbose", help = HostOption::Quiet.about())]
    pub quiet: bool,
    /// Run as if started in this folder
    #[arg(short = 'C', value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// Show colors
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "auto",
        hide_default_value = true
    )]
    pub color: Color,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print help for a command
    Help {
        /// A command with its subcommands, or `environment`
        command: Vec<String>,
    },
    /// Print the completion script for a shell
    #[command(after_help = COMPLETIONS_EXAMPLES)]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print what the last word may become, for the script of a shell
    #[command(name = COMPLETE, hide = true, disable_help_flag = true)]
    Complete {
        /// The shell
        shell: Shell,
        /// The words after the program's name; for bash, the line and the word breaks
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<OsString>,
    },
    /// Print the version; with -v also every plugin found
    Version,
    #[command(external_subcommand)]
    External(Vec<OsString>),
}

const COMPLETIONS_EXAMPLES: &str = "Examples:
  source <(bot-cli completions bash)
  bot-cli completions fish > ~/.config/fish/completions/bot-cli.fish";

/// A shell that words are completed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    Bash,
    Zsh,
    Fish,
    Powershell,
}

/// When colors are shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    #[default]
    Auto,
    Always,
    Never,
}

/// The hidden command that completion scripts call.
const COMPLETE: &str = "__complete";

/// Reports whether the first argument is the name of a plugin, rather than an option or a host command.
pub fn name_a_plugin(words: &[OsString]) -> bool {
    words.first().is_some_and(|first| {
        let own = RESERVED.contains(&&*first.to_string_lossy()) || first == COMPLETE;
        !own && !first.is_empty() && !first.as_encoded_bytes().starts_with(b"-")
    })
}

impl Options {
    /// Returns these options combined with `taken`, the host options among the plugin's arguments.
    pub fn with(&self, taken: &Taken) -> Self {
        Self {
            json: JsonOption(self.json.0.max(taken.json)),
            verbose: self.verbose.saturating_add(taken.verbose),
            quiet: self.quiet || taken.quiet,
            ..self.clone()
        }
    }
}

pub fn command() -> clap::Command {
    Arguments::command()
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use clap::Parser as _;

    use super::{Arguments, Command, command, name_a_plugin};

    #[test]
    fn a_plugin_is_named_where_clap_says_so() {
        let tree = command();
        let own = tree
            .get_subcommands()
            .flat_map(|own| [own.get_name()].into_iter().chain(own.get_all_aliases()));
        let others = [
            "init", "", "-", "--", "-v", "--json", "--what", "-V", "hel", "Help", "plugin=x",
            " plugin",
        ];
        for first in own.chain(others) {
            for rest in [&["--json", "x"][..], &[]] {
                let words: Vec<OsString> = [&[first][..], rest]
                    .concat()
                    .iter()
                    .map(OsString::from)
                    .collect();
                let parsed = Arguments::try_parse_from([&["bot-cli".into()][..], &words].concat());
                let external = matches!(&parsed, Ok(Arguments { command: Some(Command::External(all)), .. }) if *all == words);
                assert!(!name_a_plugin(&words) || external, "{words:?}: {parsed:?}");
            }
        }
        assert!(name_a_plugin(&["init".into()]));
    }
}
