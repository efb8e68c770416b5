//! Runs a plugin with its arguments.

use std::ffi::OsString;

use bot_cli_engine::discovery::Plugin;
use bot_cli_engine::driver::Patience;
use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::outcome::{Json, Outcome, Reply};
use bot_cli_protocol::words::{self, Taken};
use bot_cli_protocol::{CommandSpec, Manifest};
use bot_cli_sdk::plugin::usage;
use bot_cli_terminal::Terminal;
use bot_cli_terminal::ui::{Level, Ui};
use serde_json::Value;

use crate::arguments::Options;
use crate::environment::Environment;
use crate::help;
use crate::named;
use crate::run;
use crate::tree;

/// Runs the plugin named by the first of `words`, with the remaining words as its arguments. `options` are the options before the name.
pub fn plugin(
    words: &[OsString],
    options: &Options,
    environment: &Environment,
    patience: Patience,
) -> u8 {
    let Some((name, words)) = words.split_first() else {
        return environment
            .terminal(options)
            .report(&Outcome::new(Ok(Reply::default())));
    };
    // A missing plugin has no command tree, but its failure must still be a single document.
    let untold = CommandSpec::default();
    let name = name.to_string_lossy();
    let early_taken = words::take(&untold, words);
    let early = environment.terminal(&options.with(&early_taken));
    let plugin = match named::plugin(&name, environment, &early) {
        Ok(plugin) => plugin,
        Err(failure) => {
            return early.report(&Outcome::new(Err(failure)));
        }
    };
    let Some(manifest) = &plugin.manifest else {
        let failure = undeclared(&plugin, words, options, environment);
        return environment
            .terminal(options)
            .report(&Outcome::new(Err(failure)));
    };
    let taken = words::take(manifest.command.as_ref().unwrap_or(&untold), words);
    let common = options.with(&taken);
    let terminal = environment.terminal(&common);
    let outcome = declared(
        &plugin,
        manifest,
        &taken,
        options,
        &terminal,
        environment,
        patience,
    );
    report(&outcome, &terminal)
}

/// Reports the outcome of a command and returns the exit status. With `-v`, also logs the causes of a failure.
pub fn report(outcome: &Outcome, terminal: &Terminal) -> u8 {
    if let Err(failure) = &outcome.result {
        for cause in failure.causes() {
            let cause = format!("caused by: {cause}");
            terminal.clone().log(Level::Info, &cause, &Value::Null);
        }
    }
    terminal.report(outcome)
}

/// Replaces the host with a plugin that has no manifest and parses its own options. Fails if host options precede the plugin's name.
fn undeclared(
    plugin: &Plugin,
    words: &[OsString],
    options: &Options,
    environment: &Environment,
) -> Failure {
    if options.json.0.is_some() || options.quiet || options.verbose > 0 {
        let name = &plugin.name;
        let message =
            format!("`{name}` is an ordinary command: options before its name do not apply to it");
        return Failure::new(Exit::Usage, "usage", message)
            .hint(format!("bot-cli {name} [OPTIONS]"));
    }
    run::become_it(plugin, words, environment)
}

fn declared(
    plugin: &Plugin,
    manifest: &Manifest,
    taken: &Taken,
    options: &Options,
    terminal: &Terminal,
    environment: &Environment,
    patience: Patience,
) -> Outcome {
    if !tree::is_command(plugin) {
        return Outcome::new(Err(help::not_a_command(plugin, manifest)));
    }
    if let (Some(value), Some(_)) = (&taken.wrong_json, &manifest.command) {
        let valid = [Json::LINES.to_owned()];
        return Outcome::new(Err(usage::not_a_value("--json", value, &[""; 0], &valid)));
    }
    if let Some(form) = taken.help {
        return Outcome::new(Ok(help::plugin(
            plugin,
            manifest,
            &taken.path,
            form,
            environment,
        )));
    }
    if taken.version && !manifest.version.is_empty() {
        return Outcome::new(Ok(help::version(plugin, manifest)));
    }
    let direct = taken.path.last().is_some_and(|command| command.direct);
    if direct && options.json.0.max(taken.json).is_none() {
        let mut words = [flags(options, manifest), taken.argv.clone()].concat();
        if words.is_empty() {
            // A plugin without arguments and without a terminal speaks the protocol.
            words.push("--".into());
        }
        return Outcome::new(Err(run::become_it(plugin, &words, environment)));
    }
    match texts(&taken.argv) {
        Some(words) => run::drive(plugin, words, terminal, environment, patience),
        None => Outcome::new(Err(Failure::new(
            Exit::Usage,
            "usage",
            "an argument is not UTF-8",
        ))),
    }
}

/// Returns the host options that were specified before the plugin's name and that the plugin also declares.
fn flags(options: &Options, manifest: &Manifest) -> Vec<OsString> {
    let own = manifest.command.iter().flat_map(|root| &root.arguments);
    let own: Vec<&str> = own.filter_map(|it| it.long.as_deref()).collect();
    [
        ("verbose", options.verbose),
        ("quiet", options.quiet.into()),
    ]
    .into_iter()
    .filter(|(long, _)| own.contains(long))
    .flat_map(|(long, count)| vec![format!("--{long}").into(); count.into()])
    .collect()
}

fn texts(words: &[OsString]) -> Option<Vec<String>> {
    words
        .iter()
        .map(|word| word.to_str().map(str::to_owned))
        .collect()
}
