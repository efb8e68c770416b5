//! Converts clap's errors into outcomes. Help becomes a reply, and a usage error becomes a failure with the invalid field and a hint.
//!
//! clap's messages quote the user's arguments, any of which may be a misplaced secret. This module's messages quote an argument only if it
//! resembles a known name, or looks like a name or a path. They suggest only known names.

#[cfg(test)]
mod tests;

use std::ffi::OsStr;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use serde_json::{Value, json};

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::outcome::{Outcome, Reply};
use bot_cli_protocol::suggest;
use bot_cli_protocol::words::Reader;
use bot_cli_protocol::{ArgumentKind, CommandSpec};

/// Prefixes that users of other tools put before the name of an option.
const VERBS: [&str; 4] = ["add-", "enable-", "use-", "with-"];

/// Converts help and version output into a reply, and any other error into a failure. `name` is the root command as the user typed it, and
/// `words` are its arguments.
pub fn outcome<W: AsRef<OsStr>>(
    error: &clap::Error,
    name: &str,
    root: &CommandSpec,
    words: &[W],
    color: bool,
) -> Outcome {
    let plain = error.render().to_string();
    // clap shows help if a required subcommand is missing and no arguments are given.
    let is_help = matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    );
    let data = if is_help {
        json!({ "help": plain })
    } else if error.kind() == ErrorKind::DisplayVersion {
        version(name, &plain)
    } else {
        return Outcome::new(Err(failure(error, name, root, words)));
    };
    let text = if color {
        error.render().ansi().to_string()
    } else {
        plain
    };
    Outcome::new(Ok(Reply::text(text).data(data)))
}

/// Converts clap's version text, such as `bot-cli init 0.1.0`, into a document with the plugin's name and version.
fn version(name: &str, text: &str) -> Value {
    let version = text.trim();
    let version = version.strip_prefix(name).unwrap_or(version).trim();
    let name = name.rsplit(' ').next().unwrap_or(name);
    let name = name.strip_prefix("bot-cli-").unwrap_or(name);
    json!({ "name": name, "version": version })
}

/// Converts a usage error in `words` into a failure. `name` is the root command as the user typed it.
#[expect(clippy::wildcard_enum_match_arm, reason = "clap may add kinds")]
pub fn failure<W: AsRef<OsStr>>(
    error: &clap::Error,
    name: &str,
    root: &CommandSpec,
    words: &[W],
) -> Failure {
    let mut reader = Reader::new(root);
    for word in words {
        reader.read(&word.as_ref().to_string_lossy());
    }
    let names = reader.path().iter().skip(1);
    let called = names.fold(name.to_owned(), |called, command| {
        format!("{called} {}", command.name)
    });
    let failure = match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let word = text(error, ContextKind::InvalidSubcommand);
            suggest::no_such_command(reader.command(), &called, &word)
        }
        ErrorKind::UnknownArgument => unexpected(error, &reader, &called),
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => wrong_value(error),
        ErrorKind::MissingRequiredArgument => missing(error, &reader),
        ErrorKind::ArgumentConflict => usage(conflict(error)),
        _ => usage(other(error, &called)),
    };
    failure.hint(format!("{called} --help"))
}

fn usage(message: impl Into<String>) -> Failure {
    Failure::new(Exit::Usage, "usage", message)
}

fn unexpected(error: &clap::Error, reader: &Reader, called: &str) -> Failure {
    let word = argument(error);
    let name = word.trim_start_matches('-');
    if name.len() == word.len() || name.is_empty() {
        return separated(
            usage(if suggest::is_plain_path(&word) {
                format!("unexpected argument `{word}`")
            } else {
                "unexpected argument, which is not shown because it may be a secret".to_owned()
            }),
            reader,
        );
    }
    let known: Vec<&str> = reader
        .options_here()
        .filter_map(|option| option.long.as_deref())
        .chain(["help", "version"])
        .collect();
    let plain = VERBS.iter().find_map(|verb| name.strip_prefix(verb));
    let mut meant = [Some(name), plain].into_iter().flatten();
    let meant = meant
        .find_map(|name| {
            let meant = suggest::meant(name, known.iter().copied());
            (!meant.is_empty()).then_some(meant)
        })
        .unwrap_or_default();
    let mut meant: Vec<String> = meant.iter().map(|name| format!("--{name}")).collect();
    if let Some(word) = positional(name, reader) {
        meant = vec![format!("{called} {word}")];
    }
    // clap reports only one letter of a cluster of short options.
    if meant.is_empty() && name.chars().count() > 1 && !suggest::is_plain(name) {
        return usage("unexpected option, which is not shown because it may hold a value");
    }
    suggested(usage(format!("unexpected argument `{word}`")), &meant)
}

/// Adds a hint for commands that start a program.
fn separated(failure: Failure, reader: &Reader) -> Failure {
    if reader.command().arguments.iter().any(|it| it.last) {
        return failure.hint("the words of the program go behind `--`");
    }
    failure
}

/// Returns the positional argument that the user meant by an unknown option.
fn positional(name: &str, reader: &Reader) -> Option<String> {
    let arguments = reader.command().arguments.iter();
    let mut positionals = arguments.filter(|it| it.kind == ArgumentKind::Positional);
    positionals.find_map(|argument| {
        let placeholder = argument.value_name.as_deref().unwrap_or(&argument.name);
        let begins = argument.about.split(' ').next().unwrap_or_default();
        if [placeholder, begins]
            .into_iter()
            .any(|it| it.eq_ignore_ascii_case(name))
        {
            return Some(placeholder.to_owned());
        }
        let is_named = argument.about.contains(&format!("`{name}`"));
        is_named.then(|| name.to_owned())
    })
}

