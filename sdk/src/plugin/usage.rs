//! What clap has to say, as outcomes: help is a reply, a mistake is a failure with the field and the way out.
//!
//! clap's own sentences quote the user's words. Ours cut them at `=`, because what follows may be a secret.

use std::ffi::OsStr;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use serde_json::{Value, json};

use crate::failure::{Exit, Failure};
use crate::outcome::{Format, Outcome, Reply};

/// Help and version as a reply, everything else as a failure of the command `name`.
#[must_use]
pub fn outcome(error: &clap::Error, name: &str, color: bool) -> Outcome {
    let plain = error.render().to_string();
    let data = if error.kind() == ErrorKind::DisplayHelp {
        json!({ "help": plain })
    } else if error.kind() == ErrorKind::DisplayVersion {
        version(name, &plain)
    } else {
        return Outcome::new(Err(failure(error, name)));
    };
    let text = if color {
        error.render().ansi().to_string()
    } else {
        plain
    };
    Outcome::new(Ok(Reply {
        text,
        data,
        next: Vec::new(),
    }))
}

/// clap's `bot-cli init 0.1.0` as a document, with the name as in the manifest.
fn version(name: &str, text: &str) -> Value {
    let version = text.trim();
    let version = version.strip_prefix(name).unwrap_or(version).trim();
    let name = name.rsplit(' ').next().unwrap_or(name);
    let name = name.strip_prefix("bot-cli-").unwrap_or(name);
    json!({ "name": name, "version": version })
}

/// A mistake in the words for the command `name`.
#[must_use]
pub fn failure(error: &clap::Error, name: &str) -> Failure {
    let value = text(error, ContextKind::InvalidValue).map(|value| redacted(&value));
    let argument =
        text(error, ContextKind::InvalidArg).map_or("an argument".to_owned(), |text| bare(&text));
    let usage = |message: String| Failure::new(Exit::Usage, "usage", message);
    let mut failure = match error.kind() {
        ErrorKind::UnknownArgument => {
            usage(format!("unexpected argument `{}`", redacted(&argument)))
        }
        ErrorKind::InvalidSubcommand => usage(format!(
            "there is no command `{}`",
            redacted(&text(error, ContextKind::InvalidSubcommand).unwrap_or_default())
        )),
        ErrorKind::InvalidValue | ErrorKind::ValueValidation if value.as_deref() == Some("") => {
            wrong(
                format!("`{argument}` needs a value"),
                &argument,
                "needs a value",
            )
        }
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => {
            let value = value.unwrap_or_default();
            wrong(
                format!("`{value}` is not a value for `{argument}`"),
                &argument,
                &format!("`{value}` is not a value for it"),
            )
        }
        ErrorKind::MissingRequiredArgument => missing(
            &list(error, ContextKind::InvalidArg)
                .iter()
                .map(|text| bare(text))
                .collect::<Vec<_>>(),
        ),
        ErrorKind::ArgumentConflict => {
            let others: Vec<String> = list(error, ContextKind::PriorArg)
                .iter()
                .map(|text| bare(text))
                .collect();
            match others.as_slice() {
                [other] if *other == argument => {
                    usage(format!("`{argument}` can be given only once"))
                }
                [] => usage(format!(
                    "`{argument}` can't be used with what else is given"
                )),
                others => usage(format!(
                    "`{argument}` can't be used with `{}`",
                    others.join("`, `")
                )),
            }
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
            usage(format!("`{}` needs a command", called(error, name)))
        }
        ErrorKind::InvalidUtf8 => usage("an argument is not UTF-8".to_owned()),
        // An option that takes values shows a name for them.
        ErrorKind::TooManyValues => match text(error, ContextKind::InvalidArg) {
            Some(shown) if shown.contains('<') => usage(format!("`{argument}` takes fewer values")),
            _ => usage(format!("`{argument}` takes no value")),
        },
        ErrorKind::NoEquals
        | ErrorKind::TooFewValues
        | ErrorKind::WrongNumberOfValues
        | ErrorKind::DisplayHelp
        | ErrorKind::DisplayVersion
        | ErrorKind::Io
        | ErrorKind::Format
        | _ => usage(first_line(error)),
    };
    for kind in [
        ContextKind::SuggestedArg,
        ContextKind::SuggestedSubcommand,
        ContextKind::SuggestedValue,
    ] {
        let suggestions = list(error, kind);
        if !suggestions.is_empty() {
            failure = failure.hint(format!("did you mean `{}`?", suggestions.join("` or `")));
        }
    }
    let valid: Vec<String> = [ContextKind::ValidValue, ContextKind::ValidSubcommand]
        .into_iter()
        .flat_map(|kind| list(error, kind))
        .collect();
    if !valid.is_empty() {
        failure = failure.hint(format!("possible are {}", valid.join(", ")));
    }
    failure.hint(format!("{} --help", called(error, name)))
}

