//! Decides what an invocation of the host does.

use std::ffi::{OsStr, OsString};

use bot_cli_engine::discovery::RESERVED;
use bot_cli_engine::driver::Patience;
use bot_cli_protocol::outcome::{Outcome, Reply};
use bot_cli_protocol::words;
use bot_cli_sdk::plugin::{spec_of, usage};
use clap::Parser;
use clap::error::ErrorKind;

use crate::arguments::{self, Arguments, Command, Options};
use crate::call;
use crate::completion;
use crate::environment::Environment;
use crate::help;
use crate::named;
use crate::variables;
use crate::version;

/// Runs the user's command, reports its outcome and returns the exit status.
pub fn route(mut environment: Environment, patience: Patience) -> u8 {
    // clap would decide the same, but only after building the whole command tree.
    if arguments::name_a_plugin(&environment.arguments) {
        let options = Options::default();
        return call::plugin(&environment.arguments, &options, &environment, patience);
    }
    let words = std::iter::once(OsStr::new("bot-cli"))
        .chain(environment.arguments.iter().map(OsString::as_os_str));
    let arguments = match Arguments::try_parse_from(words) {
        Ok(arguments) => arguments,
        Err(error) => return refused(&error, &environment),
    };
    if let Err(failure) = environment.change(&arguments.options) {
        // The options may stand behind the name of a plugin, too.
        let root = spec_of(&arguments::command());
        let taken = words::take(&root, &environment.arguments);
        let terminal = environment.terminal(&arguments.options.with(&taken));
        return terminal.report(&Outcome::new(Err(failure)));
    }
    let environment = &environment;
    let terminal = environment.terminal(&arguments.options);
    let result = match arguments.command {
        None => Ok(help::reply(help::host(environment), environment.look)),
        Some(Command::Help { command }) => match command.split_first() {
            None => Ok(help::reply(help::host(environment), environment.look)),
            Some((name, [])) if name == variables::TOPIC => Ok(variables::page(environment)),
            Some((name, _)) if RESERVED.contains(&name.as_str()) => {
                let mut words: Vec<OsString> = command.iter().map(OsString::from).collect();
                words.push("--help".into());
                own_help(&words, environment).result
            }
            Some((name, words)) => match named::plugin(name, environment, &terminal) {
                Ok(plugin) => help::of_words(&plugin, words, environment),
                Err(failure) => Err(failure),
            },
        },
        Some(Command::Completions { shell }) => Ok(completion::script(shell)),
        Some(Command::Complete { shell, words }) => {
            Ok(completion::complete(shell, &words, &terminal, environment))
        }
        Some(Command::Version) => Ok(
            if arguments.options.json.0.is_some() || arguments.options.verbose > 0 {
                version::reply(environment)
            } else {
                Reply::text(format!("bot-cli {}\n", env!("CARGO_PKG_VERSION")))
            },
        ),
        Some(Command::External(words)) => {
            return call::plugin(&words, &arguments.options, environment, patience);
        }
    };
    call::report(&Outcome::new(result), &terminal)
}

/// Handles an error from clap. Requests for help or the version are also errors in clap.
fn refused(error: &clap::Error, environment: &Environment) -> u8 {
    let root = spec_of(&arguments::command());
    let taken = words::take(&root, &environment.arguments);
    let terminal = environment.terminal(&Options::default().with(&taken));
    if error.kind() == ErrorKind::DisplayHelp {
        // Parses the arguments again with the plugins, which are searched for only when help is shown.
        return terminal.report(&own_help(&environment.arguments, environment));
    }
    if error.kind() == ErrorKind::DisplayVersion && (taken.json.is_some() || taken.verbose > 0) {
        return terminal.report(&Outcome::new(Ok(version::reply(environment))));
    }
    terminal.report(&usage::outcome(
        error,
        "bot-cli",
        &root,
        &environment.arguments,
        environment.look.stdout_color,
    ))
}

fn own_help(words: &[OsString], environment: &Environment) -> Outcome {
    let program = std::iter::once(OsStr::new("bot-cli"));
    let command = help::host(environment);
    let root = spec_of(&command);
    let color = environment.look.stdout_color;
    match command.try_get_matches_from(program.chain(words.iter().map(OsString::as_os_str))) {
        Ok(_) => Outcome::new(Ok(Reply::default())),
        Err(help) => usage::outcome(&help, "bot-cli", &root, words, color),
    }
}
