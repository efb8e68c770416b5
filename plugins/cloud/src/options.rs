//! The options of the command line, and what they say.

mod account;
mod secrets;
mod vault;

use clap::{Args, Parser, Subcommand, ValueHint};

use crate::scope::Wanted;
pub use account::{AuthCommand, ConfigCommand, Login, OrganizationsCommand, RegionsCommand};
pub use secrets::{Copy, Delete, ImagePullSecret, List, Run, SecretsCommand, Set, Unset};
pub use vault::{Backup, Restore, VaultCommand};

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

/// Manage secret sets and image pull secrets of deployed bots.
///
/// Without an account, secrets are stored in an encrypted vault on this machine; after `auth login`, by the hosting service; with `--backend NAME`, by the installed backend `bot-cli-secrets-NAME`.
#[derive(Debug, Clone, Parser)]
#[command(name = "bot-cli-cloud", bin_name = "bot-cli cloud", version, after_help = EXAMPLES, max_term_width = 100)]
pub struct Options {
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Clone, Subcommand)]
pub enum Command {
    /// Secret sets and image pull secrets
    Secrets {
        /// The command.
        #[command(subcommand)]
        command: SecretsCommand,
    },
    /// Check, back up and restore the vault of this machine, and change its key
    Vault {
        /// The command.
        #[command(subcommand)]
        command: VaultCommand,
    },
    /// Sign in to and out of the hosting service
    Auth {
        /// The command.
        #[command(subcommand)]
        command: AuthCommand,
    },
    /// List and choose your organizations
    Organizations {
        /// The command.
        #[command(subcommand)]
        command: OrganizationsCommand,
    },
    /// List the regions for secrets
    Regions {
        /// The command.
        #[command(subcommand)]
        command: RegionsCommand,
    },
    /// Show and change the configuration
    Config {
        /// The command.
        #[command(subcommand)]
        command: ConfigCommand,
    },
}

#[derive(Debug, Clone, Default, Args)]
pub struct ScopeOptions {
    /// Organization (default: the configured one)
    #[arg(short, long, value_name = "NAME", help_heading = "Where", value_hint = ValueHint::Other)]
    pub organization: Option<String>,
    /// Secrets backend: local, hosted or an installed one (default: hosted when signed in)
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
    /// Returns the wanted scope.
    pub fn wanted(&self, region: Option<&str>) -> Wanted {
        Wanted {
            organization: self.organization.clone(),
            region: region.map(str::to_owned),
            backend: self.backend.clone(),
        }
    }
}

impl Command {
    /// Returns whether the command changes stored data, so that its failure must state the outcome.
    pub const fn changes(&self) -> bool {
        !matches!(
            self,
            Self::Secrets {
                command: SecretsCommand::List(_) | SecretsCommand::Run(_),
            } | Self::Vault {
                command: VaultCommand::Verify,
            } | Self::Auth { .. }
                | Self::Organizations { .. }
                | Self::Regions { .. }
                | Self::Config { .. }
        )
    }
}
