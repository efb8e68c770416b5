//! The options of the command line, and what they say.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueHint};

use crate::input::empty::Empty;
use crate::scope::Wanted;

const EXAMPLES: &str = "\
Examples:
  Keep two keys, without an account:
    bot-cli cloud secrets set my-bot-secrets FIRST_KEY=... SECOND_KEY=...

  Be asked for a value, hidden:
    bot-cli cloud secrets set my-bot-secrets CARTESIA_API_KEY

  Everything that the bot has on this machine:
    bot-cli cloud secrets set my-bot-secrets --file .env

  See what there is; values are never shown:
    bot-cli cloud secrets list
    bot-cli cloud secrets list my-bot-secrets

  Start the bot with a set of the vault in its environment:
    bot-cli cloud secrets run my-bot-secrets -- uv run bot.py

  Use the hosting service instead of the vault:
    bot-cli cloud auth login";

const SET_EXAMPLES: &str = "\
Examples:
  See what a file would change, then change it:
    bot-cli cloud secrets set my-bot-secrets --file .env --dry-run
    bot-cli cloud secrets set my-bot-secrets --file .env

  Be asked for a value, hidden:
    bot-cli cloud secrets set my-bot-secrets OPENAI_API_KEY

  In a generated project, be asked for every key that is still missing:
    bot-cli cloud secrets set --from-template .env.example

  The value of one key from a file of its own, byte for byte:
    bot-cli cloud secrets set my-bot-secrets --value-from TLS_KEY=key.pem

  Make the set what the file is, without keys that the file does not have:
    bot-cli cloud secrets set my-bot-secrets --file .env --prune

  In a script, from another program, until the service has it:
    other-vault export | bot-cli cloud secrets set my-bot-secrets -f - -s --wait";

const COPY_EXAMPLES: &str = "\
Examples:
  See what a copy to the hosting service would change, then make it:
    bot-cli cloud secrets copy my-bot-secrets --dry-run
    bot-cli cloud secrets copy my-bot-secrets

  Under another name and in another region:
    bot-cli cloud secrets copy Bot --to-name my-bot-secrets --region eu-central

  To a second set of the vault:
    bot-cli cloud secrets copy my-bot-secrets --to local --to-name my-bot-test";

const LIST_EXAMPLES: &str = "\
Examples:
  bot-cli cloud secrets list
  bot-cli cloud secrets list my-bot-secrets
  bot-cli cloud secrets list --sets --region us-west --json";

const UNSET_EXAMPLES: &str = "\
Examples:
  bot-cli cloud secrets unset my-bot-secrets OPENAI_API_KEY
  bot-cli cloud secrets unset my-bot-secrets FIRST_KEY SECOND_KEY --skip";

const DELETE_EXAMPLES: &str = "\
Examples:
  bot-cli cloud secrets delete my-bot-secrets
  bot-cli cloud secrets delete my-bot-secrets --skip";

const CONFIG_SET_EXAMPLES: &str = "\
Examples:
  bot-cli cloud config set region us-east
  bot-cli cloud config set region ''";

const RUN_EXAMPLES: &str = "\
Examples:
  bot-cli cloud secrets run -- uv run bot.py
  bot-cli cloud secrets run my-bot-secrets -- uv run bot.py
  bot-cli cloud secrets run my-bot-secrets -- python < script.py
  bot-cli cloud secrets run my-bot-secrets -- sh -c 'test -n \"$OPENAI_API_KEY\"'";

const IMAGE_PULL_SECRET_EXAMPLES: &str = "\
Examples:
  Be asked for user name and token:
    bot-cli cloud secrets image-pull-secret my-registry ghcr.io

  In a script, USER:TOKEN from another program:
    pass registry | bot-cli cloud secrets image-pull-secret reg ghcr.io -";

const VERIFY_EXAMPLES: &str = "\
Examples:
  bot-cli cloud vault verify
  bot-cli cloud vault verify --json";

const REKEY_EXAMPLES: &str = "\
Examples:
  bot-cli cloud vault rekey

  Move the key from a file to the keyring, or back:
    bot-cli cloud config set keyring auto && bot-cli cloud vault rekey
    bot-cli cloud config set keyring off && bot-cli cloud vault rekey";

const BACKUP_EXAMPLES: &str = "\
Examples:
  Be asked for a passphrase, hidden:
    bot-cli cloud vault backup vault.backup

  In a script, with the passphrase from another program:
    pass backup | bot-cli cloud vault backup vault.backup --passphrase-file -";

const RESTORE_EXAMPLES: &str = "\
Examples:
  bot-cli cloud vault restore vault.backup
  bot-cli cloud vault restore vault.backup --passphrase-file pass.txt --skip";

const LOGIN_EXAMPLES: &str = "\
Examples:
  bot-cli cloud auth login
  bot-cli cloud auth login --token-stdin < token.txt";

