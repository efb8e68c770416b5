//! From the user's words to what does the work.

use std::ffi::{OsStr, OsString};

use bot_cli_sdk::complete;
use bot_cli_sdk::discovery::{Plugin, PluginName, Standing};
use bot_cli_sdk::driver::Patience;
use bot_cli_sdk::failure::{Exit, Failure};
use bot_cli_sdk::outcome::{Format, Outcome, Reply};
use bot_cli_sdk::plugin::usage;
use bot_cli_sdk::protocol::{ArgumentKind, CommandSpec, Manifest};
use bot_cli_sdk::suggest;
use bot_cli_sdk::terminal::{Terminal, Verbosity};
use clap::Parser;
use clap::error::ErrorKind;

use crate::arguments::{self, Arguments, Command, Options, PluginCommand};
use crate::check;
use crate::completion;
use crate::environment::Environment;
use crate::help;
use crate::listing;
use crate::new;
use crate::run;
use crate::tree;

/// Does what the user's words ask for, shows how it ended and tells the status to exit with.
pub fn route(environment: &Environment, patience: Patience) -> u8 {
    let words = std::iter::once(OsStr::new("bot-cli"))
        .chain(environment.arguments.iter().map(OsString::as_os_str));
    let arguments = match Arguments::try_parse_from(words) {
        Ok(arguments) => arguments,
        Err(error) => {
            return terminal(environment, &Options::default())
                .report(&refused(&error, environment));
        }
    };
    let terminal = terminal(environment, &arguments.options);
    let result = match arguments.command {
        None => Ok(help::reply(help::host(environment), environment.look)),
        Some(Command::Help { command }) => match command.split_first() {
            None => Ok(help::reply(help::host(environment), environment.look)),
            Some((name, _)) if arguments::RESERVED.contains(&name.as_str()) => {
                let mut words: Vec<OsString> = command.iter().map(OsString::from).collect();
                words.push("--help".into());
                own_help(&words, environment).result
            }
            Some((name, words)) => help_for(name, words, environment),
        },
        Some(Command::Plugin {
            command: PluginCommand::List,
        }) => Ok(listing::list(environment)),
        Some(Command::Plugin {
            command: PluginCommand::Check(arguments),
        }) => {
            let file = check::file(&arguments.plugin, |name| named(name, environment));
            return terminal.report(&match file {
                Ok(file) => check::check(&file, &arguments, &terminal),
                Err(failure) => Outcome::new(Err(failure)),
            });
        }
        Some(Command::Plugin {
            command: PluginCommand::New(arguments),
        }) => new::write(&arguments),
        Some(Command::Completions { shell }) => Ok(completion::script(shell)),
        Some(Command::Complete { words }) => Ok(completion::complete(
            &words,
            &terminal,
            environment,
            patience,
        )),
        Some(Command::External(words)) => {
            return external(&words, &arguments.options, environment, patience);
        }
    };
    terminal.report(&Outcome::new(result))
}

/// Help and version are what clap calls errors, too.
fn refused(error: &clap::Error, environment: &Environment) -> Outcome {
    if error.kind() == ErrorKind::DisplayHelp {
        // Once more, with the plugins, which are looked for only now that somebody wants to see them.
        return own_help(&environment.arguments, environment);
    }
    let built_in = environment
        .arguments
        .iter()
        .find_map(|word| arguments::RESERVED.into_iter().find(|name| word == name));
    let name = built_in.map_or_else(|| "bot-cli".to_owned(), |name| format!("bot-cli {name}"));
    let tree = arguments::command();
    let command = built_in.and_then(|name| tree.find_subcommand(name));
    let command = command.unwrap_or(&tree);
    let mut outcome = usage::outcome(error, command, &name, environment.look.stdout_color);
    if let Err(failure) = &mut outcome.result
        && built_in == Some("plugin")
        && error.kind() != ErrorKind::UnknownArgument
    {
        failure.hints.insert(0, "bot-cli plugin list".to_owned());
    }
    outcome
}

