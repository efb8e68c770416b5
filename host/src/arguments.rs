//! The host's own command line.

use std::ffi::OsString;
use std::path::PathBuf;

use bot_cli_sdk::outcome::Format;
use bot_cli_sdk::words::{HostOption, Taken};
use clap::{ArgAction, Args, CommandFactory, Parser, Subcommand, ValueEnum, ValueHint};

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
    /// Print help for a command
    Help {
        /// A command with its subcommands, or `environment`
        command: Vec<String>,
    },
    /// List, add, upgrade, remove, check and create plugins
    Plugin {
        #[command(subcommand)]
        command: PluginCommand,
    },
    /// Print the completion script for a shell, or install it
    #[command(after_help = COMPLETIONS_EXAMPLES)]
    Completions {
        /// The shell
        shell: Shell,
        /// Write the script where bash, zsh or fish looks for it, instead of printing it
        #[arg(long)]
        install: bool,
    },
    /// Print what the last word may become, for the script of a shell
    #[command(name = COMPLETE, hide = true, disable_help_flag = true)]
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
    #[command(after_help = LIST_EXAMPLES)]
    List,
    /// Show a plugin: what it is, what it can do, and where it came from
    #[command(after_help = INFO_EXAMPLES)]
    Info {
        /// Name of the plugin, as `plugin list` shows it
        name: String,
    },
    /// Add a plugin, pack or backend from a file, folder or archive
    #[command(long_about = ADD_ABOUT, after_help = ADD_EXAMPLES)]
    Add(AddArguments),
    /// Replace a plugin that was added with another version of it
    #[command(long_about = UPGRADE_ABOUT, after_help = UPGRADE_EXAMPLES)]
    Upgrade(UpgradeArguments),
    /// Remove a plugin that was added
    #[command(after_help = REMOVE_EXAMPLES)]
    Remove(RemoveArguments),
    /// Check a plugin against the protocol and the rules of its role
    #[command(long_about = CHECK_ABOUT, after_help = CHECK_EXAMPLES)]
    Check(CheckArguments),
    /// Create a small plugin that passes the check of its role
    #[command(long_about = NEW_ABOUT, after_help = NEW_EXAMPLES)]
    New(NewArguments),
}

/// What `plugin add` takes.
#[derive(Debug, Args)]
pub struct AddArguments {
    /// File of the plugin, folder of a pack, or archive with one plugin
    #[arg(value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub plugin: OsString,
    /// Sum that the file or archive must have
    #[arg(long, value_name = "SUM")]
    pub sha256: Option<String>,
    /// Check everything, and change nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// What `plugin upgrade` takes.
#[derive(Debug, Args)]
pub struct UpgradeArguments {
    /// Name of the plugin, as `plugin list` shows it
    pub name: String,
    /// File, folder or archive of the other version [default: where it was added from]
    #[arg(value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub plugin: Option<OsString>,
    /// Sum that the file or archive must have
    #[arg(long, value_name = "SUM")]
    pub sha256: Option<String>,
    /// Show what changes, and change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Do not ask for confirmation
    #[arg(long, visible_alias = "yes")]
    pub skip: bool,
    /// Replace the plugin even if its file was changed since it was added
    #[arg(long)]
    pub force: bool,
}

/// What `plugin remove` takes.
#[derive(Debug, Args)]
pub struct RemoveArguments {
    /// Name of the plugin, as `plugin list` shows it
    pub name: String,
    /// Show what would be removed, and change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Remove the plugin even if its file was changed since it was added
    #[arg(long)]
    pub force: bool,
}

/// What `plugin check` takes.
#[derive(Debug, Args)]
pub struct CheckArguments {
    /// File of the plugin, folder of a pack, or the name of an installed one
    #[arg(value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub plugin: OsString,
    /// Arguments of a harmless run, for the checks that need one
    #[arg(long, value_name = "WORDS", allow_hyphen_values = true)]
    pub argv: Option<String>,
    /// Show the messages of failed checks, or of all
    #[arg(long, value_name = "WHICH", num_args = 0..=1, require_equals = true, default_missing_value = "failed")]
    pub show: Option<Show>,
    /// Also pass on this environment variable; repeatable
    #[arg(long, value_name = "VARIABLE")]
    pub env: Vec<OsString>,
}

/// What `plugin new` takes.
#[derive(Debug, Args)]
pub struct NewArguments {
    /// Name of the plugin: `NAME` in `bot-cli NAME`, `bot-cli-pack-NAME` or `bot-cli-secrets-NAME`
    pub name: String,
    /// Role of the plugin
    #[arg(long, default_value = "command")]
    pub role: NewRole,
    /// Language of the plugin (required, except for a provider pack)
    #[arg(long)]
    pub lang: Option<Language>,
    /// Folder to create [default: the name of the file, or of the pack]
    #[arg(long, value_name = "PATH", value_hint = ValueHint::DirPath)]
    pub dir: Option<PathBuf>,
    /// Folder of the SDK crate, `sdk` in a checkout of bot-cli (required for Rust)
    #[arg(long, value_name = "PATH", value_hint = ValueHint::DirPath)]
    pub sdk: Option<PathBuf>,
}

/// A role for which there is a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum NewRole {
    /// A command for users
    Command,
    /// Services for new projects, as a folder of TOML files
    ProviderPack,
    /// A store for secret sets
    SecretsBackend,
}

