//! The plugin's file and the manifest in it.

use std::fs;

use super::{Held, failed};
use crate::conformance::bench::Bench;
use crate::discovery::PluginName;
use crate::failure::reason;
use crate::platform::files::is_executable;
use crate::protocol::{self, ArgumentKind, ArgumentSpec, CommandSpec};

/// The file can be executed.
pub fn executable(bench: &Bench) -> Held {
    mode(bench)?;
    bench.start().map(drop)
}

/// The file may be executed.
pub fn mode(bench: &Bench) -> Held {
    match fs::metadata(bench.program()) {
        Err(error) => failed(format!("its file can't be found: {}", reason(&error))),
        Ok(facts) if !facts.is_file() => failed("it is not a file"),
        Ok(facts) if !is_executable(bench.program(), &facts) => failed("it is not executable"),
        Ok(_) => Ok(()),
    }
}

/// The file has a manifest.
pub fn manifest(bench: &Bench) -> Held {
    bench.declared().map(drop)
}

/// The manifest names a version of this protocol.
pub fn protocol(bench: &Bench) -> Held {
    let version = &bench.declared()?.protocol;
    if protocol::serves(version) {
        return Ok(());
    }
    failed(format!("its `protocol` is `{version}`"))
}

/// The plugin has the name of its file.
pub fn name(bench: &Bench) -> Held {
    let name = &bench.declared()?.name;
    if PluginName::parse(name).is_none() {
        return failed(format!("its `name` is `{name}`, which can't be a name"));
    }
    match bench.file_name() {
        Some(file) if file == name => Ok(()),
        Some(file) => failed(format!(
            "its `name` is `{name}`, and its file is `bot-cli-{file}`"
        )),
        None => failed("the name of its file does not begin with `bot-cli-`"),
    }
}

/// The command tree can be shown and used.
pub fn command_tree(bench: &Bench) -> Held {
    let manifest = bench.declared()?;
    let Some(root) = &manifest.command else {
        return Ok(());
    };
    if root.name != manifest.name {
        return failed(format!(
            "the root of `command` is named `{}`, the plugin `{}`",
            root.name, manifest.name
        ));
    }
    command(root, &[], &root.name)
}

fn command(command: &CommandSpec, above: &[&ArgumentSpec], path: &str) -> Held {
    let mut visible: Vec<&ArgumentSpec> = above.to_vec();
    for argument in &command.arguments {
        self::argument(argument, path)?;
        for other in &visible {
            if let Some(what) = clash(argument, other) {
                return failed(format!("`{path}` has {what} twice"));
            }
        }
        visible.push(argument);
    }
    let inherited: Vec<&ArgumentSpec> = visible
        .into_iter()
        .filter(|argument| argument.global)
        .collect();
    for (index, subcommand) in command.commands.iter().enumerate() {
        let name = &subcommand.name;
        if name.is_empty() || name.contains(char::is_whitespace) {
            return failed(format!("a command of `{path}` is named `{name}`"));
        }
        if command.commands[..index]
            .iter()
            .any(|other| other.name == *name)
        {
            return failed(format!("`{path}` has the command `{name}` twice"));
        }
        self::command(subcommand, &inherited, &format!("{path} {name}"))?;
    }
    Ok(())
}

fn argument(argument: &ArgumentSpec, path: &str) -> Held {
    let name = &argument.name;
    let snake_case = name.starts_with(|first: char| first.is_ascii_lowercase())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    if !snake_case {
        return failed(format!(
            "an argument of `{path}` is named `{name}`, which is not `snake_case`"
        ));
    }
    let option = argument.kind != ArgumentKind::Positional;
    if option && argument.long.is_none() && argument.short.is_none() {
        return failed(format!(
            "the option `{name}` of `{path}` has neither `long` nor `short`"
        ));
    }
    if argument
        .long
        .as_deref()
        .is_some_and(|long| long.starts_with('-'))
    {
        return failed(format!(
            "`long` of `{name}` of `{path}` begins with a hyphen: `stt` stands for `--stt`"
        ));
    }
    Ok(())
}

/// Returns what both arguments have.
fn clash(one: &ArgumentSpec, other: &ArgumentSpec) -> Option<String> {
    if one.name == other.name {
        return Some(format!("the argument `{}`", one.name));
    }
    if let Some(long) = one.long.as_deref().filter(|_| one.long == other.long) {
        return Some(format!("the option `--{long}`"));
    }
    let short = one.short.filter(|_| one.short == other.short)?;
    Some(format!("the option `-{short}`"))
}
