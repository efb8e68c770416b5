//! JSON input as the words that clap parses: one parser and one validation for both.

use clap::{Arg, ArgAction};
use serde_json::{Map, Value};

use super::describe::{is_repeatable, spec_of};
use bot_cli_protocol::failure::{Failure, Field};
use bot_cli_protocol::suggest;

/// The words for `input` to the command at `path` in the tree `root`. All wrong fields are named at once.
pub fn words(
    root: &clap::Command,
    path: &[String],
    input: &Map<String, Value>,
) -> Result<Vec<String>, Failure> {
    let mut root = root.clone();
    root.build();
    let command = find(&root, path)?;
    let mut wrong = Vec::new();
    let mut options = Vec::new();
    let mut positionals: Vec<(usize, Vec<String>)> = Vec::new();
    for (field, value) in input {
        let Some(argument) = argument(command, field) else {
            let problem = unknown(command, field);
            // A name without its value.
            let name = field
                .split_once('=')
                .map_or(field.clone(), |(name, _)| format!("{name}=…"));
            wrong.push(Field::new(name, problem));
            continue;
        };
        let words = match argument.get_index() {
            Some(index) => values(argument, value).map(|values| positionals.push((index, values))),
            None => option(command, argument, value).map(|words| options.extend(words)),
        };
        if let Err(problem) = words {
            wrong.push(Field {
                field: field.clone(),
                flag: argument.get_long().map(|long| format!("--{long}")),
                problem,
            });
        }
    }
    positionals.sort_by_key(|(index, _)| *index);
    wrong.extend(gap(command, &positionals));
    if !wrong.is_empty() {
        return Err(Failure::invalid_input(wrong));
    }
    let mut words = path.to_vec();
    words.append(&mut options);
    if !positionals.is_empty() {
        words.push("--".to_owned());
        words.extend(positionals.into_iter().flat_map(|(_, values)| values));
    }
    Ok(words)
}

fn find<'a>(root: &'a clap::Command, path: &[String]) -> Result<&'a clap::Command, Failure> {
    path.iter().try_fold(root, |command, word| {
        command.find_subcommand(word).ok_or_else(|| {
            let called = command.get_bin_name().unwrap_or(command.get_name());
            suggest::no_such_command(&spec_of(command), called, word)
        })
    })
}

/// The argument of that name; `-` and `_` count as the same.
fn argument<'a>(command: &'a clap::Command, field: &str) -> Option<&'a Arg> {
    let plain = field.replace('-', "_");
    command.get_arguments().find(|argument| {
        !matches!(
            argument.get_action(),
            ArgAction::Help | ArgAction::HelpShort | ArgAction::HelpLong | ArgAction::Version
        ) && (argument.get_id() == plain.as_str()
            || argument
                .get_long()
                .is_some_and(|long| long.replace('-', "_") == plain))
    })
}

/// The words for an option: `--name=value`, so that a value may begin with a hyphen.
fn option(command: &clap::Command, argument: &Arg, value: &Value) -> Result<Vec<String>, String> {
    match argument.get_action() {
        ArgAction::SetTrue | ArgAction::SetFalse => {
            let sets = matches!(argument.get_action(), ArgAction::SetTrue);
            match value {
                Value::Bool(wanted) if *wanted == sets => Ok(vec![flag(argument)]),
                Value::Bool(_) => Ok(opposite(command, argument).map(flag).into_iter().collect()),
                Value::Null
                | Value::Number(_)
                | Value::String(_)
                | Value::Array(_)
                | Value::Object(_) => Err(must_be("true or false", value)),
            }
        }
        ArgAction::Count => {
            let count = value.as_u64().filter(|count| *count <= 255);
            let count = count.ok_or_else(|| must_be("a number from 0 to 255", value))?;
            Ok((0..count).map(|_| flag(argument)).collect())
        }
        ArgAction::Set | ArgAction::Append | _ => {
            let values = values(argument, value)?;
            let repeats = matches!(argument.get_action(), ArgAction::Append);
            Ok(if repeats || values.len() == 1 {
                values
                    .into_iter()
                    .map(|value| joined(argument, &value))
                    .collect()
            } else if values.is_empty() {
                Vec::new()
            } else {
                std::iter::once(flag(argument)).chain(values).collect()
            })
        }
    }
}

/// The option that undoes `argument`: `--no-recording` for `--recording`.
fn opposite<'a>(command: &'a clap::Command, argument: &Arg) -> Option<&'a Arg> {
    let long = argument.get_long()?;
    let other = long
        .strip_prefix("no-")
        .map_or_else(|| format!("no-{long}"), str::to_owned);
    command
        .get_arguments()
        .find(|candidate| candidate.get_long() == Some(&other))
}

fn flag(argument: &Arg) -> String {
    match (argument.get_long(), argument.get_short()) {
        (Some(long), _) => format!("--{long}"),
        (None, Some(short)) => format!("-{short}"),
        (None, None) => String::new(),
    }
}