/// Manage secret sets and image pull secrets of deployed bots.
///
/// Without an account they are kept in an encrypted vault on this machine; signed in, by the hosting service.
#[derive(Debug, Clone, Parser)]
#[command(name = "bot-cli-cloud", bin_name = "bot-cli cloud", version, after_help = EXAMPLES, max_term_width = 100)]
pub struct Options {
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

/// What there is to do.
#[derive(Debug, Clone, Subcommand)]
pub enum Command {
    /// Secret sets and image pull secrets
    Secrets {
        /// The command.
        #[command(subcommand)]
        command: Secrets,
    },
    /// Check, back up and restore the vault of this machine, and change its key
    Vault {
        /// The command.
        #[command(subcommand)]
        command: Vault,
    },
    /// Sign in to the hosting service, and out
    Auth {
        /// The command.
        #[command(subcommand)]
        command: Auth,
    },
    /// The organizations that you belong to
    Organizations {
        /// The command.
        #[command(subcommand)]
        command: Organizations,
    },
    /// The regions where secrets can be kept
    Regions {
        /// The command.
        #[command(subcommand)]
        command: Regions,
    },
    /// What holds where no option says otherwise
    Config {
        /// The command.
        #[command(subcommand)]
        command: Config,
    },
}

/// What can be done with secrets.
#[derive(Debug, Clone, Subcommand)]
pub enum Secrets {
    /// List secret sets and image pull secrets, or the keys of one set
    #[command(after_help = LIST_EXAMPLES)]
    List(List),
    /// Create or update a secret set
    ///
    /// Keys that the set has and that are not given stay as they are. In a generated project the name may be left out: it is that of server/cloud-deploy.toml. Elsewhere, the name is asked for at a terminal.
    ///
    /// The name of a set has 1 to 63 letters, digits and hyphens, and no hyphen at an end. At the hosting service, a new set has 3 characters or more, and no capitals.
    #[command(after_help = SET_EXAMPLES)]
    Set(Set),
    /// Copy a set of the vault to the hosting service
    ///
    /// Keys that only the target has stay as they are. The hosting service never gives values back, so only the vault of this machine can be copied from. Image pull secrets can be copied too.
    #[command(after_help = COPY_EXAMPLES)]
    Copy(Copy),
    /// Remove keys from a secret set
    #[command(after_help = UNSET_EXAMPLES)]
    Unset(Unset),
    /// Delete a secret set or an image pull secret, for good
    #[command(after_help = DELETE_EXAMPLES)]
    Delete(Delete),
    /// Create or update the credentials for a private image registry
    #[command(after_help = IMAGE_PULL_SECRET_EXAMPLES)]
    ImagePullSecret(ImagePullSecret),
    /// Start a program with a set of the vault in its environment
    ///
    /// The hosting service never gives values back, so this works with the vault of this machine only. In a generated project the name may be left out: it is that of server/cloud-deploy.toml. Elsewhere, the set is chosen from a list at a terminal.
    #[command(after_help = RUN_EXAMPLES)]
    Run(Run),
}

/// Where to act.
#[derive(Debug, Clone, Default, Args)]
pub struct ScopeOptions {
    /// Organization (default: the configured one)
    #[arg(short, long, value_name = "NAME", help_heading = "Where", value_hint = ValueHint::Other)]
    pub organization: Option<String>,
    /// What keeps the secrets: local or hosted (default: hosted when signed in)
    #[arg(long, value_name = "BACKEND", help_heading = "Where", value_hint = ValueHint::Other)]
    pub backend: Option<String>,
}

/// The region, for commands that have one.
#[derive(Debug, Clone, Default, Args)]
pub struct RegionOption {
    /// Region (default: the organization's, typically us-west)
    #[arg(short, long, value_name = "REGION", help_heading = "Where", value_hint = ValueHint::Other)]
    pub region: Option<String>,
}

impl ScopeOptions {
    /// What they say.
    #[must_use]
    pub fn wanted(&self, region: Option<&str>) -> Wanted {
        Wanted {
            organization: self.organization.clone(),
            region: region.map(str::to_owned),
            backend: self.backend.clone(),
        }
    }
}

/// `secrets list`.
#[derive(Debug, Clone, Args)]
pub struct List {
    /// Set whose keys are shown; values never are
    pub name: Option<String>,
    /// Show secret sets only
    #[arg(short, long, overrides_with = "no_sets")]
    pub sets: bool,
    /// Show image pull secrets too (default)
    #[arg(long, overrides_with = "sets")]
    pub no_sets: bool,
    /// Show only what is in this region (default: all regions)
    #[arg(short, long, value_name = "REGION", help_heading = "Where", value_hint = ValueHint::Other)]
    pub region: Option<String>,
    /// Where to act.
    #[command(flatten)]
    pub scope: ScopeOptions,
}

/// `secrets set`.
#[derive(Debug, Clone, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own"
)]
pub struct Set {
    /// Set to create or update
    pub name: Option<String>,
    /// Pairs; the value of a KEY in capitals, or of one that the set has, is asked for and hidden
    #[arg(value_name = "KEY=VALUE", value_hint = ValueHint::Other)]
    pub secrets: Vec<String>,
    /// Read the pairs from a file, one a line, as in .env; `-` for stdin
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub file: Option<PathBuf>,
    /// Read the value of one key from a file, byte for byte with its last line end; `-` for stdin; repeatable
    #[arg(long, value_name = "KEY=PATH", value_hint = ValueHint::Other)]
    pub value_from: Vec<String>,
    /// Ask for the keys of this file, such as .env.example, that are still missing
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub from_template: Option<PathBuf>,
    /// What to do with a key that has no value
    #[arg(long, value_enum, value_name = "WHAT", default_value_t)]
    pub empty: Empty,
    /// Remove the keys of the set that the file does not have; the plan names them
    #[arg(long, requires = "file", conflicts_with = "from_template")]
    pub prune: bool,
    /// Skip the confirmation
    #[arg(short, long)]
    pub skip: bool,
    /// Show what would change and change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Wait until the set is ready or has failed
    #[arg(long)]
    pub wait: bool,
    /// The region.
    #[command(flatten)]
    pub region: RegionOption,
    /// Where to act.
    #[command(flatten)]
    pub scope: ScopeOptions,
}

