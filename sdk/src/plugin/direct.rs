//! A plugin run as an ordinary command.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use serde_json::Map;

use super::{Command, describe, surface, usage};
use crate::cancel::Cancel;
use crate::failure::{Exit, Failure, reason};
use crate::outcome::Outcome;
use crate::session::Session;
use crate::terminal::{Look, Terminal, Verbosity};

/// How long a command has from Ctrl-C until it is ended.
const GRACE: Duration = Duration::from_secs(5);

/// Parses `arguments`, runs the command in `cwd` and shows its outcome; `name` is what the user has called.
pub fn run<C: Command>(
    name: &str,
    arguments: &[OsString],
    cwd: io::Result<PathBuf>,
    look: Look,
) -> ExitCode {
    let command = surface::of(C::command(), name).term_width(look.width);
    let matches = match command.clone().try_get_matches_from(arguments) {
        Ok(matches) => matches,
        Err(error) => {
            let tree = describe::manifest::<C>().command.unwrap_or_default();
            let format = usage::format_of(&tree, arguments);
            let terminal = Terminal::new(look, Verbosity::Normal, format);
            let outcome = usage::outcome(&error, &command, name, look.stdout_color);
            return ExitCode::from(terminal.report(&outcome));
        }
    };
    let verbosity = Verbosity::new(surface::quiet(&matches), surface::verbosity_of(&matches));
    let terminal = Terminal::new(look, verbosity, surface::format_of(&matches));
    let mut status = 0;
    let result = C::from_arg_matches(&matches)
        .map_err(|error| usage::failure(&error, &command, name))
        .and_then(|command| {
            let mut session = session(&terminal, cwd)?;
            let result = command.run(&mut session);
            status = session.status();
            let result = result.map(|mut reply| {
                reply.text.insert_str(0, &session.take_output());
                reply
            });
            result.map_err(|failure| session.cancel().explain(failure))
        });
    ExitCode::from(terminal.report(&Outcome::new(result).with_status(status)))
}

fn session(terminal: &Terminal, cwd: io::Result<PathBuf>) -> Result<Session, Failure> {
    let cwd = cwd.map_err(|error| {
        let message = format!("could not find the current folder: {}", reason(&error));
        Failure::new(Exit::Usage, "no_folder", message).hint("cd to a folder that is there")
    })?;
    let cancel = Cancel::on_signals_or_exit(GRACE)?;
    Ok(Session::new(
        Box::new(terminal.clone().watching(&cancel)),
        terminal.context(cwd),
        Map::new(),
        cancel,
    ))
}
