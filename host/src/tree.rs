//! Builds command trees from manifests, so that the host starts no plugin to show help: the complete tree of the host, and a plugin's
//! commands as clap commands.
//!
//! Manifests are not trusted. This module omits anything that clap would reject, and sanitizes text for the terminal.

use std::collections::HashSet;

use bot_cli_engine::discovery::{Plugin, Standing};
use bot_cli_protocol::words::{HostOption, Reader};
use bot_cli_protocol::{ArgumentKind, ArgumentSpec, CommandSpec, Role, ValueSpec};
use bot_cli_sdk::plugin::{spec_of, with_forms};
use bot_cli_terminal::{one_line, printable, table};
use clap::builder::{PossibleValue, StyledStr};
use clap::{Arg, ArgAction, Command};
use serde_json::Value;

use crate::arguments;
use crate::environment::Environment;

/// Reports whether users can run the plugin as a command.
pub fn is_command(plugin: &Plugin) -> bool {
    plugin
        .manifest
        .as_ref()
        .is_none_or(|manifest| manifest.role == Role::Command)
}

pub fn about_plugin(plugin: &Plugin) -> String {
    let about = plugin.manifest.as_ref().map_or_else(
        || format!("(runs {})", plugin.file.display()),
        |manifest| manifest.about.clone(),
    );
    one_line(&about)
}

/// Returns the last command of `path` as a clap command with the name `invocation`. The command has the inherited options and the options
/// that every plugin has. `is_versioned` adds `--version`.
pub fn command(path: &[&CommandSpec], invocation: &str, is_versioned: bool) -> Command {
    let Some((spec, above)) = path.split_last() else {
        return Command::new(invocation.to_owned());
    };
    let inherited = above.iter().flat_map(|command| &command.arguments);
    let mut spec = (*spec).clone();
    let inherited = inherited.filter(|argument| argument.global);
    spec.arguments.extend(inherited.cloned());
    let mut command = bare(&spec, invocation);
    let free: Vec<HostOption> = Reader::new(&spec).host_options().collect();
    for option in [HostOption::Json, HostOption::Verbose, HostOption::Quiet] {
        if free.contains(&option) {
            command = command.arg(common(option, &spec, ArgAction::SetTrue).help_heading("Output"));
        }
    }
    command = command.disable_help_flag(true);
    if free.contains(&HostOption::Help) {
        command = command.arg(common(HostOption::Help, &spec, ArgAction::HelpShort));
    }
    if is_versioned && above.is_empty() && free.contains(&HostOption::Version) {
        command = command.arg(common(HostOption::Version, &spec, ArgAction::SetTrue));
    }
    // In builds with assertions, clap would compare each name with all the others, which takes minutes for the largest trees.
    command.build();
    command.subcommands(subcommands(&spec))
}

/// Returns the subcommands for the help page, without duplicate names.
fn subcommands(spec: &CommandSpec) -> impl Iterator<Item = Command> {
    let mut names = HashSet::new();
    let subcommands = spec.commands.iter();
    subcommands
        .filter(move |subcommand| names.insert(&subcommand.name))
        .map(|subcommand| {
            Command::new(one_line(&subcommand.name))
                .about(one_line(&subcommand.about))
                .hide(subcommand.hidden)
        })
}

/// Returns a host option as a clap argument. Omits the short form if the command already uses the letter.
fn common(option: HostOption, spec: &CommandSpec, action: ArgAction) -> Arg {
    let taken = |letter: &char| {
        let mut arguments = spec.arguments.iter();
        arguments.any(|argument| argument.short == Some(*letter))
    };
    let argument = Arg::new(format!("--{}", option.long()))
        .long(option.long())
        .help(option.about());
    let argument = match option {
        HostOption::Json => with_forms(argument),
        HostOption::Verbose | HostOption::Quiet | HostOption::Help | HostOption::Version => {
            argument.action(action)
        }
    };
    match option.short().filter(|letter| !taken(letter)) {
        Some(letter) => argument.short(letter),
        None => argument,
    }
}

