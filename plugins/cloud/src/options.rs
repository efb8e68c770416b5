//! The command-line options and their help texts.

use std::ffi::OsString;
use std::path::PathBuf;

use bot_cli_templates::project::Environment;
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};

use crate::deploy::settings::{Scaling, Settings};
use crate::input::given::Empty;
use crate::scope::Wanted;

/// Includes the examples shown below a command's help.
macro_rules! examples {
    ($name:literal) => {
        include_str!(concat!("options/examples/", $name, ".txt")).trim_end()
    };
}

/// Deploy bots to the hosting service, watch them, and keep their secrets.
///
/// Without an account, secrets are stored in an encrypted vault on this machine; after `auth login`, by the hosting service; with `--backend NAME`, by the installed backend `bot-cli-secrets-NAME`.
#[derive(Debug, Clone, Parser)]
#[command(name = "bot-cli-cloud", bin_name = "bot-cli cloud", version, after_help = examples!("cloud"), max_term_width = 100)]
pub struct Options {
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Clone, Subcommand)]
pub enum Command {
    /// Deploy a bot and wait until it is ready
    ///
    /// Compares cloud-deploy.toml (or pcc-deploy.toml) with the running agent, shows the differences, and asks before deploying. Copies a missing secret set from the vault, has the service build the image, and waits until the agent is ready. Each option under "Settings" overrides a key of the file.
    #[command(after_help = examples!("deploy"))]
    Deploy(Box<Deploy>),
    /// Manage agents (deployed bots), their sessions and logs
    #[command(subcommand)]
    Agents(AgentsCommand),
    /// Secret sets and image pull secrets
    #[command(subcommand)]
    Secrets(SecretsCommand),
    /// Show the images that the service has built
    #[command(subcommand)]
    Builds(BuildsCommand),
    /// Manage public API keys, which clients use to start sessions
    #[command(subcommand)]
    Keys(KeysCommand),
    /// Check, back up and restore the vault of this machine, and change its key
    #[command(subcommand)]
    Vault(VaultCommand),
    /// Sign in to and out of the hosting service
    #[command(subcommand)]
    Auth(AuthCommand),
    /// List and choose your organizations
    #[command(subcommand)]
    Organizations(OrganizationsCommand),
    /// List regions
    #[command(subcommand)]
    Regions(RegionsCommand),
    /// Show and change the configuration
    #[command(subcommand)]
    Config(ConfigCommand),
}

/// How a change is made.
#[derive(Debug, Clone, Copy, Default, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own"
)]
pub struct Manner {
    /// Skip the confirmation
    #[arg(short, long)]
    pub skip: bool,
    /// Show what would change, without changing it
    #[arg(long)]
    pub dry_run: bool,
    /// Wait until it is ready or has failed
    #[arg(long)]
    pub wait: bool,
    /// Whether an existing set is left alone, which no option asks for.
    #[arg(skip)]
    pub only_new: bool,
}

impl Command {
    /// Reports whether the command can change secrets, the vault, a backup or resources of the hosting service. Failures of such commands
    /// must include the outcome of the change.
    pub const fn changes(&self) -> bool {
        match self {
            Self::Secrets(command) => {
                use SecretsCommand::{Diff, Export, List, Run};
                !matches!(command, List(_) | Diff(_) | Run(_) | Export(_))
            }
            Self::Vault(command) => !matches!(command, VaultCommand::Verify),
            Self::Deploy(_) => true,
            Self::Agents(command) => !matches!(
                command,
                AgentsCommand::List(_)
                    | AgentsCommand::Status(_)
                    | AgentsCommand::Logs(_)
                    | AgentsCommand::Sessions { .. }
                    | AgentsCommand::Deployments(_)
            ),
            Self::Keys(command) => !matches!(command, KeysCommand::List(_)),
            Self::Organizations(command) => {
                matches!(command, OrganizationsCommand::DefaultRegion { .. })
            }
            Self::Builds(_) | Self::Auth(_) | Self::Regions(_) | Self::Config(_) => false,
        }
    }
}

