//! What a word may become.

use std::slice::from_ref;

use serde_json::json;

use super::{Held, failed, shown};
use crate::conformance::bench::{Bench, Stop};
use crate::conformance::dialogue::Reply;
use crate::protocol::{ArgumentKind, CommandSpec, CompleteResult, Completion, methods, shape};

/// The number of arguments that are looked at.
const LOOKED_AT: usize = 8;

/// A value that only the plugin can complete.
struct Value {
    /// The words in front of it.
    before: Vec<String>,
    /// `--option`, where it belongs to one.
    option: Option<String>,
}

/// Nothing but candidates comes.
pub fn silent(bench: &Bench) -> Held {
    for value in values(bench)? {
        let mut plugin = bench.start()?;
        let params = params(&value.words(""));
        let line = plugin.line(methods::COMPLETE, params);
        plugin.write(line);
        let (_, messages) = plugin.finish()?;
        let others = messages.iter().any(|message| {
            use crate::protocol::Message::{Error, Result};
            !matches!(message, Result { .. } | Error { .. })
        });
        if others || !plugin.asked().is_empty() {
            return failed("`complete` sent more than its reply");
        }
        if let Some(name) = plugin.made().first() {
            return failed(format!("`complete` made the file `{name}`"));
        }
    }
    Ok(())
}

/// Every candidate begins with what was typed.
pub fn fits(bench: &Bench) -> Held {
    for value in values(bench)? {
        let Some(first) = candidates(bench, &value.words(""))?.into_iter().next() else {
            continue;
        };
        let typed: String = first.chars().take(1).collect();
        let found = candidates(bench, &value.words(&typed))?;
        fit(&found, &typed)?;
        if !found.contains(&first) {
            return failed(format!(
                "`{typed}` does not lead to `{first}`, which an empty word does"
            ));
        }
        fit(
            &candidates(bench, &value.words("no-such-word"))?,
            "no-such-word",
        )?;
    }
    Ok(())
}

/// `--option=` leads where `--option` and a space do.
pub fn option_value(bench: &Bench) -> Held {
    let values = values(bench)?;
    let mut looked = false;
    for (option, value) in values
        .iter()
        .filter_map(|value| Some((value.option.clone()?, value)))
    {
        if candidates(bench, &value.words(""))?.is_empty() {
            continue;
        }
        looked = true;
        let typed = format!("{option}=");
        let words = [&value.before[..value.before.len() - 1], from_ref(&typed)].concat();
        let found = candidates(bench, &words)?;
        if found.is_empty() {
            return failed(format!(
                "`{typed}` leads to nothing, `{option}` and a space do"
            ));
        }
        fit(&found, &typed)?;
    }
    if looked {
        return Ok(());
    }
    Err(Stop::NotRun(
        "no option has values that the plugin completes".to_owned(),
    ))
}

impl Value {
    fn words(&self, last: &str) -> Vec<String> {
        [&self.before[..], &[last.to_owned()]].concat()
    }
}

fn values(bench: &Bench) -> Result<Vec<Value>, Stop> {
    let mut values = Vec::new();
    if let Some(root) = &bench.declared()?.command {
        collect(root, &[], &mut values);
    }
    values.truncate(LOOKED_AT);
    if values.is_empty() {
        let reason = "no argument has `\"completion\":\"dynamic\"` in the manifest";
        return Err(Stop::NotRun(reason.to_owned()));
    }
    Ok(values)
}

fn collect(command: &CommandSpec, path: &[String], values: &mut Vec<Value>) {
    let mut positionals = 0;
    for argument in &command.arguments {
        let option = match (argument.kind, &argument.long, argument.short) {
            (ArgumentKind::Option, Some(long), _) => Some(format!("--{long}")),
            (ArgumentKind::Option, None, Some(short)) => Some(format!("-{short}")),
            _ => None,
        };
        let mut before = path.to_vec();
        before.extend(option.clone());
        if argument.kind == ArgumentKind::Positional {
            before.extend((0..positionals).map(|_| "x".to_owned()));
            positionals += 1;
        }
        if argument.completion == Completion::Dynamic {
            let option = option.filter(|option| option.starts_with("--"));
            values.push(Value { before, option });
        }
    }
    for subcommand in &command.commands {
        collect(
            subcommand,
            &[path, from_ref(&subcommand.name)].concat(),
            values,
        );
    }
}

fn params(words: &[String]) -> serde_json::Value {
    let context =
        json!({ "interactive": true, "color": "never", "format": "text", "verbosity": 0 });
    json!({ "protocol": "1.0", "argv": words, "context": context })
}

fn candidates(bench: &Bench, words: &[String]) -> Result<Vec<String>, Stop> {
    let reply = bench.start()?.request(methods::COMPLETE, params(words))?;
    let Reply::Result(result) = reply else {
        return failed(format!("`complete` got {}", shown(&reply)));
    };
    match shape::read::<CompleteResult>("result", result) {
        Ok(result) => Ok(result
            .candidates
            .into_iter()
            .map(|found| found.value)
            .collect()),
        Err(problem) => failed(format!(
            "the answer to `complete` has another shape: {problem}"
        )),
    }
}

fn fit(candidates: &[String], typed: &str) -> Held {
    match candidates
        .iter()
        .find(|candidate| !candidate.starts_with(typed))
    {
        Some(other) => failed(format!(
            "`{typed}` leads to `{other}`, which does not begin with it"
        )),
        None => Ok(()),
    }
}
