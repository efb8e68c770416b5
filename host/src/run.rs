//! Runs a plugin over the protocol. If a plugin declares no protocol or needs the terminal, runs it as an ordinary command.

use std::ffi::OsString;
use std::process::Command;

use bot_cli_engine::discovery::Plugin;
use bot_cli_engine::driver::{self, Launch, Patience};
use bot_cli_engine::project;
use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::outcome::Outcome;
use bot_cli_protocol::{Context, HostName, RunParams, VERSION};
use bot_cli_terminal::Terminal;
use bot_cli_terminal::cancel::Cancel;
use bot_cli_terminal::process;
use bot_cli_terminal::ui::Ui;

use crate::environment::Environment;

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
            let params = RunParams {
                protocol: VERSION.to_owned(),
                argv: words,
                capabilities: ui.capabilities(),
                context: context(terminal, &launch),
                ..RunParams::default()
            };
            driver::run(&launch, &params, &mut ui, &cancel)
        }
        Err(failure) => Outcome::new(Err(failure)),
    }
}

/// Replaces the host with the plugin, which then owns the user's terminal and streams. Returns only on failure.
pub fn become_it(plugin: &Plugin, words: &[OsString], environment: &Environment) -> Failure {
    let launch = match launch(plugin, environment, Patience::default()) {
        Ok(launch) => launch,
        Err(failure) => return failure,
    };
    let mut command = Command::new(&plugin.file);
    command.args(words).envs(launch.env);
    let error = process::become_program(&mut command);
    driver::not_runnable(&plugin.file, error)
}

pub fn launch(
    plugin: &Plugin,
    environment: &Environment,
    patience: Patience,
) -> Result<Launch, Failure> {
    let Some(cwd) = &environment.cwd else {
        let message = "the current folder no longer exists";
        let failure = Failure::new(Exit::Usage, "no_folder", message);
        return Err(failure.hint("cd to a folder that exists"));
    };
    let nesting = &environment.discovery.nesting;
    let mut launch = nesting.launch(plugin.name.as_str(), &plugin.file, cwd, patience)?;
    let color = match environment.color {
        None => return Ok(launch),
        Some(true) => [("NO_COLOR", ""), ("CLICOLOR_FORCE", "1")],
        Some(false) => [("NO_COLOR", "1"), ("CLICOLOR_FORCE", "")],
    };
    let color = color.map(|(name, value)| (name.into(), value.into()));
    launch.env.extend(color);
    Ok(launch)
}

/// Returns the context for a plugin that this host runs.
pub fn context(terminal: &Terminal, launch: &Launch) -> Context {
    Context {
        host: Some(HostName::new("bot-cli", env!("CARGO_PKG_VERSION"))),
        project: project::root_of(&launch.cwd),
        ..terminal.context(launch.cwd.clone())
    }
}