#[derive(Debug, Clone, Subcommand)]
pub enum SecretsCommand {
    /// List secret sets and image pull secrets, or the keys of one set
    #[command(after_help = examples!("list"))]
    List(List),
    /// Create or update a secret set
    ///
    /// Other keys of the set stay as they are. In a project, the default is its own set: the one that cloud-deploy.toml names, or else NAME-secrets.
    ///
    /// In a project, a file that is not in the current folder is read from the folder of the bot.
    ///
    /// The name of a set has 1 to 63 letters, digits and hyphens, without a hyphen at either end. At the hosting service, a new name needs at least 3 characters and no capitals; other backends may have their own rules.
    #[command(after_help = examples!("set"))]
    Set(Set),
    /// Copy a set from one backend to another
    ///
    /// Keys that only the target has stay as they are. The hosting service never returns values, so the source is the vault of this machine or an installed backend. Image pull secrets can be copied too.
    #[command(after_help = examples!("copy"))]
    Copy(Copy),
    /// Show which keys only the vault or only the hosting service has
    ///
    /// Needs a sign-in. Values are not compared, because the hosting service never returns them. In a project, the default is its own set. Exits with 0 even if the keys differ.
    #[command(after_help = examples!("diff"))]
    Diff(Diff),
    /// Remove keys from a secret set
    #[command(after_help = examples!("unset"))]
    Unset(Unset),
    /// Delete a secret set or an image pull secret permanently
    #[command(after_help = examples!("delete"))]
    Delete(Delete),
    /// Create or update the credentials for a private image registry
    #[command(after_help = examples!("image_pull_secret"))]
    ImagePullSecret(ImagePullSecret),
    /// Start a program with sets in its environment
    ///
    /// If several sets have a key, the last set's value is passed, and a note says so. The hosting service never returns values, so the default backend is then the vault of this machine. In a project, the default is its own set: the one that cloud-deploy.toml names, or else NAME-secrets.
    #[command(after_help = examples!("run"))]
    Run(Run),
    /// Write the values of a set to a file or for a program
    ///
    /// Never prints values on a terminal, unless `--show` is set. The hosting service never returns values, so the default backend is then the vault of this machine.
    #[command(after_help = examples!("export"))]
    Export(Export),
    /// Use a Secret of a self-hosted region's cluster as a set
    ///
    /// Its keys stay in the cluster and can't be listed here.
    Reference(Reference),
}

/// The options of `secrets list`.
#[derive(Debug, Clone, Args)]
pub struct List {
    /// Set whose keys to show (values are never shown)
    #[arg(conflicts_with = "environment")]
    pub name: Option<String>,
    #[command(flatten)]
    pub of: Of,
    /// Show secret sets only
    #[arg(short, long, overrides_with = "no_sets")]
    pub sets: bool,
    /// Show image pull secrets too (default)
    #[arg(long, overrides_with = "sets")]
    pub no_sets: bool,
    /// Show only this region (default: all regions)
    #[arg(short, long, value_name = "REGION", help_heading = "Where", value_hint = ValueHint::Other)]
    pub region: Option<String>,
    #[command(flatten)]
    pub scope: Wanted,
}

/// The options of `secrets set`.
#[derive(Debug, Clone, Default, Args)]
pub struct Set {
    /// Set to create or update
    pub name: Option<String>,
    #[command(flatten)]
    pub of: Of,
    /// KEY=value pairs; a KEY alone (in capitals) prompts for its value, hidden
    #[arg(value_name = "KEY=VALUE", value_hint = ValueHint::Other)]
    pub secrets: Vec<String>,
    /// Read the pairs from a file, one per line, as in .env; `-` for stdin
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub file: Option<PathBuf>,
    /// Read the value of one key from a file, byte for byte including its last line end; `-` for stdin; repeatable
    #[arg(long, value_name = "KEY=PATH", value_hint = ValueHint::Other)]
    pub value_from: Vec<String>,
    /// Ask for the missing keys of this file, such as .env.example
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub from_template: Option<PathBuf>,
    /// How to treat a key without a value
    #[arg(long, value_enum, value_name = "WHAT", default_value_t)]
    pub empty: Empty,
    #[command(flatten)]
    pub manner: Manner,
    /// Region (default: the organization's, typically us-west)
    #[arg(short, long, value_name = "REGION", help_heading = "Where", value_hint = ValueHint::Other)]
    pub region: Option<String>,
    #[command(flatten)]
    pub scope: Wanted,
}

