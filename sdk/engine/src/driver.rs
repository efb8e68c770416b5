//! Runs a plugin's process and serves it while it works: questions, progress, output, cancelling, and a tidy end.

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
use bot_cli_protocol::{self as protocol, HostName, RunParams, RunResult, methods, shape};
use bot_cli_terminal::cancel::Cancel;
use bot_cli_terminal::ui::{Context, Ui};
pub use conversation::Plugin;
pub use nesting::Nesting;
pub use patience::{DEEPEST, Patience};
pub use violation::Violation;

/// The way a plugin is started.
#[derive(Debug, Clone, Default)]
pub struct Launch {
    /// The name, for messages.
    pub name: String,
    /// The file.
    pub program: PathBuf,
    /// The folder it works in.
    pub cwd: PathBuf,
    /// The variables that it gets in addition to ours.
    pub env: Vec<(OsString, OsString)>,
    /// The variables of ours that it does not get.
    pub env_remove: Vec<OsString>,
    /// The time limits for it.
    pub patience: Patience,
}

impl Launch {
    /// The plugin `name` of the file `program`, in the folder `cwd`, with our environment and the usual patience.
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

/// Runs a plugin once: starts it, has it do what `params` say, ends it.
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

/// The status of a plugin's result. Those with which a host says that a plugin could not be run, or broke the protocol, are
/// not the plugin's to use.
fn own_status(status: u8) -> u8 {
    let hosts = [Exit::Protocol, Exit::NotRunnable, Exit::NotFound];
    if hosts.into_iter().any(|exit| exit.status() == status) {
        Exit::Failed.status()
    } else {
        status
    }
}

/// The parameters of a run with the user's words, shown by `ui`.
pub fn run_params(argv: Vec<String>, ui: &dyn Ui, context: &Context, host: HostName) -> RunParams {
    RunParams {
        protocol: protocol::VERSION.to_owned(),
        argv,
        capabilities: ui.capabilities(),
        context: run_context(context, host),
        ..RunParams::default()
    }
}

/// The `context` as the plugin of a `host` has it.
pub fn run_context(context: &Context, host: HostName) -> Context {
    Context {
        host: Some(host),
        ..context.clone()
    }
}

/// Starts a plugin for one request and ends it.
pub fn call<T: DeserializeOwned>(
    launch: &Launch,
    method: &str,
    params: &Value,
    ui: &mut dyn Ui,
    cancel: &Cancel,
) -> Result<T, Failure> {
    let mut plugin = Plugin::start(launch)?;
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

/// The failure for an executable that cannot be started.
pub fn not_runnable(program: &Path, error: io::Error) -> Failure {
    let is_interpreter = error.kind() == io::ErrorKind::NotFound && program.exists();
    let could_not = format!("could not run `{}`", program.display());
    let failure = Failure::because(Exit::NotRunnable, "not_runnable", could_not, error);
    if is_interpreter {
        return failure.hint("the interpreter in its first line does not exist");
    }
    failure
}
