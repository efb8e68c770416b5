//! Completes words: each shell's script asks the host anew, so that new plugins need no new script.

use std::time::Duration;

use bot_cli_sdk::cancel::Cancel;
use bot_cli_sdk::complete::{AtEnd, Paths, at_end};
use bot_cli_sdk::discovery::{PluginName, Standing};
use bot_cli_sdk::driver::{self, Patience};
use bot_cli_sdk::outcome::Reply;
use bot_cli_sdk::protocol::{ArgumentKind, ArgumentSpec, CommandSpec, CompleteParams, ValueSpec};
use bot_cli_sdk::terminal::{Terminal, printable};
use serde_json::json;

use crate::arguments::{self, Shell};
use crate::environment::Environment;
use crate::help;
use crate::run;

/// How long somebody who presses Tab waits for a plugin.
const TAB: Duration = Duration::from_secs(2);

/// How long each step takes that ends a plugin. It must not have changed anything, so that nothing is lost by haste.
const STEP: Duration = Duration::from_millis(400);

/// The line that tells the shell's script to add files or folders of its own.
const FILES: &str = ":files\n";
const FOLDERS: &str = ":folders\n";

/// The script for a shell.
pub fn script(shell: Shell) -> Reply {
    let text = match shell {
        Shell::Bash => include_str!("completion/bot-cli.bash"),
        Shell::Zsh => include_str!("completion/bot-cli.zsh"),
        Shell::Fish => include_str!("completion/bot-cli.fish"),
    };
    Reply::text(text).data(json!({ "script": text }))
}

/// What the last of `words` may become: a line each, with a tab before what it is about.
pub fn complete(
    words: &[String],
    terminal: &Terminal,
    environment: &Environment,
    patience: Patience,
) -> Reply {
    let own = words.len() < 2 || arguments::RESERVED.contains(&words[0].as_str());
    let found = if own {
        at_end(&host(environment), words)
    } else {
        plugin(words, terminal, environment, patience).unwrap_or_default()
    };
    let mut text = String::new();
    for candidate in &found.candidates {
        let about = candidate.about.as_deref().unwrap_or_default();
        text.extend([&word(&candidate.value), "\t", &word(about), "\n"]);
    }
    match found.paths {
        Some(Paths::Files) => text.push_str(FILES),
        Some(Paths::Folders) => text.push_str(FOLDERS),
        None => {}
    }
    Reply::text(text).data(json!({ "candidates": found.candidates }))
}

fn plugin(
    words: &[String],
    terminal: &Terminal,
    environment: &Environment,
    patience: Patience,
) -> Option<AtEnd> {
    let (name, words) = words.split_first()?;
    let plugin = environment
        .discovery
        .by_name(&PluginName::parse(name)?)
        .ok()?;
    let spec = plugin.manifest.as_ref()?.command.as_ref()?;
    let mut found = at_end(spec, words);
    if found.dynamic.is_some() {
        let patience = Patience {
            cancel: patience.cancel.min(STEP),
            told: patience.told.min(STEP),
            terminate: patience.terminate.min(STEP),
            finish: patience.finish.min(STEP),
            reply: Some(TAB),
        };
        let cancel = Cancel::on_signals().ok()?;
        let launch = run::launch(&plugin, environment, patience).ok()?;
        let mut params = CompleteParams::new(words);
        params.context =
            driver::run_context(&terminal.context(launch.cwd.clone()), run::host_name());
        let mut ui = terminal.clone();
        // Somebody who presses Tab wants candidates or nothing.
        if let Ok(more) = driver::complete(&launch, &params, &mut ui, &cancel) {
            // Not every shell leaves out what does not begin with the word.
            let word = words.last().map_or("", String::as_str);
            let fitting = more.candidates.into_iter();
            found
                .candidates
                .extend(fitting.filter(|candidate| candidate.value.starts_with(word)));
        }
    }
    Some(found)
}

/// The host's own commands and the plugins, in the form of a manifest.
fn host(environment: &Environment) -> CommandSpec {
    let mut root = CommandSpec::default();
    for found in environment.discovery.all(&arguments::RESERVED) {
        if let Standing::Usable(plugin) = &found.standing
            && help::is_command(plugin)
        {
            root.commands
                .push(command(&found.name, &help::about(plugin)));
        }
    }
    let plugins: Vec<ValueSpec> = root
        .commands
        .iter()
        .map(|plugin| ValueSpec::new(&plugin.name).about(&plugin.about))
        .collect();
    let own = arguments::command();
    for subcommand in own.get_subcommands().filter(|c| !c.is_hide_set()) {
        let mut spec = from_clap(subcommand);
        if spec.name == "help" {
            spec.arguments[0].values.clone_from(&plugins);
        }
        root.commands.push(spec);
    }
    root.arguments = from_clap(&own).arguments;
    root
}

fn from_clap(command: &clap::Command) -> CommandSpec {
    let about =
        |text: Option<&clap::builder::StyledStr>| text.map(ToString::to_string).unwrap_or_default();
    let mut spec = CommandSpec::new(command.get_name(), about(command.get_about()));
    spec.arguments = command
        .get_arguments()
        .map(|argument| {
            let kind = match (
                argument.is_positional(),
                argument.get_action().takes_values(),
            ) {
                (true, _) => ArgumentKind::Positional,
                (false, true) => ArgumentKind::Option,
                (false, false) => ArgumentKind::Flag,
            };
            let mut spec = ArgumentSpec::new(argument.get_id().to_string(), kind);
            spec.long = argument.get_long().map(str::to_owned);
            spec.short = argument.get_short();
            spec.about = about(argument.get_help());
            spec.global = argument.is_global_set();
            spec.values = argument
                .get_possible_values()
                .iter()
                .map(|value| {
                    let mut spec = ValueSpec::new(value.get_name());
                    spec.about = value.get_help().map(ToString::to_string);
                    spec
                })
                .collect();
            spec
        })
        .collect();
    spec.commands = command.get_subcommands().map(from_clap).collect();
    spec
}

fn command(name: &str, about: &str) -> CommandSpec {
    CommandSpec::new(name, about)
}

fn word(text: &str) -> String {
    printable(text, false).replace(['\n', '\t'], " ")
}
