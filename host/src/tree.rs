//! A plugin's command tree, from its manifest, in clap's form: help is rendered without starting the plugin.
//!
//! A manifest is a stranger's. Whatever clap would not accept is left out, and text is made fit for a terminal.

use bot_cli_sdk::protocol::{ArgumentKind, ArgumentSpec, CommandSpec};
use bot_cli_sdk::terminal::printable;
use clap::builder::PossibleValue;
use clap::{Arg, ArgAction, Command};

/// The subcommand that the words lead to, with the options that it takes over from those above, and the words that
/// name it.
pub fn find(root: &CommandSpec, words: &[String]) -> (CommandSpec, Vec<String>) {
    let mut command = root;
    let mut path = Vec::new();
    let mut inherited = Vec::new();
    for word in words {
        let named =
            |c: &&CommandSpec| c.name == *word || c.aliases.iter().any(|alias| alias == word);
        if let Some(found) = command.commands.iter().find(named) {
            let global = |argument: &&ArgumentSpec| argument.global;
            inherited.extend(command.arguments.iter().filter(global).cloned());
            command = found;
            path.push(found.name.clone());
        }
    }
    let mut command = command.clone();
    command.arguments.extend(inherited);
    (command, path)
}

/// Whether some command of the tree has an option of its own by that name.
pub fn takes(command: &CommandSpec, long: &str, short: Option<char>) -> bool {
    let own = |argument: &ArgumentSpec| {
        let named = argument.long.as_deref() == Some(long);
        let same = short.is_some() && argument.short == short;
        // The library gives every plugin this flag with the host's own meaning.
        let common = named && same && argument.global && argument.kind == ArgumentKind::Flag;
        (named || same) && !common
    };
    command.arguments.iter().any(own)
        || command
            .commands
            .iter()
            .any(|subcommand| takes(subcommand, long, short))
}

/// The command as clap shows it under the name `invocation`.
pub fn command(spec: &CommandSpec, invocation: &str) -> Command {
    let mut command = Command::new(invocation.to_owned())
        .bin_name(invocation.to_owned())
        .disable_help_subcommand(true)
        .about(line(&spec.about));
    if let Some(details) = &spec.details {
        command = command.long_about(printable(details, false));
    }
    if let Some(examples) = &spec.examples {
        command = command.after_help(printable(examples, false));
    }
    let mut taken = Taken::default();
    let mut required = true;
    let last = spec
        .arguments
        .iter()
        .rposition(|argument| argument.kind == ArgumentKind::Positional);
    for (index, argument) in spec.arguments.iter().enumerate() {
        if let Some(mut built) = taken.argument(argument) {
            if argument.kind == ArgumentKind::Positional {
                // clap accepts neither several before another nor a required one after an optional one, unless `--` is
                // between them.
                let last_of_all = argument.last && Some(index) == last;
                required = argument.required && (required || last_of_all);
                built = built.required(required).last(last_of_all);
                if argument.repeatable && Some(index) == last {
                    built = built.num_args(if required { 1.. } else { 0.. });
                }
            }
            command = command.arg(built);
        }
    }
    let mut names = Vec::new();
    for subcommand in &spec.commands {
        if !names.contains(&&subcommand.name) {
            names.push(&subcommand.name);
            command = command.subcommand(
                Command::new(line(&subcommand.name))
                    .about(line(&subcommand.about))
                    .hide(subcommand.hidden),
            );
        }
    }
    command
}

/// The names that arguments have already.
struct Taken {
    names: Vec<String>,
    longs: Vec<String>,
    shorts: Vec<char>,
}

impl Default for Taken {
    fn default() -> Self {
        Self {
            names: vec!["help".to_owned()],
            longs: vec!["help".to_owned()],
            shorts: vec!['h'],
        }
    }
}

impl Taken {
    fn argument(&mut self, spec: &ArgumentSpec) -> Option<Arg> {
        let long = spec.long.as_deref().map(line);
        let long = long.filter(|long| !long.is_empty() && !self.longs.contains(long));
        let short = spec
            .short
            .filter(|short| short.is_ascii_alphanumeric() && !self.shorts.contains(short));
        let positional = spec.kind == ArgumentKind::Positional;
        let name = line(&spec.name);
        if name.is_empty()
            || self.names.contains(&name)
            || (!positional && long.is_none() && short.is_none())
        {
            return None;
        }
        self.names.push(name.clone());
        let mut argument = Arg::new(name)
            .help(about(spec))
            .hide(spec.hidden)
            .hide_possible_values(spec.values_hidden);
        if let Some(heading) = spec.heading.as_deref().map(line) {
            argument = argument.help_heading(heading);
        }
        if !positional {
            self.longs.extend(long.clone());
            self.shorts.extend(short);
            argument = argument.required(spec.required);
            if let Some(long) = long {
                argument = argument.long(long);
            }
            if let Some(short) = short {
                argument = argument.short(short);
            }
        }
        Some(match spec.kind {
            ArgumentKind::Flag => argument.action(ArgAction::SetTrue),
            ArgumentKind::Option | ArgumentKind::Positional | _ => valued(argument, spec),
        })
    }
}

fn valued(mut argument: Arg, spec: &ArgumentSpec) -> Arg {
    if let Some(name) = spec
        .value_name
        .as_deref()
        .map(line)
        .filter(|n| !n.is_empty())
    {
        argument = argument.value_name(name);
    }
    if !spec.values.is_empty() {
        let values: Vec<PossibleValue> = spec
            .values
            .iter()
            .map(|value| PossibleValue::new(line(&value.value)))
            .collect();
        argument = argument.value_parser(values);
    }
    argument
}

/// A default stands in the words: clap would hold it against the values.
fn about(spec: &ArgumentSpec) -> String {
    let mut about = line(&spec.about);
    if let Some(default) = &spec.default {
        about.extend([" [default: ", &line(default), "]"]);
    }
    about.trim_start().to_owned()
}

fn line(text: &str) -> String {
    printable(text, false).replace('\n', " ")
}
