//! From the user's words to what does the work.

use std::ffi::{OsStr, OsString};

use bot_cli_sdk::driver::Patience;
use bot_cli_sdk::failure::Exit;
use bot_cli_sdk::outcome::{Outcome, Reply};
use bot_cli_sdk::plugin::usage;
use bot_cli_sdk::words::{self, HelpForm};
use clap::Parser;
use clap::error::ErrorKind;

use crate::added;
use crate::arguments::{self, Arguments, Command, Options, PluginCommand};
use crate::call;
use crate::check;
use crate::completion;
use crate::ended;
use crate::environment::Environment;
use crate::help;
use crate::info;
use crate::listing;
use crate::named;
use crate::new;
use crate::roles;
use crate::tree;
use crate::variables;

/// Does what the user's words ask for, shows how it ended and tells the status to exit with.
pub fn route(environment: &Environment, patience: Patience) -> u8 {
    // What clap would say of these words, too, after it has built the whole tree.
    if arguments::name_a_plugin(&environment.arguments) {
        let options = Options::default();
        return call::plugin(&environment.arguments, &options, environment, patience);
    }
    let words = std::iter::once(OsStr::new("bot-cli"))
        .chain(environment.arguments.iter().map(OsString::as_os_str));
    let arguments = match Arguments::try_parse_from(words) {
        Ok(arguments) => arguments,
        Err(error) => return refused(&error, environment),
    };
    let terminal = environment.terminal(&arguments.options);
    let result = match arguments.command {
        None => Ok(help::reply(help::host(environment), environment.look)),
        Some(Command::Help { command }) => match command.split_first() {
            None => Ok(help::reply(help::host(environment), environment.look)),
            Some((name, [])) if name == variables::TOPIC => Ok(variables::page(environment)),
            Some((name, _)) if arguments::RESERVED.contains(&name.as_str()) => {
                let mut words: Vec<OsString> = command.iter().map(OsString::from).collect();
                words.push("--help".into());
                own_help(&words, environment).result
            }
            Some((name, words)) => match named::plugin(name, words, environment, &terminal) {
                Ok(plugin) => help::of_words(&plugin, words, environment),
                Err(failure) => match roles::folder(name, environment) {
                    Some(pack) => roles::of_folder(&pack, Some(HelpForm::Long), environment),
                    None => Err(failure),
                },
            },
        },
        Some(Command::Plugin {
            command: PluginCommand::List,
        }) => Ok(listing::list(environment)),
        Some(Command::Plugin {
            command: PluginCommand::Info { name },
        }) => info::info(&name, environment),
        Some(Command::Plugin {
            command: PluginCommand::Add(arguments),
        }) => added::add(&arguments, environment, &terminal),
        Some(Command::Plugin {
            command: PluginCommand::Upgrade(arguments),
        }) => added::upgrade(&arguments, environment, &terminal),
        Some(Command::Plugin {
            command: PluginCommand::Remove(arguments),
        }) => added::remove(&arguments, environment, &terminal),
        Some(Command::Plugin {
            command: PluginCommand::Check(arguments),
        }) => {
            let file = check::file(&arguments.plugin, |name| {
                match named::plugin(name, &[], environment, &terminal) {
                    Ok(plugin) => Ok(plugin.file),
                    Err(failure) => match roles::folder(name, environment) {
                        Some(pack) => Ok(pack.place),
                        None if failure.exit == Exit::NotFound => {
                            Err(info::unknown(name, environment))
                        }
                        None => Err(failure),
                    },
                }
            });
            let outcome = match file {
                Ok(file) => check::check(&file, &arguments, &terminal, environment),
                Err(failure) => Outcome::new(Err(failure)),
            };
            return ended::report(&outcome, &terminal);
        }
        Some(Command::Plugin {
            command: PluginCommand::New(arguments),
        }) => new::write(&arguments, environment),
        Some(Command::Completions { shell, install }) if install => {
            completion::install::install(shell, &environment.completions)
        }
        Some(Command::Completions { shell, .. }) => Ok(completion::script(shell)),
        Some(Command::Complete { shell, words }) => Ok(completion::complete(
            shell,
            &words,
            &terminal,
            environment,
            patience,
        )),
        Some(Command::External(words)) => {
            return call::plugin(&words, &arguments.options, environment, patience);
        }
    };
    ended::report(&Outcome::new(result), &terminal)
}

/// Help and version are what clap calls errors, too.
fn refused(error: &clap::Error, environment: &Environment) -> u8 {
    let root = tree::from_clap(&arguments::command());
    let taken = words::take(&root, &environment.arguments);
    let terminal = environment.terminal(&Options::default().with(&taken));
    if error.kind() == ErrorKind::DisplayHelp {
        // Once more, with the plugins, which are looked for only now that somebody wants to see them.
        return terminal.report(&own_help(&environment.arguments, environment));
    }
    if error.kind() == ErrorKind::DisplayVersion && taken.json {
        return terminal.report(&Outcome::new(Ok(listing::versions(environment))));
    }
    let tree = arguments::command();
    let (mut command, mut name) = (&tree, "bot-cli".to_owned());
    for subcommand in taken.path.iter().skip(1) {
        command = command.find_subcommand(&subcommand.name).unwrap_or(command);
        name.extend([" ", &subcommand.name]);
    }
    terminal.report(&usage::outcome(
        error,
        command,
        &name,
        environment.look.stdout_color,
    ))
}

/// Returns what the host says to words that ask for its own help.
fn own_help(words: &[OsString], environment: &Environment) -> Outcome {
    let words = std::iter::once(OsStr::new("bot-cli")).chain(words.iter().map(OsString::as_os_str));
    let command = help::host(environment);
    match command.clone().try_get_matches_from(words) {
        Ok(_) => Outcome::new(Ok(Reply::default())),
        Err(help) => usage::outcome(&help, &command, "bot-cli", environment.look.stdout_color),
    }
}
