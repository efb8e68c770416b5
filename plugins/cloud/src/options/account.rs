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
    /// Opens a browser. On a machine without one, read a personal access token or a private API key with `--token-stdin`.
    #[command(after_help = LOGIN_EXAMPLES)]
    Login(Login),
    /// Sign out
    ///
    /// Deletes the sign-in from this machine and asks the issuer to revoke it. API keys and personal access tokens are deleted, but not revoked.
    Logout,
    /// Show how you are signed in; exits with 4 if you are not
    Status,
}

/// `auth login`.
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
    /// List them
    List(OnlyScope),
    /// Set the default organization
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

/// Only the scope.
#[derive(Debug, Clone, Args)]
pub struct OnlyScope {
    #[command(flatten)]
    pub scope: ScopeOptions,
}

#[derive(Debug, Clone, Subcommand)]
pub enum ConfigCommand {
    /// Show every setting and its source
    Show,
    /// Change a setting; an empty value removes it
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
