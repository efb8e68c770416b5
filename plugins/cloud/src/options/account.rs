//! The options of `auth`, `organizations`, `regions` and `config`.

use clap::{Args, Subcommand, ValueHint};

use super::ScopeOptions;

const CONFIG_SET_EXAMPLES: &str = "\
Examples:
  bot-cli cloud config set region us-east
  bot-cli cloud config set region ''
  bot-cli cloud config set backend kubernetes
  bot-cli cloud config set kubernetes.organization bots";

const LOGIN_EXAMPLES: &str = "\
Examples:
  bot-cli cloud auth login
  bot-cli cloud auth login --token-stdin < token.txt";

#[derive(Debug, Clone, Subcommand)]
pub enum AuthCommand {
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

#[derive(Debug, Clone, Subcommand)]
pub enum OrganizationsCommand {
    /// List them
    List(OnlyScope),
    /// Use this one from now on
    Use {
        /// Name of the organization
        #[arg(value_hint = ValueHint::Other)]
        name: String,
    },
}

#[derive(Debug, Clone, Subcommand)]
pub enum RegionsCommand {
    /// List them
    List(OnlyScope),
}

/// Nothing but where to act.
#[derive(Debug, Clone, Args)]
pub struct OnlyScope {
    #[command(flatten)]
    pub scope: ScopeOptions,
}

#[derive(Debug, Clone, Subcommand)]
pub enum ConfigCommand {
    /// Show what holds, and where each of it comes from
    Show,
    /// Set or, with an empty value, remove a setting
    #[command(after_help = CONFIG_SET_EXAMPLES)]
    Set {
        /// organization, region, backend, api-url, timeout (seconds), keyring (auto, off), or NAME.KEY for a setting of an installed backend
        #[arg(value_hint = ValueHint::Other)]
        key: String,
        /// The new value
        #[arg(value_hint = ValueHint::Other)]
        value: String,
    },
}
