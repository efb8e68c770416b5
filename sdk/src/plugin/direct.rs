//! Runs a plugin that the user started by hand.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use serde_json::Map;

use super::work::carry_out;
use super::{Command, describe, surface, usage};
use crate::session::Session;
use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::outcome::{Json, Outcome};
use bot_cli_protocol::words::{self, HostOption};
use bot_cli_terminal::cancel::Cancel;
use bot_cli_terminal::{Look, Terminal, Verbosity};

/// The time limit for guarded work after Ctrl-C.
const GRACE: Duration = Duration::from_secs(5);

/// Parses `arguments`, runs the command in `cwd` and shows the outcome. `name` is the command as the user typed it.
pub fn run<C: Command>(
    command: clap::Command,
    name: &str,
    arguments: &[OsString],
    cwd: io::Result<PathBuf>,
    look: Look,
) -> ExitCode {
    let command = surface::of(command, name).term_width(look.width);
    let matches = match command.try_get_matches_from(arguments) {
        Ok(matches) => matches,
        Err(error) => {
            let tree = describe::tree::<C>();
            let json = words::take(&tree, arguments).json;
            let terminal = Terminal::new(look, Verbosity::Normal, json);
            let outcome = usage::outcome(&error, name, &tree, arguments, look.stdout_color);
            return ExitCode::from(terminal.report(&outcome));
        }
    };
    let verbosity = surface::verbosity_of(&matches);
    // If a command and its subcommand have the option, clap keeps the last one.
    let lines = OsString::from(format!("--{}={}", HostOption::Json.long(), Json::LINES));
    let has_lines = arguments
        .iter()
        .take_while(|word| *word != "--")
        .any(|word| *word == lines);
    let json = surface::json_of(&matches).map(|json| if has_lines { Json::Lines } else { json });
    let terminal = Terminal::new(look, verbosity, json);
    let outcome = match session(&terminal, cwd) {
        Ok(session) => carry_out::<C>(&matches, name, &session),
        Err(failure) => Outcome::new(Err(failure)),
    };
    ExitCode::from(terminal.report(&outcome))
}

fn session(terminal: &Terminal, cwd: io::Result<PathBuf>) -> Result<Session, Failure> {
    let cwd = cwd.map_err(|error| {
        let could_not = "could not find the current folder";
        Failure::because(Exit::Usage, "no_folder", could_not, error)
            .hint("cd to a folder that exists")
    })?;
    let shown = terminal.clone();
    let report = move |failure| shown.report(&Outcome::new(Err(failure)));
    let cancel = Cancel::on_signals_or_exit(GRACE, report)?;
    Ok(Session::new(
        Box::new(terminal.clone().watching(&cancel)),
        terminal.context(cwd),
        Map::new(),
        cancel,
    ))
}