fn joined(argument: &Arg, value: &str) -> String {
    format!("{}={value}", flag(argument))
}

fn values(argument: &Arg, value: &Value) -> Result<Vec<String>, String> {
    let Some(values) = value.as_array() else {
        return scalar(value).map(|value| vec![value]);
    };
    if is_repeatable(argument) {
        values.iter().map(scalar).collect()
    } else {
        Err("must be one value, not a list".to_owned())
    }
}

fn scalar(value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        Value::Bool(yes) => Ok(yes.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => Err(must_be("a string", value)),
    }
}

/// A positional argument can't be given without those before it.
fn gap(command: &clap::Command, given: &[(usize, Vec<String>)]) -> Vec<Field> {
    let last = given.last().map_or(0, |(index, _)| *index);
    command
        .get_positionals()
        .filter(|argument| {
            argument.get_index().is_some_and(|index| {
                index < last && !given.iter().any(|(other, _)| *other == index)
            })
        })
        .map(|argument| Field::new(argument.get_id().as_str(), "missing"))
        .collect()
}

fn must_be(form: &str, value: &Value) -> String {
    let is = match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    format!("must be {form}, not {is}")
}

fn unknown(command: &clap::Command, field: &str) -> String {
    let names = command
        .get_arguments()
        .map(|argument| argument.get_id().as_str());
    match suggest::nearest(field, names) {
        Some(name) => format!("unknown, {}", suggest::did_you_mean(&[name])),
        None => "unknown".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use serde_json::{Value, json};

    use super::words;

    #[derive(Parser)]
    #[command(name = "t", disable_help_subcommand = true)]
    struct Tree {
        #[command(subcommand)]
        command: Sub,
    }

    #[derive(clap::Subcommand)]
    enum Sub {
        Make {
            target: Option<String>,
            rest: Vec<String>,
            #[arg(short, long = "transport")]
            transports: Vec<String>,
            #[arg(long, overrides_with = "no_recording")]
            recording: bool,
            #[arg(long, overrides_with = "recording")]
            no_recording: bool,
            #[arg(long)]
            stt_service: Option<String>,
            #[arg(short, action = clap::ArgAction::Count)]
            level: u8,
        },
    }

    fn convert(input: Value) -> Result<Vec<String>, bot_cli_protocol::failure::Failure> {
        let Value::Object(input) = input else {
            panic!("not an object")
        };
        words(
            &<Tree as clap::CommandFactory>::command(),
            &["make".to_owned()],
            &input,
        )
    }

    #[test]
    fn input_becomes_words() {
        for (input, expected) in [
            (json!({}), "make"),
            (json!({"recording": true}), "make --recording"),
            (json!({"recording": false}), "make --no-recording"),
            (json!({"no_recording": false}), "make --recording"),
            (json!({"stt_service": "-x"}), "make --stt-service=-x"),
            (json!({"stt-service": 7}), "make --stt-service=7"),
            (
                json!({"transports": ["a", "b"]}),
                "make --transport=a --transport=b",
            ),
            (json!({"transport": "a"}), "make --transport=a"),
            (json!({"transports": []}), "make"),
            (json!({"level": 2}), "make -l -l"),
            (
                json!({"rest": ["--b", "c"], "target": "a"}),
                "make -- a --b c",
            ),
        ] {
            let converted = convert(input.clone()).unwrap();
            assert_eq!(converted.join(" "), expected, "{input}");
            Tree::try_parse_from(["t".to_owned()].into_iter().chain(converted)).unwrap();
        }
    }

    #[test]
    fn every_wrong_field_is_named() {
        let failure = convert(json!({
            "stt_servise": "x", "colour": 1, "recording": "no", "stt_service": null,
            "rest": ["a"], "level": -1,
        }))
        .unwrap_err();
        let problems: Vec<String> = failure
            .fields
            .iter()
            .map(|field| format!("{}: {}", field.field, field.problem))
            .collect();
        assert_eq!(
            problems,
            [
                "stt_servise: unknown, did you mean `stt_service`?",
                "colour: unknown",
                "recording: must be true or false, not a string",
                "stt_service: must be a string, not null",
                "level: must be a number from 0 to 255, not a number",
                "target: missing",
            ]
        );
    }

    #[test]
    fn an_unknown_command_names_the_nearest() {
        let tree = <Tree as clap::CommandFactory>::command();
        let failure = words(&tree, &["maek".to_owned()], &serde_json::Map::new()).unwrap_err();
        assert_eq!(failure.message, "`t` has no command `maek`");
        assert_eq!(failure.hints, ["did you mean `t make`?"]);
        let failure = words(&tree, &["sk-live-1".to_owned()], &serde_json::Map::new()).unwrap_err();
        assert_eq!(failure.message, "`t` has no such command");
        assert!(failure.hints.is_empty());
    }
}