/// The options of `secrets copy`.
#[derive(Debug, Clone, Default, Args)]
pub struct Copy {
    /// Secret set or image pull secret to copy
    #[arg(
        conflicts_with = "environment",
        required_unless_present = "environment"
    )]
    pub name: Option<String>,
    #[command(flatten)]
    pub of: Of,
    /// Backend to copy to: hosted, local or an installed one
    #[arg(long, value_name = "BACKEND", default_value = "hosted", value_hint = ValueHint::Other)]
    pub to: String,
    /// Name of the copy (default: the same name)
    #[arg(long, value_name = "NAME", conflicts_with = "environment", value_hint = ValueHint::Other)]
    pub to_name: Option<String>,
    #[command(flatten)]
    pub manner: Manner,
    /// Backend to copy from: local, or an installed one that returns values
    #[arg(long, value_name = "BACKEND", default_value = "local", value_hint = ValueHint::Other, help_heading = "Where")]
    pub from: String,
    /// The organization of the copy, which no option sets.
    #[arg(skip)]
    pub to_organization: Option<String>,
    /// Organization of the set (default: the configured one)
    #[arg(short, long, value_name = "NAME", help_heading = "Where", value_hint = ValueHint::Other)]
    pub organization: Option<String>,
    /// Region of a new copy (default: the configured one, else that of the set)
    #[arg(short, long, value_name = "REGION", help_heading = "Where", value_hint = ValueHint::Other)]
    pub region: Option<String>,
}

/// The options of `secrets diff`.
#[derive(Debug, Clone, Args)]
pub struct Diff {
    /// Set to compare
    #[arg(conflicts_with = "environment")]
    pub name: Option<String>,
    #[command(flatten)]
    pub of: Of,
    #[command(flatten)]
    pub account: Account,
}

/// The options of `secrets unset`.
#[derive(Debug, Clone, Args)]
pub struct Unset {
    /// Set to remove the keys from
    #[arg(required_unless_present = "environment")]
    pub name: Option<String>,
    #[command(flatten)]
    pub of: Of,
    /// Keys to remove
    #[arg(required_unless_present = "environment", value_hint = ValueHint::Other)]
    pub secret_key: Vec<String>,
    /// Skip the confirmation
    #[arg(short, long)]
    pub skip: bool,
    #[command(flatten)]
    pub scope: Wanted,
}

/// The options of `secrets delete`.
#[derive(Debug, Clone, Args)]
pub struct Delete {
    /// Set to delete
    #[arg(
        conflicts_with = "environment",
        required_unless_present = "environment"
    )]
    pub name: Option<String>,
    #[command(flatten)]
    pub of: Of,
    /// Skip the confirmation
    #[arg(short, long)]
    pub skip: bool,
    #[command(flatten)]
    pub scope: Wanted,
}

/// The options of `secrets image-pull-secret`.
#[derive(Debug, Clone, Args)]
pub struct ImagePullSecret {
    /// Name of the credentials: letters, digits and hyphens
    pub name: String,
    /// Address of the registry: ghcr.io, index.docker.io/v1/
    #[arg(value_hint = ValueHint::Url)]
    pub host: String,
    /// `USER:TOKEN`, or `-` to read it from stdin (default: hidden prompt)
    #[arg(value_name = "CREDENTIALS", value_hint = ValueHint::Other)]
    pub credentials: Option<String>,
    /// Words after the credentials: accepted here so that no message quotes a possible part of them.
    #[arg(hide = true, value_hint = ValueHint::Other)]
    pub rest: Vec<String>,
    /// Encode the credentials as base64 (default)
    #[arg(short, long, overrides_with = "no_encode")]
    pub encode: bool,
    /// The credentials are already base64
    #[arg(long, overrides_with = "encode")]
    pub no_encode: bool,
    #[command(flatten)]
    pub manner: Manner,
    /// Region (default: the organization's, typically us-west)
    #[arg(short, long, value_name = "REGION", help_heading = "Where", value_hint = ValueHint::Other)]
    pub region: Option<String>,
    #[command(flatten)]
    pub scope: Wanted,
}

/// The options of `secrets run`.
#[derive(Debug, Clone, Args)]
pub struct Run {
    /// Sets with the values for the program
    #[arg(conflicts_with = "environment")]
    pub name: Vec<String>,
    #[command(flatten)]
    pub of: Of,
    /// Pass only this key of the sets; repeatable
    #[arg(long, value_name = "KEY", value_hint = ValueHint::Other)]
    pub only: Vec<String>,
    /// Pass none of your other variables, except those that most programs need, such as PATH, HOME and LANG
    #[arg(long)]
    pub no_inherit: bool,
    /// Program and its arguments, after `--`
    #[arg(last = true, required = true, value_name = "PROGRAM", value_hint = ValueHint::CommandWithArguments)]
    pub program: Vec<OsString>,
    #[command(flatten)]
    pub scope: Wanted,
}

