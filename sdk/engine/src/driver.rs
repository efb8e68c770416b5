//! Runs a plugin's process and handles its questions, progress, output, cancellation and exit.

mod conversation;
mod listener;
mod nesting;
mod patience;
mod process;
mod service;
mod stop_sequence;
#[cfg(test)]
mod tests;
mod violation;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::outcome::{Outcome, Reply};
use bot_cli_protocol::{RunParams, RunResult, methods, shape};
use bot_cli_terminal::cancel::Cancel;
use bot_cli_terminal::ui::Ui;
pub use conversation::RunningPlugin;
pub use nesting::Nesting;
pub use patience::{DEEPEST, Patience};
pub use violation::Violation;

/// The settings for starting a plugin.
#[derive(Debug, Clone, Default)]
pub struct Launch {
    /// The plugin's name, for messages.
    pub name: String,
    /// The plugin's executable.
    pub program: PathBuf,
    /// The working folder.
    pub cwd: PathBuf,
    /// The environment variables to add to this process's environment.
    pub env: Vec<(OsString, OsString)>,
    /// The environment variables of this process that the plugin does not inherit.
    pub env_remove: Vec<OsString>,
    /// The time limits for the plugin.
    pub patience: Patience,
}

impl Launch {
    /// Creates the settings for starting the plugin `name` with this process's environment and the default time limits.
    pub fn new(
        name: impl Into<String>,
        program: impl Into<PathBuf>,
        cwd: impl Into<PathBuf>,
    ) -> Self {
        Self {
            name: name.into(),
            program: program.into(),
            cwd: cwd.into(),
            ..Self::default()
        }
    }
}

/// Runs a plugin once: starts the plugin, sends `params`, and shuts the plugin down.
pub fn run(launch: &Launch, params: &RunParams, ui: &mut dyn Ui, cancel: &Cancel) -> Outcome {
    match call::<RunResult>(launch, methods::RUN, &json!(params), ui, cancel) {
        Ok(result) => Outcome {
            status: own_status(result.exit),
            result: Ok(Reply {
                text: result.text,
                data: result.data,
                next: result.next,
            }),
        },
        Err(failure) => Outcome::new(Err(failure)),
    }
}

/// Returns the exit status for the status in a plugin's result. Converts a status that only a host may use, such as the status for a
/// protocol violation, to a general failure.
fn own_status(status: u8) -> u8 {
    let hosts = [Exit::Protocol, Exit::NotRunnable, Exit::NotFound];
    if hosts.into_iter().any(|exit| exit.status() == status) {
        Exit::Failed.status()
    } else {
        status
    }
}

/// Starts a plugin, sends one request, shuts down the plugin, and returns the result.
pub fn call<T: DeserializeOwned>(
    launch: &Launch,
    method: &str,
    params: &Value,
    ui: &mut dyn Ui,
    cancel: &Cancel,
) -> Result<T, Failure> {
    let mut plugin = RunningPlugin::start(launch)?;
    let replied = plugin.request(method, params, ui, cancel);
    let result = replied.map(|result| shape::read("result", result));
    let finished = plugin.finish(ui, cancel);
    let result = result?;
    finished?;
    result.map_err(|reason| {
        let method = method.to_owned();
        Violation::WrongResult { method, reason }.by(&launch.name)
    })
}

/// Returns the failure for an executable that can't be started.
pub fn not_runnable(program: &Path, error: io::Error) -> Failure {
    let is_interpreter = error.kind() == io::ErrorKind::NotFound && program.exists();
    let could_not = format!("could not run `{}`", program.display());
    let failure = Failure::because(Exit::NotRunnable, "not_runnable", could_not, error);
    if is_interpreter {
        return failure.hint("the interpreter in its first line does not exist");
    }
    failure
}