/// Returns the command as a clap command with the name `invocation`, without subcommands.
pub fn bare(spec: &CommandSpec, invocation: &str) -> Command {
    let mut command = Command::new(invocation.to_owned())
        .bin_name(invocation.to_owned())
        .disable_help_subcommand(true);
    if !spec.about.is_empty() {
        command = command.about(one_line(&spec.about));
    }
    if let Some(details) = &spec.details {
        command = command.long_about(printable(details, false));
    }
    let examples = spec.examples.as_ref().map(|it| printable(it, false));
    let result = spec.result.as_ref().map(result);
    let notes: Vec<String> = examples.into_iter().chain(result).collect();
    if !notes.is_empty() {
        command = command.after_help(notes.join("\n\n"));
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
                // clap rejects a repeated argument before another one, and a required argument after an optional one, unless `--` separates
                // them.
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
    command
}

/// Returns the members of a result, by its JSON Schema.
fn result(schema: &Value) -> String {
    let members = schema["properties"].as_object().into_iter().flatten();
    let rows: Vec<Vec<String>> = members
        .map(|(name, member)| {
            let name = format!("  {}", one_line(name));
            let about = member["description"].as_str().unwrap_or_default();
            vec![name, types(member), one_line(about)]
        })
        .collect();
    if rows.is_empty() {
        let about = schema["description"].as_str().unwrap_or("JSON");
        return format!("Result with --json: {} {}", types(schema), one_line(about));
    }
    format!("Result with --json:\n{}", table(&rows))
}

fn types(schema: &Value) -> String {
    let types = &schema["type"];
    let several = types.as_array().into_iter().flatten().chain([types]);
    let names: Vec<String> = several.filter_map(Value::as_str).map(one_line).collect();
    names.join(" or ")
}

/// Returns the command tree of the host, including all plugins and their commands, in the form of a manifest.
pub fn whole(environment: &Environment) -> CommandSpec {
    let mut plugins = Vec::new();
    for found in environment.discovery.all() {
        if let Standing::Used(plugin) = found.standing
            && is_command(&plugin)
        {
            let about = about_plugin(&plugin);
            let tree = plugin.manifest.and_then(|manifest| manifest.command);
            plugins.push(CommandSpec {
                name: found.name,
                about,
                aliases: Vec::new(),
                ..tree.unwrap_or_default()
            });
        }
    }
    let topic = ("environment", "The environment variables");
    let helped = plugins.iter().map(|plugin| (&*plugin.name, &*plugin.about));
    let helped: Vec<ValueSpec> = helped
        .chain([topic])
        .map(|(name, about)| ValueSpec {
            value: name.to_owned(),
            about: Some(about.to_owned()),
            ..ValueSpec::default()
        })
        .collect();
    let mut root = spec_of(&arguments::command());
    let mut commands = root.commands.iter_mut();
    if let Some(help) = commands.find(|command| command.name == "help") {
        for words in &mut help.arguments {
            words.values.clone_from(&helped);
        }
    }
    plugins.append(&mut root.commands);
    root.commands = plugins;
    root
}

/// The argument names, long options and short options that earlier arguments already use.
#[derive(Default)]
struct Taken {
    names: Vec<String>,
    longs: Vec<String>,
    shorts: Vec<char>,
}

impl Taken {
    fn argument(&mut self, spec: &ArgumentSpec) -> Option<Arg> {
        let long = spec.long.as_deref().map(one_line);
        let long = long.filter(|long| !long.is_empty() && !self.longs.contains(long));
        let short = spec
            .short
            .filter(|short| short.is_ascii_alphanumeric() && !self.shorts.contains(short));
        let positional = spec.kind == ArgumentKind::Positional;
        let name = one_line(&spec.name);
        if name.is_empty()
            || self.names.contains(&name)
            || (!positional && long.is_none() && short.is_none())
        {
            return None;
        }
        self.names.push(name.clone());
        let about = about(spec);
        let mut argument = Arg::new(name)
            .help(
                Some(about)
                    .filter(|about| !about.is_empty())
                    .map_or_else(StyledStr::new, StyledStr::from),
            )
            .hide(spec.hidden)
            .hide_possible_values(spec.values_hidden);
        if let Some(heading) = spec.heading.as_deref().map(one_line) {
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
            ArgumentKind::Flag if HostOption::meant_by(spec) == Some(HostOption::Json) => {
                with_forms(argument)
            }
            ArgumentKind::Flag => argument.action(ArgAction::SetTrue),
            ArgumentKind::Option | ArgumentKind::Positional => valued(argument, spec),
        })
    }
}

fn valued(mut argument: Arg, spec: &ArgumentSpec) -> Arg {
    let named = spec.value_name.as_deref().map(one_line);
    let name = named.filter(|name| !name.is_empty());
    argument = argument.value_name(name.unwrap_or_else(|| one_line(&spec.name).to_uppercase()));
    if !spec.values.is_empty() {
        let values: Vec<PossibleValue> = spec
            .values
            .iter()
            .map(|value| {
                let about = value.about.as_deref().map(one_line);
                let shown = PossibleValue::new(one_line(&value.value));
                match about.filter(|about| !about.is_empty()) {
                    Some(about) => shown.help(about),
                    None => shown,
                }
            })
            .collect();
        argument = argument.value_parser(values);
    }
    argument
}

/// Returns the argument's description, with the default value appended as text. With a real default, clap would check the value against the
/// allowed values.
fn about(spec: &ArgumentSpec) -> String {
    let mut about = one_line(&spec.about);
    if let Some(default) = &spec.default {
        about.extend([" [default: ", &one_line(default), "]"]);
    }
    about.trim_start().to_owned()
}

#[cfg(test)]
mod tests {
    use bot_cli_protocol::CommandSpec;

    use super::command;

    #[test]
    fn the_largest_tree_is_listed_whole() {
        let mut root = CommandSpec::new("all", "All of them");
        root.commands = (1..=20_000)
            .map(|number| CommandSpec::new(format!("c{number}"), format!("Number {number}")))
            .collect();
        let help = command(&[&root], "bot-cli all", false).render_help();
        let help = help.to_string();
        assert!(help.contains("Usage: bot-cli all [OPTIONS] [COMMAND]"));
        assert!(help.contains("\n  c1      Number 1\n"));
        assert!(help.contains("\n  c20000  Number 20000\n"));
    }

    #[test]
    fn values_are_shown_with_what_is_said_of_them() {
        let root = serde_json::json!({ "name": "all", "arguments": [{
            "name": "line", "kind": "option", "long": "line",
            "values": [{ "value": "carrier_a", "about": "Twilio" }, { "value": "none" }],
        }] });
        let root: CommandSpec = serde_json::from_value(root).unwrap();
        let help = command(&[&root], "bot-cli all", false).render_long_help();
        let help = help.to_string();
        assert!(help.contains("- carrier_a: Twilio\n"), "{help}");
        assert!(help.contains("- none\n"), "{help}");
    }
}
