//! A plugin run as an ordinary command.

use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Duration;

use serde_json::Map;

use super::{Command, describe, surface, usage};
use crate::cancel::Cancel;
use crate::failure::{Exit, Failure};
use crate::outcome::Outcome;
use crate::session::Session;
use crate::terminal::{Look, Terminal, Verbosity};

/// How long a command has from Ctrl-C until it is ended.
const GRACE: Duration = Duration::from_secs(5);

/// Parses `arguments`, runs the command and shows its outcome.
pub fn run<C: Command>(arguments: Vec<OsString>) -> ExitCode {
    let look = Look::detect();
    let format = surface::format_of(&arguments);
    let name = format!("bot-cli-{}", describe::name::<C>());
    let command = surface::of(C::command(), &name).term_width(look.width);
    let matches = match command.try_get_matches_from(arguments) {
        Ok(matches) => matches,
        Err(error) => {
            let terminal = Terminal::new(look, Verbosity::Normal, format);
            let outcome = usage::outcome(&error, &name, look.stdout_color);
            return ExitCode::from(terminal.report(&outcome));
        }
    };
    let verbosity = Verbosity::new(surface::quiet(&matches), surface::verbosity_of(&matches));
    let terminal = Terminal::new(look, verbosity, format);
    let mut status = 0;
    let result = C::from_arg_matches(&matches)
        .map_err(|error| usage::failure(&error, &name))
        .and_then(|command| {
            let mut session = session(&terminal)?;
            let result = command.run(&mut session);
            status = session.status();
            result.map(|mut reply| {
                reply.text.insert_str(0, &session.take_output());
                reply
            })
        });
    ExitCode::from(terminal.report(&Outcome::new(result).with_status(status)))
}

fn session(terminal: &Terminal) -> Result<Session, Failure> {
    let cwd = std::env::current_dir().map_err(|error| {
        Failure::new(
            Exit::Failed,
            "no_folder",
            format!("could not find the current folder: {error}"),
        )
    })?;
    let cancel = Cancel::on_signals_or_exit(GRACE).map_err(|error| {
        Failure::new(
            Exit::Failed,
            "no_signals",
            format!("could not watch for signals: {error}"),
        )
    })?;
    Ok(Session::new(
        Box::new(terminal.clone().watching(&cancel)),
        terminal.context(cwd),
        Map::new(),
        cancel,
    ))
}