/// The options of `secrets export`.
#[derive(Debug, Clone, Args)]
pub struct Export {
    /// Set to export
    #[arg(conflicts_with = "environment")]
    pub name: Option<String>,
    #[command(flatten)]
    pub of: Of,
    /// How to write the values
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    pub format: ExportFormat,
    /// Export only this key of the set; repeatable
    #[arg(long, value_name = "KEY", value_hint = ValueHint::Other)]
    pub only: Vec<String>,
    /// File to write, with mode 0600 (default: standard output)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub file: Option<PathBuf>,
    /// Replace the file if it exists
    #[arg(long, requires = "file")]
    pub force: bool,
    /// Print the values even on a terminal
    #[arg(long, conflicts_with = "file")]
    pub show: bool,
    /// Skip the confirmation
    #[arg(short, long)]
    pub skip: bool,
    #[command(flatten)]
    pub scope: Wanted,
}

/// The formats of `secrets export`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// As python-dotenv reads it
    #[default]
    Dotenv,
    /// A JSON object
    Json,
    /// As `docker run --env-file` reads it
    Docker,
}

/// The options of `secrets reference`.
#[derive(Debug, Clone, Args)]
pub struct Reference {
    /// Name of the Secret in the cluster
    #[arg(value_hint = ValueHint::Other)]
    pub name: String,
    /// Self-hosted region of the cluster
    #[arg(short, long, value_name = "REGION", value_hint = ValueHint::Other)]
    pub region: String,
    #[command(flatten)]
    pub account: Account,
}

/// Whose set or agent is meant, if it is not named.
#[derive(Debug, Clone, Default, Args)]
pub struct Of {
    /// Environment of the current project, whose cloud-deploy.NAME.toml names set and agent
    #[arg(long, value_name = "NAME", help_heading = "Where", value_hint = ValueHint::Other)]
    pub environment: Option<Environment>,
}

/// The account at the hosting service.
#[derive(Debug, Clone, Default, Args)]
pub struct Account {
    /// Organization (default: the configured one)
    #[arg(short, long, value_name = "NAME", help_heading = "Where", value_hint = ValueHint::Other)]
    pub organization: Option<String>,
}

/// The options of `deploy`.
#[derive(Debug, Clone, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own"
)]
pub struct Deploy {
    /// Project folder, or deployment file (default: the current project)
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub dir: Option<PathBuf>,
    /// Environment of the project to deploy, as cloud-deploy.NAME.toml has it
    #[arg(long, value_name = "NAME", conflicts_with_all = ["agent_name", "secret_set"], value_hint = ValueHint::Other)]
    pub environment: Option<Environment>,
    /// Deploy the build that another environment of the project runs, without building
    #[arg(long, value_name = "NAME", conflicts_with_all = ["image", "build_id", "repo", "context_dir", "dockerfile", "patterns"], value_hint = ValueHint::Other)]
    pub from: Option<Environment>,
    /// Deploy without asking; copies a missing set from the vault only if an option names it
    #[arg(short, long)]
    pub skip: bool,
    /// Show what would change, without changing it; with -v, also each file that is sent to a build
    #[arg(long)]
    pub dry_run: bool,
    /// Deploy even if nothing changed, and give the bot the new values of its secrets, which no other deployment does
    #[arg(long)]
    pub force: bool,
    /// Return once the service has accepted the deployment
    #[arg(long)]
    pub no_wait: bool,
    /// Seconds to wait for the bot to start, after the build
    #[arg(long, value_name = "SECONDS", default_value_t = 600, value_hint = ValueHint::Other)]
    pub timeout: u64,
    #[command(flatten, next_help_heading = "Settings")]
    pub settings: Settings,
    #[command(flatten)]
    pub account: Account,
}