/// `secrets copy`.
#[derive(Debug, Clone, Args)]
pub struct Copy {
    /// Set of the vault, or image pull secret
    pub name: String,
    /// Copy to the hosting service, or to the vault itself
    #[arg(long, value_name = "BACKEND", default_value = "hosted", value_parser = ["hosted", "local"])]
    pub to: String,
    /// Name of the copy (default: the same name)
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Other)]
    pub to_name: Option<String>,
    /// Skip the confirmation
    #[arg(short, long)]
    pub skip: bool,
    /// Show what would change and change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Wait until the copy is ready or has failed
    #[arg(long)]
    pub wait: bool,
    /// What has the set: local; the hosting service never gives values back
    #[arg(long, value_name = "BACKEND", default_value = "local", value_parser = ["local", "hosted"], hide_possible_values = true, help_heading = "Where")]
    pub from: String,
    /// Organization of the set in the vault (default: the configured one)
    #[arg(short, long, value_name = "NAME", help_heading = "Where", value_hint = ValueHint::Other)]
    pub organization: Option<String>,
    /// Organization of the copy (default: the configured one)
    #[arg(long, value_name = "NAME", help_heading = "Where", value_hint = ValueHint::Other)]
    pub to_organization: Option<String>,
    /// Region of a new copy (default: the configured one, else that of the set)
    #[arg(short, long, value_name = "REGION", help_heading = "Where", value_hint = ValueHint::Other)]
    pub region: Option<String>,
}

/// `secrets unset`.
#[derive(Debug, Clone, Args)]
pub struct Unset {
    /// Set to remove the keys from
    pub name: String,
    /// Keys to remove
    #[arg(required = true, value_hint = ValueHint::Other)]
    pub secret_key: Vec<String>,
    /// Skip the confirmation
    #[arg(short, long)]
    pub skip: bool,
    /// Where to act.
    #[command(flatten)]
    pub scope: ScopeOptions,
}

/// `secrets delete`.
#[derive(Debug, Clone, Args)]
pub struct Delete {
    /// Set to delete
    pub name: String,
    /// Skip the confirmation
    #[arg(short, long)]
    pub skip: bool,
    /// Where to act.
    #[command(flatten)]
    pub scope: ScopeOptions,
}

/// `secrets image-pull-secret`.
#[derive(Debug, Clone, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own"
)]
pub struct ImagePullSecret {
    /// Name of the credentials: letters, digits and hyphens
    pub name: String,
    /// Address of the registry: ghcr.io, index.docker.io/v1/
    #[arg(value_hint = ValueHint::Url)]
    pub host: String,
    /// `USER:TOKEN`, or `-` to read it from stdin (default: asked for, hidden)
    #[arg(value_name = "CREDENTIALS", value_hint = ValueHint::Other)]
    pub credentials: Option<String>,
    /// What stands behind the credentials: taken, so that no message quotes what may be a part of them.
    #[arg(hide = true, value_hint = ValueHint::Other)]
    pub rest: Vec<String>,
    /// Encode the credentials as base64 (default)
    #[arg(long, overrides_with = "no_encode")]
    pub encode: bool,
    /// Don't: they are base64 already
    #[arg(long, overrides_with = "encode")]
    pub no_encode: bool,
    /// Skip the confirmation that replacing credentials asks for at a terminal
    #[arg(short, long)]
    pub skip: bool,
    /// Show what would change and change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Wait until the credentials are ready or have failed
    #[arg(long)]
    pub wait: bool,
    /// The region.
    #[command(flatten)]
    pub region: RegionOption,
    /// Where to act.
    #[command(flatten)]
    pub scope: ScopeOptions,
}

