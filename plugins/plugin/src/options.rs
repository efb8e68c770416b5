//! The arguments of `plugin`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};

macro_rules! examples {
    ($name:literal) => {
        include_str!(concat!("options/examples/", $name, ".txt")).trim_end()
    };
}

/// List, add, upgrade, remove, check and create plugins
#[derive(Debug, Clone, Parser)]
#[command(
    name = "bot-cli-plugin",
    bin_name = "bot-cli plugin",
    version,
    disable_help_subcommand = true,
    max_term_width = 100
)]
pub struct Options {
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Clone, Subcommand)]
pub enum Command {
    /// List every plugin, where it is, and whether it is used
    #[command(after_help = examples!("list"))]
    List,
    /// Show a plugin: what it is, what it can do, and where it came from
    #[command(after_help = examples!("info"))]
    Info {
        /// Name of the plugin, as `plugin list` shows it
        #[arg(value_name = "NAME")]
        installed: String,
    },
    /// Add a plugin, pack or backend from a file, folder or archive
    ///
    /// The plugin is an executable file `bot-cli-NAME` with a manifest; a provider pack may also be a folder with a `pack.toml`. A folder or
    /// an archive (.tar.gz or .zip) must contain exactly one of these. The plugin is copied into your data folder, where it comes before those that
    /// are installed beside bot-cli or on PATH; `in place of` names the one that it precedes. `init`, `dev` and `cloud`, which are released
    /// with bot-cli, are replaced only with `--force NAME`. Nothing is started.
    ///
    /// From an address, the file is downloaded over HTTPS and compared with the sum that its author names. You see what it is before you
    /// agree. A download trusts the certificates of the system. On Linux, `SSL_CERT_FILE` and `SSL_CERT_DIR` replace them. It uses the proxy
    /// in `HTTPS_PROXY` or `ALL_PROXY`, except for the hosts in `NO_PROXY`.
    ///
    /// A file without a manifest, for another version of the protocol, or with the name of another plugin is refused before anything is in
    /// place. A file whose name does not begin with `bot-cli-` gets the name in its manifest. `plugins.lock` in the data folder records
    /// where each plugin came from, and its SHA-256 sum.
    #[command(after_help = examples!("add"))]
    Add(Add),
    /// Replace a plugin that was added with another version of it
    ///
    /// Without a PATH, the file, folder, archive or address that the plugin was added from is read again. With `--dry-run`, you see what
    /// the other version does before it replaces the old one.
    #[command(after_help = examples!("upgrade"))]
    Upgrade(Upgrade),
    /// Remove a plugin that was added
    #[command(after_help = examples!("remove"))]
    Remove(Remove),
    /// Check a plugin against the protocol and the rules of its role
    ///
    /// Most checks start the plugin, in empty folders and with few environment variables. Without `--argv`, they send only what asks for no
    /// work: `describe`, `complete`, unknown methods, `--help` and `--version`. With it, that command is run several times, cancelled, and
    /// cut off. Its questions are cancelled or answered with their defaults; a password gets made-up text.
    ///
    /// With `--cwd DIR`, each run works in its own copy of DIR, and DIR stays unchanged. The copy may have 32 MiB and 5,000 files. It omits
    /// links, `.env`, `.git`, `node_modules`, virtual environments, and folders with a `CACHEDIR.TAG`.
    ///
    /// A provider pack is only read, never started. For a secrets backend, `--argv` names a place to work in, such as `organization=scratch
    /// region=eu SETTING=VALUE`. Sets whose names begin with `check-` are made, changed and deleted there.
    ///
    /// The exit status is 1 if the plugin breaks a rule that it must keep. A check that can't run is counted as not run.
    #[command(after_help = examples!("check"))]
    Check(Check),
    /// Create a small plugin that passes the check of its role
    ///
    /// A command or a secrets backend comes with a test of its own. A provider pack is a folder of TOML files: no program is needed to
    /// bring services to new projects. Nothing is overwritten.
    ///
    /// A plugin in Python or TypeScript has a copy of its library. `--update` replaces the copy in the folder NAME with that of this
    /// version, and changes nothing else. It refuses a copy that you have changed, and names the files.
    #[command(after_help = examples!("new"))]
    New(New),
}

