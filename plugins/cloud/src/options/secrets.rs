//! The options of `secrets`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use super::{RegionOption, ScopeOptions};
use crate::input::given::Empty;

const SET_EXAMPLES: &str = "\
Examples:
  See what a file would change, then change it:
    bot-cli cloud secrets set my-bot-secrets --file .env --dry-run
    bot-cli cloud secrets set my-bot-secrets --file .env

  Be asked for a value, hidden:
    bot-cli cloud secrets set my-bot-secrets OPENAI_API_KEY

  In a generated project, be asked for every key that is still missing:
    bot-cli cloud secrets set --from-template .env.example

  Make the set what the file is, without keys that the file does not have:
    bot-cli cloud secrets set my-bot-secrets --file .env --prune";

const COPY_EXAMPLES: &str = "\
Examples:
  See what a copy to the hosting service would change, then make it:
    bot-cli cloud secrets copy my-bot-secrets --dry-run
    bot-cli cloud secrets copy my-bot-secrets

  Under another name and in another region:
    bot-cli cloud secrets copy Bot --to-name my-bot-secrets --region eu-central

  From the vault to the cluster of an installed backend:
    bot-cli cloud secrets copy my-bot-secrets --to kubernetes";

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

#[derive(Debug, Clone, Subcommand)]
pub enum SecretsCommand {
    /// List secret sets and image pull secrets, or the keys of one set
    #[command(after_help = LIST_EXAMPLES)]
    List(List),
    /// Create or update a secret set
    ///
    /// Other keys of the set stay as they are. In a generated project, the default name is that of server/cloud-deploy.toml.
    ///
    /// The name of a set has 1 to 63 letters, digits and hyphens, without a hyphen at either end. At the hosting service, a new name needs at least 3 characters and no capitals; other backends may have their own rules.
    #[command(after_help = SET_EXAMPLES)]
    Set(Set),
    /// Copy a set from one backend to another
    ///
    /// Keys that only the target has stay as they are. The hosting service never returns values, so the source is the vault of this machine or an installed backend. Image pull secrets can be copied too.
    #[command(after_help = COPY_EXAMPLES)]
    Copy(Copy),
    /// Remove keys from a secret set
    #[command(after_help = UNSET_EXAMPLES)]
    Unset(Unset),
    /// Delete a secret set or an image pull secret permanently
    #[command(after_help = DELETE_EXAMPLES)]
    Delete(Delete),
    /// Create or update the credentials for a private image registry
    #[command(after_help = IMAGE_PULL_SECRET_EXAMPLES)]
    ImagePullSecret(ImagePullSecret),
    /// Start a program with a set in its environment
    ///
    /// The hosting service never returns values, so the default backend is then the vault of this machine. In a generated project, the default name is that of server/cloud-deploy.toml.
    #[command(after_help = RUN_EXAMPLES)]
    Run(Run),
}

/// `secrets list`.
#[derive(Debug, Clone, Args)]
pub struct List {
    /// Set whose keys are shown (values are never shown)
    pub name: Option<String>,
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
    /// KEY=value pairs; for a KEY alone (in capitals) the value is asked for, hidden
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
    /// Remove the keys of the set that are not in the file; the plan names them
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
    #[command(flatten)]
    pub scope: ScopeOptions,
}

/// `secrets copy`.
#[derive(Debug, Clone, Args)]
pub struct Copy {
    /// Secret set or image pull secret to copy
    pub name: String,
    /// Backend to copy to: hosted, local or an installed one
    #[arg(long, value_name = "BACKEND", default_value = "hosted", value_hint = ValueHint::Other)]
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
    /// Backend to copy from: local, or an installed one that returns values
    #[arg(long, value_name = "BACKEND", default_value = "local", value_hint = ValueHint::Other, help_heading = "Where")]
    pub from: String,
    /// Organization of the set (default: the configured one)
    #[arg(short, long, value_name = "NAME", help_heading = "Where", value_hint = ValueHint::Other)]
    pub organization: Option<String>,
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
    /// Words after the credentials: accepted here so that no message quotes a possible part of them.
    #[arg(hide = true, value_hint = ValueHint::Other)]
    pub rest: Vec<String>,
    /// Encode the credentials as base64 (default)
    #[arg(short, long, overrides_with = "no_encode")]
    pub encode: bool,
    /// The credentials are already base64
    #[arg(long, overrides_with = "encode")]
    pub no_encode: bool,
    /// Skip the confirmation before replacing credentials at a terminal
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
    #[command(flatten)]
    pub scope: ScopeOptions,
}

/// `secrets run`.
#[derive(Debug, Clone, Args)]
pub struct Run {
    /// Set whose values the program gets
    pub name: Option<String>,
    /// Program and its arguments, after `--`
    #[arg(last = true, required = true, value_name = "PROGRAM", value_hint = ValueHint::CommandWithArguments)]
    pub program: Vec<String>,
    #[command(flatten)]
    pub scope: ScopeOptions,
}