impl NewRole {
    /// Returns what names of plugins of this role begin with.
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Command => "",
            Self::ProviderPack => "pack-",
            Self::SecretsBackend => "secrets-",
        }
    }
}

/// A language for which there is a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Language {
    Sh,
    Python,
    Rust,
}

/// Which messages are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Show {
    Failed,
    All,
}

const LIST_EXAMPLES: &str = "Examples:
  bot-cli plugin list
  bot-cli plugin list --json";

const COMPLETIONS_EXAMPLES: &str = "Examples:
  bot-cli completions zsh --install
  source <(bot-cli completions bash)";

const INFO_EXAMPLES: &str = "Examples:
  bot-cli plugin info hello
  bot-cli plugin info pack-acme --json";

const ADD_ABOUT: &str = "Add a plugin, pack or backend from a file, folder or archive

The plugin is an executable file `bot-cli-NAME` with a manifest; a provider pack may also be a folder with a `pack.toml`. An \
archive (.tar.gz, .tar.xz, .tar or .zip) must contain exactly one of these. The plugin is copied into your data folder, where it comes \
before those that are installed beside bot-cli or on PATH. Nothing is downloaded, and nothing is started.

A file for another system, for another version of the protocol, or with a wrong name is refused before anything is in place. \
`plugins.lock` in the data folder records where each plugin came from, and its SHA-256 sum.";

const ADD_EXAMPLES: &str = "Examples:
  bot-cli plugin add ./bot-cli-hello
  bot-cli plugin add bot-cli-hello-1.2.0.tar.gz --sha256 SUM
  bot-cli plugin add packs/acme
  bot-cli plugin add bot-cli-secrets-safe.zip --dry-run";

const UPGRADE_ABOUT: &str = "Replace a plugin that was added with another version of it

The version, and the commands, options and services that are added or removed, are shown before you are asked. Without a PATH, the \
file, folder or archive that the plugin was added from is read again.";

const UPGRADE_EXAMPLES: &str = "Examples:
  bot-cli plugin upgrade hello bot-cli-hello-1.3.0.tar.gz --sha256 SUM
  bot-cli plugin upgrade hello --dry-run
  bot-cli plugin upgrade pack-acme --skip";

const REMOVE_EXAMPLES: &str = "Examples:
  bot-cli plugin remove hello
  bot-cli plugin remove pack-acme --dry-run";

const NEW_ABOUT: &str = "Create a small plugin that passes the check of its role

A command or a secrets backend comes with a test of its own. A provider pack is a folder of TOML files: no program is needed to \
bring services to new projects. Nothing is overwritten.";

const NEW_EXAMPLES: &str = "Examples:
  bot-cli plugin new hello --lang sh
  bot-cli plugin new dice --lang python --dir tools/dice
  bot-cli plugin new weather --lang rust --sdk ../bot-cli/sdk
  bot-cli plugin new acme --role provider-pack
  bot-cli plugin new safe --role secrets-backend --lang python";

const CHECK_ABOUT: &str = "Check a plugin against the protocol and the rules of its role

Most checks start the plugin, in empty folders and with few environment variables. Without `--argv`, they send only what asks for \
no work: `describe`, `complete`, unknown methods, `--help` and `--version`. With it, that command is run several times, cancelled, and \
cut off. Its questions are cancelled or answered with their defaults; a password gets made-up text.

A provider pack is asked for its services; one that has them in its manifest, or is a folder, is only read. For a secrets backend, \
`--argv` names a place to work in, such as `organization=scratch region=eu SETTING=VALUE`. Sets whose names begin with `check-` are \
made, changed and deleted there.

The exit status is 1 if the plugin breaks a rule that it must keep. A check that can't run is counted as not run.";

const CHECK_EXAMPLES: &str = "Examples:
  bot-cli plugin check hello
  bot-cli plugin check ./bot-cli-hello --argv \"\"
  bot-cli plugin check ./bot-cli-greet --argv \"world --loud\" --show
  bot-cli plugin check packs/acme
  bot-cli plugin check ./bot-cli-secrets-safe --argv \"organization=scratch\"";

/// A shell that words are completed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    Bash,
    Zsh,
    Fish,
    Powershell,
}

impl Shell {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Zsh => "zsh",
            Self::Fish => "fish",
            Self::Powershell => "powershell",
        }
    }
}

/// The names that no plugin can have.
pub const RESERVED: [&str; 3] = ["help", "plugin", "completions"];

/// The name of the hidden command for the scripts of shells.
const COMPLETE: &str = "__complete";

/// Whether the first of the words is a plugin's name: neither an option nor a command of the host.
pub fn name_a_plugin(words: &[OsString]) -> bool {
    words.first().is_some_and(|first| {
        let own = RESERVED.contains(&&*first.to_string_lossy()) || first == COMPLETE;
        !own && !first.is_empty() && !first.as_encoded_bytes().starts_with(b"-")
    })
}

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
