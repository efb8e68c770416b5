//! Completes the command line. Each shell's completion script runs the host on every completion, so a new plugin needs no new script.

mod bash;

use std::ffi::OsString;
use std::time::Duration;

use bot_cli_engine::discovery::PluginName;
use bot_cli_engine::driver::{self, Patience};
use bot_cli_protocol::complete::{AtEnd, at_end};
use bot_cli_protocol::outcome::Reply;
use bot_cli_protocol::words::{self, Reader, Word};
use bot_cli_protocol::{CommandSpec, CompleteParams, CompleteResult, Completion, methods};
use bot_cli_sdk::plugin::spec_of;
use bot_cli_terminal::cancel::Cancel;
use bot_cli_terminal::{Terminal, one_line};
use serde_json::json;

use crate::arguments::{self, Shell};
use crate::environment::Environment;
use crate::run;
use crate::tree;
use bash::Line;

/// The maximum time to wait for a plugin after the user presses Tab.
const TAB: Duration = Duration::from_secs(2);

/// The time limit for each step of stopping a plugin. A short limit is safe, because completion must not change anything.
const STEP: Duration = Duration::from_millis(400);

pub fn script(shell: Shell) -> Reply {
    let text = text(shell);
    Reply::text(text).data(json!({ "script": text }))
}

fn text(shell: Shell) -> &'static str {
    match shell {
        Shell::Bash => include_str!("completion/bot-cli.bash"),
        Shell::Zsh => include_str!("completion/bot-cli.zsh"),
        Shell::Fish => include_str!("completion/bot-cli.fish"),
        Shell::Powershell => include_str!("completion/bot-cli.ps1"),
    }
}

/// Returns the candidates for the last word, in the format that the script for `shell` expects. The first line specifies which of the
/// shell's own completions to use: `files`, `folders`, `program` or `nothing`. For bash, the next two lines contain the part of a path to
/// complete and the text before that part. The candidates follow, one per line. For the other shells, a tab and the description follow each
/// candidate.
pub fn complete(
    shell: Shell,
    words: &[OsString],
    terminal: &Terminal,
    environment: &Environment,
) -> Reply {
    let words: Vec<String> = words
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let find = |words: &[String]| found(words, terminal, environment);
    let text = match shell {
        Shell::Bash => {
            let [line, breaks, ..] = words.as_slice() else {
                return Reply::default();
            };
            let line = Line::read(line, breaks);
            for_bash(&find(line.words.get(1..).unwrap_or_default()), &line)
        }
        Shell::Zsh | Shell::Fish => described(&find(&words), is_one_line),
        Shell::Powershell => {
            let words: Vec<String> = words
                .iter()
                .map(|word| word.strip_prefix('=').unwrap_or(word).to_owned())
                .collect();
            described(&find(&words), is_plain)
        }
    };
    Reply::text(text)
}

fn for_bash(found: &AtEnd, line: &Line) -> String {
    let path = found.typed(line.words.last().map_or("", String::as_str));
    let prefix = line.prefix(&found.prefix);
    let replaced = line.replaced();
    let value = replaced.strip_prefix(prefix).unwrap_or(path);
    let mut text = format!(
        "{}\n{}\n{}\n",
        kind(found),
        one_line(value),
        one_line(prefix)
    );
    for candidate in &found.candidates {
        // Bash itself quotes all candidates if they include paths.
        let insertion = if found.by_shell == Completion::None {
            line.insertion(&candidate.value).filter(|it| is_plain(it))
        } else {
            Some(&*candidate.value).filter(|it| is_one_line(it))
        };
        text.extend(insertion.map(|insertion| format!("{insertion}\n")));
    }
    text
}

fn described(found: &AtEnd, is_fit: impl Fn(&str) -> bool) -> String {
    let mut text = format!("{}\n", kind(found));
    let candidates = found.candidates.iter();
    for candidate in candidates.filter(|candidate| is_fit(&candidate.value)) {
        let about = one_line(candidate.about.as_deref().unwrap_or_default());
        text.extend([&candidate.value, "\t", &about, "\n"]);
    }
    text
}

/// Reports whether bash and PowerShell take `value` as it is. They insert candidates unchanged, so any other is left out: a plugin may offer
/// arbitrary text.
fn is_plain(value: &str) -> bool {
    let is_plain = |character: char| character.is_alphanumeric() || "_-./+%=:".contains(character);
    !value.is_empty() && value.chars().all(is_plain)
}