/// What the host says to words that ask for its own help.
fn own_help(words: &[OsString], environment: &Environment) -> Outcome {
    let words = std::iter::once(OsStr::new("bot-cli")).chain(words.iter().map(OsString::as_os_str));
    let command = help::host(environment);
    match command.clone().try_get_matches_from(words) {
        Ok(_) => Outcome::new(Ok(Reply::default())),
        Err(help) => usage::outcome(&help, &command, "bot-cli", environment.look.stdout_color),
    }
}

fn terminal(environment: &Environment, options: &Options) -> Terminal {
    let format = if options.json {
        Format::Json
    } else {
        usage::format_of(&environment.arguments)
    };
    let verbosity = Verbosity::new(options.quiet, options.verbose);
    Terminal::new(environment.look, verbosity, format)
}

/// Runs a plugin with the words after its name.
fn external(
    words: &[OsString],
    options: &Options,
    environment: &Environment,
    patience: Patience,
) -> u8 {
    let mut terminal = terminal(environment, options);
    let Some((name, words)) = words.split_first() else {
        return terminal.report(&Outcome::new(Ok(Reply::default())));
    };
    let plugin = match named(&name.to_string_lossy(), environment) {
        Ok(plugin) => plugin,
        Err(failure) => return terminal.report(&Outcome::new(Err(failure))),
    };
    let outcome = match &plugin.manifest {
        Some(manifest) => {
            let (common, others) = common(options, words, manifest.command.as_ref());
            terminal = self::terminal(environment, &common);
            if !common.json && is_direct(&plugin, &others) {
                let words = [flags(options, manifest), words.to_vec()].concat();
                Outcome::new(Err(run::become_it(&plugin, &words, environment)))
            } else {
                declared(&plugin, manifest, &others, &terminal, environment, patience)
            }
        }
        None => Outcome::new(Err(undeclared(&plugin, words, options, environment))),
    };
    terminal.report(&outcome)
}

fn undeclared(
    plugin: &Plugin,
    words: &[OsString],
    options: &Options,
    environment: &Environment,
) -> Failure {
    if options.json || options.quiet || options.verbose > 0 {
        return Failure::new(
            Exit::Usage,
            "usage",
            format!(
                "`{}` is an ordinary command, which options before its name don't reach",
                plugin.name
            ),
        )
        .hint(format!("bot-cli {} [OPTIONS]", plugin.name));
    }
    run::become_it(plugin, words, environment)
}

/// Whether the words call a command that works on the user's own terminal and streams. A document, help and a version
/// need neither.
fn is_direct(plugin: &Plugin, words: &[OsString]) -> bool {
    let spec = plugin.manifest.as_ref().and_then(|m| m.command.as_ref());
    let shown: Vec<String> = words
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    help::is_command(plugin)
        && !has_word(words, &["--help", "-h", "--version", "-V"])
        && spec.is_some_and(|spec| complete::called(spec, &shown).direct)
}

/// The options before the plugin's name, as far as the plugin has them, too.
fn flags(options: &Options, manifest: &Manifest) -> Vec<OsString> {
    let root = manifest.command.iter().flat_map(|root| &root.arguments);
    let common: Vec<&str> = root
        .filter(|argument| argument.global && argument.kind == ArgumentKind::Flag)
        .filter_map(|argument| argument.long.as_deref())
        .collect();
    let wanted = [
        ("verbose", options.verbose),
        ("quiet", u8::from(options.quiet)),
    ];
    wanted
        .into_iter()
        .filter(|(name, _)| common.contains(name))
        .flat_map(|(name, count)| (0..count).map(move |_| format!("--{name}").into()))
        .collect()
}

fn declared(
    plugin: &Plugin,
    manifest: &Manifest,
    words: &[OsString],
    terminal: &Terminal,
    environment: &Environment,
    patience: Patience,
) -> Outcome {
    if !help::is_command(plugin) {
        return Outcome::new(Err(Failure::new(
            Exit::Usage,
            "not_a_command",
            format!("`{}` serves other plugins and is no command", plugin.name),
        )
        .hint("bot-cli plugin list")));
    }
    let Some(words) = texts(words) else {
        return Outcome::new(Err(Failure::new(
            Exit::Usage,
            "usage",
            "an argument is not UTF-8",
        )));
    };
    if has_word(&words, &["--help", "-h"]) {
        return Outcome::new(Ok(help::plugin(plugin, manifest, &words, environment.look)));
    }
    if let [word] = words.as_slice()
        && (word == "--version" || word == "-V")
        && !manifest.version.is_empty()
    {
        return Outcome::new(Ok(help::version(plugin, manifest)));
    }
    run::drive(plugin, words, terminal, environment, patience)
}

