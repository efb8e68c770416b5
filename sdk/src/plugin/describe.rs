//! Generates the manifest from a clap command tree.

use clap::builder::StyledStr;
use clap::{Arg, ArgAction, ValueHint};
use serde_json::json;

use super::{Command, surface};
use bot_cli_protocol::{
    ArgumentKind, ArgumentSpec, CommandSpec, Completion, Manifest, ValueSpec, VariableSpec,
};

pub fn manifest<C: Command>() -> Manifest {
    let command = C::command();
    let name = name(&command);
    let command = built(command, &name);
    C::described(Manifest {
        version: command.get_version().unwrap_or_default().to_owned(),
        about: text(command.get_about()),
        role: C::ROLE,
        uses: C::uses()
            .into_iter()
            .map(|(role, uses)| (role.name().to_owned(), uses))
            .collect(),
        environment: C::ENVIRONMENT
            .iter()
            .map(|&(name, about)| VariableSpec {
                name: name.to_owned(),
                about: about.to_owned(),
            })
            .collect(),
        command: Some(root::<C>(&command, &name)),
        ..Manifest::new(name)
    })
}

/// Returns only the command tree from the manifest.
pub fn tree<C: Command>() -> CommandSpec {
    let command = C::command();
    let name = name(&command);
    root::<C>(&built(command, &name), &name)
}

fn built(command: clap::Command, name: &str) -> clap::Command {
    let mut command = surface::of(command, name);
    command.build();
    command
}

fn root<C: Command>(command: &clap::Command, name: &str) -> CommandSpec {
    let mut root = spec(command, "", C::DIRECT, C::COMPLETES);
    for (path, schema) in C::RESULTS {
        let found = path
            .split_whitespace()
            .try_fold(&mut root, |command, name| {
                let mut commands = command.commands.iter_mut();
                commands.find(|command| command.name == name)
            });
        if let Some(command) = found {
            let schema = serde_json::from_str(schema).unwrap_or_else(|_| json!(schema));
            command.result = Some(schema);
        }
    }
    name.clone_into(&mut root.name);
    leave_out_help(&mut root);
    root
}

/// Recursively removes the `help` commands that clap adds.
fn leave_out_help(command: &mut CommandSpec) {
    command.commands.retain(|command| command.name != "help");
    command.commands.iter_mut().for_each(leave_out_help);
}

/// Converts a clap command tree into its manifest form.
pub fn spec_of(command: &clap::Command) -> CommandSpec {
    spec(command, "", &[], &[])
}

/// Returns the plugin's name, which is the clap command's name without the `bot-cli-` prefix.
pub fn name(command: &clap::Command) -> String {
    let name = command.get_name();
    name.strip_prefix("bot-cli-").unwrap_or(name).to_owned()
}

/// Converts a command. `path` contains the names of the command and its parents, excluding the root. `direct` and `completes` are
/// [`Command::DIRECT`] and [`Command::COMPLETES`].
fn spec(command: &clap::Command, path: &str, direct: &[&str], completes: &[&str]) -> CommandSpec {
    CommandSpec {
        result: None,
        name: command.get_name().to_owned(),
        about: text(command.get_about()),
        details: command.get_long_about().map(ToString::to_string),
        examples: command
            .get_after_long_help()
            .or_else(|| command.get_after_help())
            .map(ToString::to_string),
        aliases: command.get_visible_aliases().map(str::to_owned).collect(),
        hidden: command.is_hide_set(),
        direct: direct.contains(&path),
        arguments: command
            .get_arguments()
            // `build` copies the common options into every subcommand. The manifest lists them only at the root.
            .filter(|argument| path.is_empty() || !surface::is_common(argument.get_id().as_str()))
            .filter(|argument| !is_help(argument))
            .map(|argument| self::argument(argument, completes))
            .collect(),
        commands: command
            .get_subcommands()
            .map(|subcommand| {
                let path = format!("{path} {}", subcommand.get_name());
                spec(subcommand, path.trim(), direct, completes)
            })
            .collect(),
    }
}

fn text(text: Option<&StyledStr>) -> String {
    text.map(ToString::to_string).unwrap_or_default()
}

fn is_help(argument: &Arg) -> bool {
    matches!(
        argument.get_action(),
        ArgAction::Help | ArgAction::HelpShort | ArgAction::HelpLong | ArgAction::Version
    )
}

fn argument(argument: &Arg, completes: &[&str]) -> ArgumentSpec {
    // The next word is never the value of `--json`.
    let takes_value = argument.get_action().takes_values() && !surface::is_json(argument);
    let name = argument.get_id().as_str();
    let value_names = argument.get_value_names().filter(|_| takes_value);
    let value_names = value_names.unwrap_or_default();
    let default = argument.get_default_values().first();
    let default = default.filter(|_| takes_value);
    ArgumentSpec {
        name: name.to_owned(),
        kind: match (argument.is_positional(), takes_value) {
            (true, _) => ArgumentKind::Positional,
            (false, true) => ArgumentKind::Option,
            (false, false) => ArgumentKind::Flag,
        },
        long: argument.get_long().map(str::to_owned),
        short: argument.get_short(),
        aliases: argument
            .get_visible_aliases()
            .unwrap_or_default()
            .into_iter()
            .map(str::to_owned)
            .collect(),
        about: text(argument.get_help()),
        heading: argument.get_help_heading().map(str::to_owned),
        value_name: value_names.first().map(ToString::to_string),
        required: argument.is_required_set(),
        repeatable: is_repeatable(argument),
        last: argument.is_last_set(),
        default: default.and_then(|value| Some(value.to_str()?.to_owned())),
        values: if takes_value {
            values(argument)
        } else {
            Vec::new()
        },
        values_hidden: takes_value && argument.is_hide_possible_values_set(),
        completion: completion(argument, completes.contains(&name)),
        global: argument.is_global_set(),
        hidden: argument.is_hide_set(),
    }
}

fn is_repeatable(argument: &Arg) -> bool {
    matches!(argument.get_action(), ArgAction::Append | ArgAction::Count)
        || argument
            .get_num_args()
            .is_some_and(|count| count.max_values() > 1)
}

fn values(argument: &Arg) -> Vec<ValueSpec> {
    let values = argument.get_possible_values();
    values
        .into_iter()
        .filter(|value| !value.is_hide_set())
        .map(|value| ValueSpec {
            value: value.get_name().to_owned(),
            about: value.get_help().map(ToString::to_string),
            aliases: value
                .get_name_and_aliases()
                .skip(1)
                .map(str::to_owned)
                .collect(),
        })
        .collect()
}

#[expect(clippy::wildcard_enum_match_arm, reason = "few hints are completed")]
fn completion(argument: &Arg, dynamic: bool) -> Completion {
    match argument.get_value_hint() {
        _ if dynamic => Completion::Dynamic,
        ValueHint::FilePath | ValueHint::AnyPath | ValueHint::ExecutablePath => Completion::File,
        ValueHint::DirPath => Completion::Folder,
        ValueHint::CommandName | ValueHint::CommandWithArguments => Completion::Command,
        _ => Completion::None,
    }
}