/// The subcommand of `name` that the words lead to, as clap's line of usage has it: `bot-cli cloud secrets set`.
fn called(error: &clap::Error, name: &str) -> String {
    let usage = match error.get(ContextKind::Usage) {
        Some(ContextValue::StyledStr(usage)) => usage.to_string(),
        // Whole help, and nothing of the user's.
        _ if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            error.render().to_string()
        }
        _ => String::new(),
    };
    let line = usage.lines().find_map(|line| line.strip_prefix("Usage: "));
    let words = line.unwrap_or_default().split_whitespace();
    let path: Vec<&str> = words
        .take_while(|word| !word.starts_with(['[', '<', '-']))
        .collect();
    let path = path.join(" ");
    if path.starts_with(name) {
        path
    } else {
        name.to_owned()
    }
}

/// The form of the result that the words ask for, whether or not they can be parsed.
#[must_use]
pub fn format_of<W: AsRef<OsStr>>(words: &[W]) -> Format {
    let json = words
        .iter()
        .map(AsRef::as_ref)
        .take_while(|word| *word != "--")
        // `--json=yes` is a mistake, of which a program wants to read, too.
        .any(|word| word == "--json" || word.as_encoded_bytes().starts_with(b"--json="));
    if json { Format::Json } else { Format::Text }
}

fn wrong(message: String, argument: &str, problem: &str) -> Failure {
    let (field, flag) = names(argument);
    Failure::new(Exit::Usage, "usage", message).field(&field, flag.as_deref(), problem)
}

fn missing(arguments: &[String]) -> Failure {
    let message = match arguments {
        [argument] => format!("`{argument}` is missing"),
        _ => format!("missing are `{}`", arguments.join("`, `")),
    };
    arguments.iter().fold(
        Failure::new(Exit::Usage, "usage", message),
        |failure, argument| {
            let (field, flag) = names(argument);
            failure.field(&field, flag.as_deref(), "missing")
        },
    )
}

/// The name of an argument in `input`, and its flag, from clap's `--stt <SERVICE>` or `<TARGET_DIR>`.
fn names(argument: &str) -> (String, Option<String>) {
    let bare = argument
        .trim_start_matches('-')
        .trim_matches(['<', '>', '[', ']', '.']);
    let flag = argument.starts_with('-').then(|| argument.to_owned());
    (bare.to_lowercase().replace('-', "_"), flag)
}

/// clap's `--stt <SERVICE>` without the name of the value.
fn bare(argument: &str) -> String {
    match argument.split_once([' ', '=']) {
        Some((flag, _)) if flag.starts_with('-') => flag.to_owned(),
        _ => argument.to_owned(),
    }
}

/// A word of the user's, cut at `=`.
fn redacted(word: &str) -> String {
    match word.split_once('=') {
        Some((name, _)) => format!("{name}=…"),
        None => word.to_owned(),
    }
}

fn text(error: &clap::Error, kind: ContextKind) -> Option<String> {
    list(error, kind).into_iter().next()
}

fn list(error: &clap::Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        _ => Vec::new(),
    }
}

fn first_line(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let line = text.lines().next().unwrap_or_default();
    redacted(line.trim_start_matches("error: "))
}
