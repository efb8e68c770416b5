//! Finds the programs that `dev` starts.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use bot_cli_engine::discovery::{Discovery, PluginName};
use bot_cli_protocol::failure::{Exit, Failure};

#[derive(Debug, Clone, Copy)]
pub enum Program {
    Uv,
    Npm,
}

impl Program {
    /// Creates a command that runs the program in `folder`. Fails if the program is not installed.
    pub fn command(self, folder: &Path) -> Result<Command, Failure> {
        let (name, origin) = match self {
            Self::Uv => (
                "uv",
                "it comes from https://docs.astral.sh/uv/getting-started/installation/",
            ),
            Self::Npm => ("npm", "it comes with Node.js: https://nodejs.org"),
        };
        let file = which::which(name).map_err(|_| {
            let message = format!("`{name}` is not installed, or not in `PATH`");
            Failure::new(Exit::Usage, "not_installed", message).hint(origin)
        })?;
        let mut command = Command::new(file);
        command.current_dir(folder).stdin(Stdio::null());
        Ok(command)
    }
}

/// Returns the path of the `bot-cli-cloud` executable, if it is installed.
pub fn cloud() -> Option<PathBuf> {
    let discovery = Discovery::here();
    let name = PluginName::parse("cloud")?;
    discovery.by_name(&name).plugin.map(|plugin| plugin.file)
}

/// Returns a command that runs `inner` through `wrapper`, with the working directory and environment of `inner`.
pub fn wrapped(mut wrapper: Command, inner: &Command) -> Command {
    wrapper
        .arg("--")
        .arg(inner.get_program())
        .args(inner.get_args());
    if let Some(folder) = inner.get_current_dir() {
        wrapper.current_dir(folder);
    }
    for (name, value) in inner.get_envs() {
        match value {
            Some(value) => wrapper.env(name, value),
            None => wrapper.env_remove(name),
        };
    }
    wrapper.stdin(Stdio::null());
    wrapper
}