fn is_one_line(value: &str) -> bool {
    one_line(value) == value
}

fn kind(found: &AtEnd) -> &'static str {
    match found.by_shell {
        Completion::File => "files",
        Completion::Folder => "folders",
        Completion::Command => "program",
        Completion::Dynamic | Completion::None => "nothing",
    }
}

/// Returns the candidates for the last of `words`, which are the arguments of `bot-cli`.
fn found(words: &[String], terminal: &Terminal, environment: &Environment) -> AtEnd {
    let own = spec_of(&arguments::command());
    let Some((_, before)) = words.split_last() else {
        return AtEnd::default();
    };
    let mut reader = Reader::new(&own);
    for (at, word) in before.iter().enumerate() {
        match reader.read(word) {
            Word::Positional(_) if reader.path().len() == 1 => {
                let words = &words[at + 1..];
                return of_plugin(word, words, terminal, environment).unwrap_or_default();
            }
            Word::Command(command) if command.name == "help" && at + 1 < before.len() => {
                return of_help(&words[at + 1..], environment).unwrap_or_default();
            }
            Word::Positional(_) | Word::Command(_) | Word::Options(_) | Word::Other => {}
        }
    }
    at_end(&tree::whole(environment), words)
}

/// Returns the candidates for the last of `words`, which are the arguments of `help`. The first word is the name of a plugin.
fn of_help(words: &[String], environment: &Environment) -> Option<AtEnd> {
    let (name, words) = words.split_first()?;
    let (word, before) = words.split_last()?;
    let plugin = environment.discovery.by_name(&PluginName::parse(name)?);
    let manifest = plugin.plugin?.manifest?;
    let spec = manifest.command?;
    let command = Reader::after(&spec, before).command().clone();
    let commands_only = CommandSpec {
        commands: command.commands,
        ..CommandSpec::default()
    };
    Some(at_end(&commands_only, std::slice::from_ref(word)))
}

/// Returns the candidates for the last of `words`, which are the arguments of the plugin `name`.
fn of_plugin(
    name: &str,
    words: &[String],
    terminal: &Terminal,
    environment: &Environment,
) -> Option<AtEnd> {
    let plugin = environment.discovery.by_name(&PluginName::parse(name)?);
    let plugin = plugin.plugin?;
    let spec = plugin.manifest.as_ref()?.command.as_ref()?;
    let mut found = at_end(spec, words);
    if found.dynamic.is_none() {
        return Some(found);
    }
    let patience = Patience {
        reply: Some(TAB),
        ..Patience::of(STEP)
    };
    let cancel = Cancel::on_signals().ok()?;
    let launch = run::launch(&plugin, environment, patience).ok()?;
    let params = CompleteParams {
        protocol: bot_cli_protocol::VERSION.to_owned(),
        argv: argv(words, spec, &found),
        context: run::context(terminal, &launch),
    };
    let mut ui = terminal.clone();
    // A user who presses Tab expects candidates, not errors.
    let more: Result<CompleteResult, _> =
        driver::call(&launch, methods::COMPLETE, &json!(params), &mut ui, &cancel);
    let word = words.last().map_or("", String::as_str);
    for mut candidate in more.unwrap_or_default().candidates {
        if !candidate.value.starts_with(&found.prefix) {
            candidate.value.insert_str(0, &found.prefix);
        }
        // Not every shell filters candidates by prefix, and the library repeats those of the manifest.
        let mut known = found.candidates.iter();
        if candidate.value.starts_with(word) && known.all(|known| known.value != candidate.value) {
            found.candidates.push(candidate);
        }
    }
    Some(found)
}

/// Returns the arguments in the form that the plugin would receive in a run. Splits `--name=value` into two arguments, so that a plugin
/// handles only one form.
fn argv(words: &[String], spec: &CommandSpec, found: &AtEnd) -> Vec<String> {
    let Some((last, before)) = words.split_last() else {
        return Vec::new();
    };
    let taken = words::take(spec, before).argv;
    let mut argv: Vec<String> = taken
        .into_iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    argv.extend(found.prefix.strip_suffix('=').map(str::to_owned));
    argv.push(found.typed(last).to_owned());
    argv
}
