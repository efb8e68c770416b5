//! Runs a plugin: by the protocol when it declares it, as an ordinary command otherwise and where it wants the terminal.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use bot_cli_engine::discovery::Plugin;
use bot_cli_engine::driver::{self, DEEPEST, Launch, Patience};
use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::outcome::Outcome;
use bot_cli_protocol::{DEPTH, HOST, HostName};
use bot_cli_terminal::Terminal;
use bot_cli_terminal::cancel::Cancel;
use bot_cli_terminal::process;

use crate::environment::Environment;

/// Runs a plugin that declares the protocol.
pub fn drive(
    plugin: &Plugin,
    words: Vec<String>,
    terminal: &Terminal,
    environment: &Environment,
    patience: Patience,
) -> Outcome {
    let prepared = launch(plugin, environment, patience)
        .and_then(|launch| Ok((launch, Cancel::on_signals()?)));
    match prepared {
        Ok((launch, cancel)) => {
            let mut ui = terminal.clone().watching(&cancel);
            let context = terminal.context(launch.cwd.clone());
            let params = driver::run_params(words, &ui, &context, host_name());
            driver::run(&launch, &params, &mut ui, &cancel)
        }
        Err(failure) => Outcome::new(Err(failure)),
    }
}

/// Becomes the plugin, which has the user's terminal and streams then. Comes back only when it can't.
pub fn become_it(plugin: &Plugin, words: &[OsString], environment: &Environment) -> Failure {
    if let Err(failure) = check_depth(plugin, environment) {
        return failure;
    }
    let mut command = Command::new(&plugin.file);
    command.args(words).envs(variables(environment));
    let error = process::become_program(&mut command);
    driver::not_runnable(&plugin.file, error)
}

/// Returns how a plugin is started.
pub fn launch(
    plugin: &Plugin,
    environment: &Environment,
    patience: Patience,
) -> Result<Launch, Failure> {
    check_depth(plugin, environment)?;
    let mut launch = Launch::new(plugin.name.to_string(), &plugin.file, cwd(environment)?);
    launch.env = variables(environment);
    launch.patience = patience.below(environment.depth);
    Ok(launch)
}

/// Returns what a plugin's environment has beside ours.
fn variables(environment: &Environment) -> Vec<(OsString, OsString)> {
    let depth = (DEPTH.into(), (environment.depth + 1).to_string().into());
    let host = environment.host.as_ref();
    let color = environment.color.map(|color| {
        if color {
            [("NO_COLOR", ""), ("CLICOLOR_FORCE", "1")]
        } else {
            [("NO_COLOR", "1"), ("CLICOLOR_FORCE", "")]
        }
    });
    let color = color.into_iter().flatten();
    host.map(|host| (HOST.into(), host.into()))
        .into_iter()
        .chain([depth])
        .chain(color.map(|(name, value)| (name.into(), value.into())))
        .collect()
}

/// The host as plugins see it.
pub fn host_name() -> HostName {
    HostName::new("bot-cli", env!("CARGO_PKG_VERSION"))
}

fn check_depth(plugin: &Plugin, environment: &Environment) -> Result<(), Failure> {
    if environment.depth < DEEPEST {
        return Ok(());
    }
    Err(Failure::new(
        Exit::NotRunnable,
        "too_deep",
        format!(
            "`{}` was not run: {DEEPEST} plugins are already running one another",
            plugin.name
        ),
    )
    .hint("look for a plugin that runs itself through bot-cli"))
}

fn cwd(environment: &Environment) -> Result<PathBuf, Failure> {
    environment.cwd.clone().ok_or_else(|| {
        let message = "the current folder no longer exists";
        Failure::new(Exit::Usage, "no_folder", message).hint("cd to a folder that exists")
    })
}