/// Takes the options that belong to the host wherever they stand: `--json` always, the others as far as the plugin is
/// known to have no use of its own for them.
fn common(
    options: &Options,
    words: &[OsString],
    spec: Option<&CommandSpec>,
) -> (Options, Vec<OsString>) {
    let free = |long, short| spec.is_some_and(|spec| !tree::takes(spec, long, Some(short)));
    let (verbose, quiet) = (free("verbose", 'v'), free("quiet", 'q'));
    let mut options = options.clone();
    let mut only_values = false;
    let mut others = Vec::new();
    for word in words {
        only_values |= word == "--";
        match word.to_str().filter(|_| !only_values) {
            Some("--json") => options.json = true,
            Some("-v" | "--verbose") if verbose => {
                options.verbose = options.verbose.saturating_add(1);
            }
            Some("-vv") if verbose => options.verbose = options.verbose.saturating_add(2),
            Some("-q" | "--quiet") if quiet => options.quiet = true,
            _ => others.push(word.clone()),
        }
    }
    (options, others)
}

/// The plugin of that name.
fn named(name: &str, environment: &Environment) -> Result<Plugin, Failure> {
    let refused = match PluginName::parse(name) {
        Some(name) => match environment.discovery.by_name(&name) {
            Ok(plugin) => return Ok(plugin),
            Err(refused) => refused,
        },
        None => Vec::new(),
    };
    if let Some((file, unusable)) = refused.first() {
        let failure = Failure::new(
            Exit::NotRunnable,
            "not_runnable",
            format!("`{}` is not run: {}", file.display(), unusable.reason()),
        );
        return Err(match unusable.remedy(file) {
            Some(remedy) => failure.hint(remedy),
            None => failure,
        });
    }
    Err(unknown(name, environment))
}

fn unknown(name: &str, environment: &Environment) -> Failure {
    let found = environment.discovery.all(&arguments::RESERVED);
    let commands = found.iter().filter_map(|found| match &found.standing {
        Standing::Usable(plugin) if help::is_command(plugin) => Some(found.name.as_str()),
        Standing::Usable(_)
        | Standing::Shadowed(_)
        | Standing::Unusable(_)
        | Standing::Misnamed => None,
    });
    let commands: Vec<&str> = commands.chain(arguments::RESERVED).collect();
    // A word that is no name at all may be a secret in the wrong place.
    let message =
        if suggest::is_plain(name) || suggest::slip(name, commands.iter().copied()).is_some() {
            format!("there is no command `{name}`")
        } else {
            "there is no such command".to_owned()
        };
    let failure = Failure::new(Exit::NotFound, "not_found", message);
    let near = suggest::near(name, commands.into_iter());
    let failure = if near.is_empty() {
        failure
    } else {
        failure.hint(format!("did you mean `{}`?", near.join("` or `")))
    };
    failure.hint("bot-cli --help")
}

fn help_for(name: &str, words: &[String], environment: &Environment) -> Result<Reply, Failure> {
    let plugin = named(name, environment)?;
    if let Some(manifest) = &plugin.manifest {
        return Ok(help::plugin(&plugin, manifest, words, environment.look));
    }
    let mut words: Vec<OsString> = words.iter().map(OsString::from).collect();
    words.push("--help".into());
    Err(run::become_it(&plugin, &words, environment))
}

fn texts(words: &[OsString]) -> Option<Vec<String>> {
    words
        .iter()
        .map(|word| word.to_str().map(str::to_owned))
        .collect()
}

/// Whether one of `wanted` stands before a `--`.
fn has_word(words: &[impl AsRef<OsStr>], wanted: &[&str]) -> bool {
    words
        .iter()
        .map(AsRef::as_ref)
        .take_while(|word| *word != "--")
        .any(|word| wanted.iter().any(|wanted| word == *wanted))
}
