//! What clap has to say, as outcomes: help is a reply, a mistake is a failure with the field and the way out.
//!
//! clap's own sentences quote the user's words. Ours cut them at `=`, because what follows may be a secret.

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::failure::{Exit, Failure};
use crate::outcome::{Outcome, Reply};

/// Help and version as a reply, everything else as a failure of the command `name`.
#[must_use]
pub fn outcome(error: &clap::Error, name: &str, color: bool) -> Outcome {
    let is_reply = matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
    );
    Outcome::new(if is_reply {
        let text = error.render();
        let text = if color {
            text.ansi().to_string()
        } else {
            text.to_string()
        };
        Ok(Reply {
            data: serde_json::Value::String(error.render().to_string()),
            text,
            next: Vec::new(),
        })
    } else {
        Err(failure(error, name))
    })
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
            usage(format!("`{name}` needs a command"))
        }
        ErrorKind::InvalidUtf8 => usage("an argument is not UTF-8".to_owned()),
        ErrorKind::NoEquals
        | ErrorKind::TooManyValues
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
    failure.hint(format!("{name} --help"))
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