/// The options of `plugin add`.
#[derive(Debug, Clone, Args)]
pub struct Add {
    /// File of the plugin, or folder or archive with one plugin; or its address, which begins with `https://`
    #[arg(value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub plugin: OsString,
    /// How the plugin is obtained.
    #[command(flatten)]
    pub obtain: Obtain,
    /// Put it in place of the plugin NAME that is released with bot-cli
    #[arg(long, value_name = "NAME")]
    pub force: Option<String>,
}

/// The options of `plugin upgrade`.
#[derive(Debug, Clone, Args)]
pub struct Upgrade {
    /// Name of the plugin, as `plugin list` shows it
    #[arg(value_name = "NAME", required_unless_present = "all")]
    pub added: Option<String>,
    /// File, folder, archive or address of the other version [default: where it was added from]
    #[arg(value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub plugin: Option<OsString>,
    /// Upgrade everything that was added, from where it was added
    #[arg(long, conflicts_with_all = ["added", "plugin", "sha256"])]
    pub all: bool,
    /// How the plugin is obtained.
    #[command(flatten)]
    pub obtain: Obtain,
    /// Replace the plugin even if its file was changed since it was added
    #[arg(long)]
    pub force: bool,
}

/// The options that `plugin add` and `plugin upgrade` share.
#[derive(Debug, Clone, Args)]
pub struct Obtain {
    /// SHA-256 sum of the file or archive (required to add from an address)
    #[arg(long, value_name = "SUM")]
    pub sha256: Option<String>,
    /// Check everything and show what would change, without changing it
    #[arg(long)]
    pub dry_run: bool,
    /// Do not ask before adding what was downloaded
    #[arg(long)]
    pub yes: bool,
}

/// The options of `plugin remove`.
#[derive(Debug, Clone, Args)]
pub struct Remove {
    /// Name of the plugin, as `plugin list` shows it
    #[arg(value_name = "NAME")]
    pub added: String,
    /// Remove the plugin even if its file was changed since it was added
    #[arg(long)]
    pub force: bool,
}

/// The options of `plugin check`.
#[derive(Debug, Clone, Args)]
pub struct Check {
    /// File of the plugin, or folder of a pack
    #[arg(value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub plugin: OsString,
    /// Arguments of a harmless run, for the checks that need one
    #[arg(long, value_name = "WORDS", allow_hyphen_values = true)]
    pub argv: Option<String>,
    /// Folder of the run: each run works in a copy of it, not in an empty folder
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub cwd: Option<PathBuf>,
    /// Seconds to wait for a reply, where the protocol sets no limit [default: 10]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub timeout: Option<u64>,
    /// Show the messages of failed checks
    #[arg(long)]
    pub show: bool,
    /// Also pass on this environment variable; repeatable
    #[arg(long, value_name = "VARIABLE")]
    pub env: Vec<OsString>,
}

/// The options of `plugin new`.
#[derive(Debug, Clone, Args)]
pub struct New {
    /// Name of the plugin: `NAME` in `bot-cli NAME`, `bot-cli-pack-NAME` or `bot-cli-secrets-NAME`; with `--update`, its folder
    pub name: String,
    /// Role of the plugin
    #[arg(long, default_value = "command")]
    pub role: NewRole,
    /// Language of the plugin (required, except for a provider pack)
    #[arg(long)]
    pub lang: Option<Language>,
    /// Folder of the SDK crate, `sdk` in a checkout of bot-cli (required for Rust)
    #[arg(long, value_name = "PATH", value_hint = ValueHint::DirPath)]
    pub sdk: Option<PathBuf>,
    /// Replace the library in the folder of a plugin, and nothing else
    #[arg(long, conflicts_with_all = ["role", "lang", "sdk"])]
    pub update: bool,
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
    Typescript,
    Go,
    Rust,
}