fn wrong_value(error: &clap::Error) -> Failure {
    let argument = argument(error);
    let value = text(error, ContextKind::InvalidValue);
    let valid = list(error, ContextKind::ValidValue);
    let meant = suggest::meant(&value, valid.iter().map(String::as_str));
    not_a_value(&argument, &value, &meant, &valid)
}

/// Returns the failure for a value that `argument` does not have. `meant` are the similar ones of the `valid` values.
pub fn not_a_value<N: AsRef<str>>(
    argument: &str,
    value: &str,
    meant: &[N],
    valid: &[String],
) -> Failure {
    let message = if value.is_empty() {
        format!("`{argument}` needs a value")
    } else if !meant.is_empty() || suggest::is_plain(value) {
        format!("`{value}` is not a value for `{argument}`")
    } else {
        format!("the value of `{argument}` is not valid")
    };
    let (field, flag) = names(argument);
    let failure = usage(message.clone()).field(&field, flag.as_deref(), message);
    let failure = suggested(failure, meant);
    possible(failure, valid.iter().map(String::as_str))
}

fn suggested<N: AsRef<str>>(failure: Failure, meant: &[N]) -> Failure {
    if meant.is_empty() {
        return failure;
    }
    failure.hint(suggest::did_you_mean(meant))
}

fn missing(error: &clap::Error, reader: &Reader) -> Failure {
    let arguments = list(error, ContextKind::InvalidArg);
    let arguments: Vec<String> = arguments.iter().map(|text| bare(text)).collect();
    let spec = |name: &str| match name.strip_prefix("--") {
        Some(long) => reader.long(long),
        None => reader.positional(),
    };
    let message = match arguments.as_slice() {
        [argument]
            if argument.starts_with('-') && spec(argument).is_some_and(|spec| !spec.required) =>
        {
            format!("`{argument}` is missing, which another option needs")
        }
        [argument] => format!("`{argument}` is missing"),
        arguments => format!("`{}` are missing", arguments.join("`, `")),
    };
    let mut failure = separated(usage(message), reader);
    for argument in &arguments {
        let (field, flag) = names(argument);
        failure = failure.field(&field, flag.as_deref(), "missing");
    }
    let values = match arguments.as_slice() {
        [argument] => spec(argument).map(|spec| spec.values.as_slice()),
        _ => None,
    };
    possible(
        failure,
        values.unwrap_or_default().iter().map(|value| &*value.value),
    )
}

fn possible<'a>(failure: Failure, values: impl Iterator<Item = &'a str>) -> Failure {
    let values: Vec<&str> = values.collect();
    if values.is_empty() {
        return failure;
    }
    failure.hint(format!("possible values: {}", values.join(", ")))
}

fn conflict(error: &clap::Error) -> String {
    let argument = argument(error);
    let others = list(error, ContextKind::PriorArg);
    let others: Vec<String> = others.iter().map(|text| bare(text)).collect();
    match others.as_slice() {
        [other] if *other == argument => format!("`{argument}` can be given only once"),
        [] => format!("`{argument}` can't be used with what else is given"),
        others => format!("`{argument}` can't be used with `{}`", others.join("`, `")),
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "clap may add kinds")]
fn other(error: &clap::Error, called: &str) -> String {
    let argument = argument(error);
    match error.kind() {
        ErrorKind::MissingSubcommand => format!("`{called}` needs a command"),
        ErrorKind::InvalidUtf8 => "an argument is not UTF-8".to_owned(),
        ErrorKind::TooManyValues => format!("`{argument}` takes no value"),
        ErrorKind::TooFewValues | ErrorKind::WrongNumberOfValues => {
            format!("`{argument}` has the wrong number of values")
        }
        ErrorKind::NoEquals => format!("the value of `{argument}` belongs behind a `=`"),
        // Arguments cannot cause the other kinds.
        _ => "the arguments can't be used".to_owned(),
    }
}

/// Returns the field name and, for an option, the flag of an argument such as `--stt` or `TARGET_DIR`.
fn names(argument: &str) -> (String, Option<String>) {
    let name = argument.trim_start_matches('-');
    let flag = argument.starts_with('-').then(|| argument.to_owned());
    (name.to_lowercase().replace('-', "_"), flag)
}

/// Removes the placeholder from an option such as `--stt <SERVICE>`, and dots and brackets from other arguments.
fn bare(argument: &str) -> String {
    match argument.split_once([' ', '=', '[']) {
        Some((flag, _)) if flag.starts_with('-') => flag.to_owned(),
        // clap appends dots to a repeatable flag and encloses positional arguments in brackets.
        _ => argument
            .trim_end_matches("...")
            .trim_matches(['<', '>', '[', ']'])
            .to_owned(),
    }
}

fn argument(error: &clap::Error) -> String {
    bare(&text(error, ContextKind::InvalidArg))
}

fn text(error: &clap::Error, kind: ContextKind) -> String {
    list(error, kind).into_iter().next().unwrap_or_default()
}

fn list(error: &clap::Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        _ => Vec::new(),
    }
}
