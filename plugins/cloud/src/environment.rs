//! The process environment, read once.

use std::env::VarError;
use std::path::PathBuf;

use bot_cli_engine::discovery::Discovery;
use bot_cli_engine::platform::folders;
use bot_cli_protocol::failure::{Failure, Field};
use bot_cli_protocol::secret::Secret;

use crate::input::refused;
use crate::pace::Pace;
use crate::words::failed;

/// The environment variables and their descriptions, as listed by `bot-cli help environment`.
pub const VARIABLES: [(&str, &str); 11] = [
    (
        "BOT_CLI_ORGANIZATION",
        "The organization, as --organization",
    ),
    ("BOT_CLI_REGION", "The region, as --region"),
    (
        "BOT_CLI_BACKEND",
        "What keeps the secrets: local, hosted or an installed backend",
    ),
    ("BOT_CLI_API_URL", "The address of the hosting service"),
    (
        "BOT_CLI_TOKEN",
        "An access token or API key, which wins over a sign-in",
    ),
    (
        "BOT_CLI_PUBLIC_KEY",
        "A public key of the organization, which starts sessions",
    ),
    ("BOT_CLI_TIMEOUT", "Seconds that a request may take"),
    (
        "BOT_CLI_KEYRING",
        "auto or off: whether the keyring keeps the vault's key and the sign-in",
    ),
    (
        "XDG_CONFIG_HOME",
        "Settings and the sign-in are in bot-cli in it (default: ~/.config; on Windows, %APPDATA%)",
    ),
    (
        "XDG_DATA_HOME",
        "The vault is in bot-cli/vault in it (default: ~/.local/share; on Windows, %LOCALAPPDATA%)",
    ),
    ("HOME", "The home folder, for the defaults of these"),
];

/// This plugin's environment variables, and values derived from the process.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// The value of `BOT_CLI_ORGANIZATION`.
    pub organization: Option<String>,
    /// The value of `BOT_CLI_REGION`.
    pub region: Option<String>,
    /// The value of `BOT_CLI_BACKEND`.
    pub backend: Option<String>,
    /// The value of `BOT_CLI_API_URL`.
    pub api_url: Option<String>,
    /// The value of `BOT_CLI_TOKEN`.
    pub token: Option<Secret>,
    /// The value of `BOT_CLI_TIMEOUT`.
    pub timeout: Option<String>,
    /// The value of `BOT_CLI_PUBLIC_KEY`.
    pub public_key: Option<Secret>,
    /// The value of `BOT_CLI_KEYRING`.
    pub keyring: Option<String>,
    /// The configuration folder, such as `~/.config/bot-cli`, or `None` if no environment variable determines the folder.
    pub config_folder: Option<PathBuf>,
    /// The vault's folder, such as `~/.local/share/bot-cli/vault`, or `None` if no environment variable determines the folder.
    pub vault_folder: Option<PathBuf>,
    /// The plugin discovery, which finds installed backends.
    pub plugins: Discovery,
    /// Whether the process was started with arguments and therefore uses the user's own streams.
    pub own_streams: bool,
    /// The default time limits.
    pub pace: Pace,
}

impl Environment {
    /// Reads the environment variables. Empty variables count as unset, except `BOT_CLI_API_URL`.
    ///
    /// Fails if a variable is not UTF-8, because a default must not silently replace the value.
    pub fn read() -> Result<Self, Failure> {
        let mut wrong = Vec::new();
        let mut given = |name: &str| match std::env::var(name) {
            Ok(value) => Some(value),
            Err(VarError::NotPresent) => None,
            Err(VarError::NotUnicode(_)) => {
                wrong.push(Field::new(name, "is not UTF-8"));
                None
            }
        };
        // An empty address is probably a script's mistake, so the token must not be sent to the default address instead.
        let api_url = given("BOT_CLI_API_URL");
        let mut text = |name: &str| given(name).filter(|value| !value.is_empty());
        let folder = |variable: &str| std::env::var_os(variable);
        let environment = Self {
            organization: text("BOT_CLI_ORGANIZATION"),
            region: text("BOT_CLI_REGION"),
            backend: text("BOT_CLI_BACKEND"),
            api_url,
            // A token read from a file may end with a line break.
            token: text("BOT_CLI_TOKEN")
                .map(Secret::new)
                .map(|token| Secret::new(token.expose().trim().to_owned()))
                .filter(|token| !token.expose().is_empty()),
            public_key: text("BOT_CLI_PUBLIC_KEY").map(Secret::new),
            timeout: text("BOT_CLI_TIMEOUT"),
            keyring: text("BOT_CLI_KEYRING"),
            config_folder: folders::config(&folder).map(|folder| folder.join("bot-cli")),
            vault_folder: folders::vault(&folder),
            plugins: Discovery::here(),
            own_streams: std::env::args_os().len() > 1,
            pace: Pace::USUAL,
        };
        refused(wrong)?;
        Ok(environment)
    }

    /// Returns the vault's folder.
    pub fn vault_folder(&self) -> Result<PathBuf, Failure> {
        self.vault_folder.clone().ok_or_else(homeless)
    }
}

pub fn homeless() -> Failure {
    let message =
        "there is no folder for settings and data: neither HOME nor the XDG folders are set";
    failed("no_home", message)
        .hint("set HOME, or XDG_CONFIG_HOME and XDG_DATA_HOME, to absolute paths")
}
