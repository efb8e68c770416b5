//! Collects the commands that have a manual page: the host's commands and those of plugins.

use bot_cli_protocol::{CommandSpec, Manifest};
use clap::Command;

use crate::arguments;
use crate::tree;

/// Returns the commands that have a manual page, starting with the host's. Each command's display name is the name of its page, such as
/// `bot-cli-cloud-secrets-set` for `bot-cli cloud secrets set`.
pub fn pages(manifests: &[Manifest]) -> Vec<Command> {
    let mut host = arguments::command();
    host.build();
    let mut pages = Vec::new();
    add_built(&host, &mut pages);
    for manifest in manifests {
        if let Some(command) = &manifest.command {
            add_declared(&mut vec![command], manifest, &mut pages);
        }
    }
    pages
}

fn add_built(command: &Command, pages: &mut Vec<Command>) {
    // A command line has spaces; only the page's name has hyphens.
    let invocation = command
        .get_bin_name()
        .unwrap_or(command.get_name())
        .to_owned();
    pages.push(page(command.clone(), &invocation));
    for subcommand in command.get_subcommands().filter(|one| !one.is_hide_set()) {
        add_built(subcommand, pages);
    }
}

fn add_declared(path: &mut Vec<&CommandSpec>, manifest: &Manifest, pages: &mut Vec<Command>) {
    let Some(command) = path.last().copied() else {
        return;
    };
    let names = path.iter().skip(1).map(|command| command.name.as_str());
    let words: Vec<&str> = ["bot-cli", &manifest.name]
        .into_iter()
        .chain(names)
        .collect();
    let invocation = words.join(" ");
    let built = tree::command(path, &invocation, false);
    pages.push(page(built, &invocation));
    for subcommand in command.commands.iter().filter(|one| !one.hidden) {
        path.push(subcommand);
        add_declared(path, manifest, pages);
        path.pop();
    }
}

/// Sets the name and the usage line of the command's page. Without a usage line, the synopsis would list every option.
fn page(mut command: Command, invocation: &str) -> Command {
    let usage = command.render_usage().to_string();
    let usage = usage.trim_start_matches("Usage:").trim().to_owned();
    command
        .display_name(invocation.replace(' ', "-"))
        .override_usage(usage)
}