#[derive(Debug, Clone, Subcommand)]
pub enum AgentsCommand {
    /// List agents
    List(Account),
    /// Show the status of an agent, and any problem
    Status(AgentName),
    /// Show the log of an agent
    #[command(after_help = examples!("agents_logs"))]
    Logs(Logs),
    /// Start a session with an agent
    ///
    /// Starting a session requires a public API key: the value of `BOT_CLI_PUBLIC_KEY`, or the first active one of the organization. If there is none, offers to create one.
    #[command(after_help = examples!("agents_start"))]
    Start(Start),
    /// End a session of an agent
    Stop {
        /// ID of the session to end; see `agents sessions`
        #[arg(value_hint = ValueHint::Other)]
        session: String,
        #[command(flatten)]
        agent: AgentName,
    },
    /// List the latest sessions of an agent
    Sessions {
        #[command(flatten)]
        agent: AgentName,
        /// Show active sessions only
        #[arg(long)]
        active: bool,
    },
    /// List the deployments of an agent, newest first
    Deployments(AgentName),
    /// Deploy an earlier deployment of an agent again
    ///
    /// This is a new deployment: a second rollback restores the current one. The agent profile stays as it is. Needs a user's sign-in.
    Rollback {
        #[command(flatten)]
        agent: AgentName,
        /// ID of the deployment; see `agents deployments` (default: the previous one)
        #[arg(long, value_name = "ID", value_hint = ValueHint::Other)]
        to: Option<String>,
        /// Skip the confirmation
        #[arg(short, long)]
        skip: bool,
    },
    /// Set the minimum and maximum number of agents
    ///
    /// Give at least one option. The next `deploy` follows the deployment file, so change the numbers there, too.
    Scale {
        #[command(flatten)]
        agent: AgentName,
        #[command(flatten)]
        size: Scaling,
        /// Skip the confirmation
        #[arg(short, long)]
        skip: bool,
    },
    /// Delete an agent permanently
    Delete {
        #[command(flatten)]
        agent: AgentName,
        /// Skip the confirmation
        #[arg(short, long)]
        skip: bool,
    },
}

/// An agent and its account.
#[derive(Debug, Clone, Args)]
pub struct AgentName {
    /// Agent (default: the one of the current project)
    #[arg(value_hint = ValueHint::Other, conflicts_with = "environment")]
    pub name: Option<String>,
    #[command(flatten)]
    pub of: Of,
    #[command(flatten)]
    pub account: Account,
}

/// The options of `agents logs`.
#[derive(Debug, Clone, Args)]
pub struct Logs {
    #[command(flatten)]
    pub agent: AgentName,
    /// Show new lines as they appear, until Ctrl-C; for programs with `--json=lines`
    #[arg(short, long)]
    pub follow: bool,
    /// Number of the latest lines to show
    #[arg(short = 'n', long, value_name = "NUMBER", default_value_t = 100, value_hint = ValueHint::Other)]
    pub lines: u64,
    /// Show lines of this level and above
    #[arg(long, value_enum, value_name = "LEVEL", ignore_case = true)]
    pub level: Option<LogLevel>,
    /// Show one session only
    #[arg(long, value_name = "ID", value_hint = ValueHint::Other)]
    pub session: Option<String>,
    /// Show one deployment only
    #[arg(long, value_name = "ID", value_hint = ValueHint::Other)]
    pub deployment: Option<String>,
    /// Show lines since a time: 10m, 2h, 1d, 2026-01-31T12:00:00Z
    #[arg(long, value_name = "TIME", value_hint = ValueHint::Other)]
    pub since: Option<String>,
    /// Show lines that contain these words
    #[arg(long, value_name = "WORDS", value_hint = ValueHint::Other)]
    pub search: Option<String>,
}

/// The levels of a log, as Python bots write them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum LogLevel {
    Trace,
    Debug,
    #[value(alias = "success")]
    Info,
    #[value(alias = "warn")]
    Warning,
    Error,
    #[value(alias = "fatal")]
    Critical,
}

/// The options of `agents start`.
#[derive(Debug, Clone, Args)]
pub struct Start {
    #[command(flatten)]
    pub agent: AgentName,
    /// Data for the bot: a JSON object, or @FILE
    #[arg(long, value_name = "JSON", value_hint = ValueHint::Other)]
    pub data: Option<String>,
    /// Create a Daily room for the session
    #[arg(long)]
    pub daily_room: bool,
    /// Create a public key without asking if there is none
    #[arg(short, long)]
    pub skip: bool,
}

