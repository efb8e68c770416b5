//! Nested hosts: plugins that run other plugins.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::{DEEPEST, Launch, Patience};
use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::{DEPTH, HOST};

/// The position of this process among nested hosts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Nesting {
    /// The number of hosts above this process, or 0 for a command that the user started.
    pub depth: u32,
    /// The executable of the topmost host, which plugins may start as well.
    pub host: Option<PathBuf>,
}

impl Nesting {
    /// Reads the position from environment variables, as in `Nesting::read(|name| std::env::var_os(name))`.
    pub fn read(variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let depth = variable(DEPTH).and_then(|depth| depth.to_str()?.parse().ok());
        Self {
            depth: depth.unwrap_or(0),
            host: variable(HOST).map(PathBuf::from),
        }
    }

    /// Returns the settings for starting the plugin `name` in the folder `cwd`. The time limits depend on the depth, so that the innermost
    /// plugin exits first. Fails if too many hosts are nested.
    pub fn launch(
        &self,
        name: &str,
        program: impl Into<PathBuf>,
        cwd: &Path,
        patience: Patience,
    ) -> Result<Launch, Failure> {
        if self.depth >= DEEPEST {
            let message =
                format!("`{name}` was not run: {DEEPEST} plugins are already running one another");
            return Err(Failure::new(Exit::NotRunnable, "too_deep", message)
                .hint("look for a plugin that runs itself through bot-cli"));
        }
        let mut launch = Launch::new(name, program, cwd);
        let depth = (DEPTH.into(), (self.depth + 1).to_string().into());
        let host = self.host.as_ref().map(|host| (HOST.into(), host.into()));
        launch.env = host.into_iter().chain([depth]).collect();
        launch.patience = patience.below(self.depth);
        Ok(launch)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Nesting;
    use crate::driver::{DEEPEST, Patience};

    #[test]
    fn what_is_started_stands_one_deeper_and_the_ninth_is_refused() {
        let nesting = |depth: u32| {
            Nesting::read(|name| match name {
                "BOT_CLI_DEPTH" => Some(depth.to_string().into()),
                "BOT_CLI_HOST" => Some("/bin/host".into()),
                _ => None,
            })
        };
        let launch = |depth| nesting(depth).launch("x", "/x", Path::new("/"), Patience::default());
        let launched = launch(2).unwrap();
        let env = |name: &str, value: &str| (name.into(), value.into());
        let expected = [env("BOT_CLI_HOST", "/bin/host"), env("BOT_CLI_DEPTH", "3")];
        assert_eq!(launched.env, expected);
        assert_eq!(launched.patience, Patience::default().below(2));
        assert_eq!(launch(DEEPEST).unwrap_err().code, "too_deep");
        assert_eq!(Nesting::read(|_| None), Nesting::default());
    }
}