/// `secrets run`.
#[derive(Debug, Clone, Args)]
pub struct Run {
    /// Set in the vault
    pub name: Option<String>,
    /// Program and its arguments, after `--`
    #[arg(last = true, required = true, value_name = "PROGRAM", value_hint = ValueHint::CommandWithArguments)]
    pub program: Vec<String>,
    /// Organization (default: the configured one)
    #[arg(short, long, value_name = "NAME", help_heading = "Where", value_hint = ValueHint::Other)]
    pub organization: Option<String>,
}

/// What can be done with the vault of this machine.
#[derive(Debug, Clone, Subcommand)]
pub enum Vault {
    /// Check that everything in the vault is authentic and opens
    ///
    /// Nothing is written. An older copy of the whole vault can't be told from the current one.
    #[command(after_help = VERIFY_EXAMPLES)]
    Verify,
    /// Seal everything in the vault with a new key
    ///
    /// The old key is removed. It still opens older copies of the vault, such as those of a file backup.
    #[command(after_help = REKEY_EXAMPLES)]
    Rekey,
    /// Write everything in the vault to one file, sealed with a passphrase
    ///
    /// The file has the sets of every organization and does not need the vault's key.
    #[command(after_help = BACKUP_EXAMPLES)]
    Backup(Backup),
    /// Replace everything in the vault by a backup
    #[command(after_help = RESTORE_EXAMPLES)]
    Restore(Restore),
}

/// `vault backup`.
#[derive(Debug, Clone, Args)]
pub struct Backup {
    /// File to write
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// Read the passphrase from a file; `-` for stdin (default: asked for, hidden)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub passphrase_file: Option<PathBuf>,
    /// Replace the file if it exists
    #[arg(long)]
    pub force: bool,
}

/// `vault restore`.
#[derive(Debug, Clone, Args)]
pub struct Restore {
    /// File that `vault backup` wrote
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// Read the passphrase from a file; `-` for stdin (default: asked for, hidden)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub passphrase_file: Option<PathBuf>,
    /// Skip the confirmation
    #[arg(short, long)]
    pub skip: bool,
}

/// What can be done about signing in.
#[derive(Debug, Clone, Subcommand)]
pub enum Auth {
    /// Sign in
    ///
    /// A browser is opened. Machines without one read a personal access token or a private API key from stdin.
    #[command(after_help = LOGIN_EXAMPLES)]
    Login(Login),
    /// Sign out
    ///
    /// This machine forgets the sign-in first, then the issuer is asked to revoke it. Keys and personal access tokens are only forgotten.
    Logout,
    /// Show how you are signed in; exits with 4 if you are not
    Status,
}

/// `auth login`.
#[derive(Debug, Clone, Args)]
pub struct Login {
    /// Read a personal access token or a private API key from stdin
    #[arg(long, conflicts_with_all = ["no_browser", "import"])]
    pub token_stdin: bool,
    /// Show the address that is to be opened, and open none
    #[arg(long)]
    pub no_browser: bool,
    /// Use the sign-in of the service's own client, which has to sign in again when bot-cli renews it
    #[arg(long, conflicts_with = "no_browser")]
    pub import: bool,
}

/// What can be done with organizations.
#[derive(Debug, Clone, Subcommand)]
pub enum Organizations {
    /// List them
    List(OnlyScope),
    /// Use this one from now on
    Use {
        /// Name of the organization
        #[arg(value_hint = ValueHint::Other)]
        name: String,
    },
}

/// What can be done with regions.
#[derive(Debug, Clone, Subcommand)]
pub enum Regions {
    /// List them
    List(OnlyScope),
}

/// Nothing but where to act.
#[derive(Debug, Clone, Args)]
pub struct OnlyScope {
    /// Where to act.
    #[command(flatten)]
    pub scope: ScopeOptions,
}

/// What can be done with the configuration.
#[derive(Debug, Clone, Subcommand)]
pub enum Config {
    /// Show what holds, and where each of it comes from
    Show,
    /// Set or, with an empty value, remove a setting
    #[command(after_help = CONFIG_SET_EXAMPLES)]
    Set {
        /// organization, region, backend, api-url, timeout (seconds) or keyring (auto, off)
        #[arg(value_hint = ValueHint::Other)]
        key: String,
        /// Its value
        #[arg(value_hint = ValueHint::Other)]
        value: String,
    },
}