#[derive(Debug, Clone, Subcommand)]
pub enum BuildsCommand {
    /// List the latest builds
    List(Account),
    /// Show the log of a build
    Logs {
        /// ID of the build; see `builds list`
        #[arg(value_hint = ValueHint::Other)]
        id: String,
        #[command(flatten)]
        account: Account,
    },
}

#[derive(Debug, Clone, Subcommand)]
pub enum KeysCommand {
    /// List public API keys
    List(Account),
    /// Create a public API key and show it
    Create {
        /// Name of the key
        #[arg(value_hint = ValueHint::Other)]
        name: String,
        #[command(flatten)]
        account: Account,
    },
    /// Revoke a public API key permanently
    Revoke {
        /// ID or name of the key
        #[arg(value_hint = ValueHint::Other)]
        key: String,
        /// Skip the confirmation
        #[arg(short, long)]
        skip: bool,
        #[command(flatten)]
        account: Account,
    },
}

#[derive(Debug, Clone, Subcommand)]
pub enum AuthCommand {
    /// Sign in
    ///
    /// Opens a browser. On a machine without one, read a personal access token or a private API key with `--token-stdin`.
    #[command(after_help = examples!("login"))]
    Login(Login),
    /// Sign out
    ///
    /// Deletes the sign-in from this machine and asks the issuer to revoke it. API keys and personal access tokens are deleted, but not revoked.
    Logout,
    /// Show how you are signed in; exits with 4 if you are not
    Status,
}

/// The options of `auth login`.
#[derive(Debug, Clone, Args)]
pub struct Login {
    /// Read a personal access token or a private API key from stdin
    #[arg(long, conflicts_with = "no_browser")]
    pub token_stdin: bool,
    /// Show the address instead of opening a browser
    #[arg(long)]
    pub no_browser: bool,
}

#[derive(Debug, Clone, Subcommand)]
pub enum OrganizationsCommand {
    /// List the organizations
    List(Wanted),
    /// Set the default organization
    Use {
        /// Name of the organization
        #[arg(value_hint = ValueHint::Other)]
        name: String,
    },
    /// Change the region of new agents and secret sets; `regions list` shows it
    DefaultRegion {
        /// The new default
        #[arg(value_hint = ValueHint::Other)]
        region: String,
        #[command(flatten)]
        account: Account,
    },
}

#[derive(Debug, Clone, Subcommand)]
pub enum RegionsCommand {
    /// List the regions
    List(Wanted),
}

#[derive(Debug, Clone, Subcommand)]
pub enum ConfigCommand {
    /// Show every setting and its source
    Show,
    /// Change a setting; an empty value removes it
    #[command(after_help = examples!("config_set"))]
    Set {
        /// organization, region, backend, api-url, timeout (seconds), keyring (auto, off), or NAME.KEY for a setting of an installed backend
        #[arg(value_hint = ValueHint::Other)]
        key: String,
        /// The new value
        #[arg(value_hint = ValueHint::Other)]
        value: String,
    },
}

#[derive(Debug, Clone, Subcommand)]
pub enum VaultCommand {
    /// Check that everything in the vault is authentic and opens
    ///
    /// Writes nothing. It can't detect that the whole vault was replaced by an older copy.
    #[command(after_help = examples!("vault_verify"))]
    Verify,
    /// Encrypt the vault with a new key
    ///
    /// Removes the old key, which still opens older copies of the vault, for example in file backups.
    #[command(after_help = examples!("vault_rekey"))]
    Rekey,
    /// Write everything in the vault to one file, encrypted with a passphrase
    ///
    /// The file has the sets of every organization. To restore it, the vault's key is not needed.
    #[command(after_help = examples!("vault_backup"))]
    Backup(Backup),
    /// Replace everything in the vault with a backup
    #[command(after_help = examples!("vault_restore"))]
    Restore(Restore),
}

/// The options of `vault backup`.
#[derive(Debug, Clone, Args)]
pub struct Backup {
    /// File to write
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// Read the passphrase from a file; `-` for stdin (default: hidden prompt)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub passphrase_file: Option<PathBuf>,
    /// Replace the file if it exists
    #[arg(long)]
    pub force: bool,
}

/// The options of `vault restore`.
#[derive(Debug, Clone, Args)]
pub struct Restore {
    /// File that `vault backup` wrote
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// Read the passphrase from a file; `-` for stdin (default: hidden prompt)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub passphrase_file: Option<PathBuf>,
    /// Skip the confirmation
    #[arg(short, long)]
    pub skip: bool,
}
