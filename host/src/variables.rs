//! `help environment`: the variables that the host and the plugins read.

use bot_cli_engine::discovery::Standing;
use bot_cli_protocol::outcome::Reply;
use bot_cli_protocol::{self as protocol, VariableSpec};
use bot_cli_terminal::{self as terminal, one_line, table};
use clap::builder::Styles;
use serde_json::{Value, json};

use crate::environment::Environment;

/// The word behind `help` that asks for the page.
pub const TOPIC: &str = "environment";

/// The variables that the host reads, and those that it shares with every plugin.
const OWN: [(&str, &str); 14] = [
    (
        "BOT_CLI_PLUGIN_PATH",
        "Folders to search for plugins first, separated by colons; on Windows, by semicolons",
    ),
    (
        "PATH",
        "Folders to search for plugins last; only absolute ones count",
    ),
    (
        "XDG_DATA_HOME",
        "Contains bot-cli/plugins and, for packs that are folders, bot-cli/packs (default: ~/.local/share; on Windows, %LOCALAPPDATA%)",
    ),
    (
        "XDG_CACHE_HOME",
        "Contains bot-cli/manifests, the cache of manifests (default: ~/.cache; on Windows, %LOCALAPPDATA%)",
    ),
    ("HOME", "The home folder, for the defaults above"),
    (
        "LOCALAPPDATA",
        "On Windows: the folder of data and caches, for the defaults above",
    ),
    (
        "PATHEXT",
        "On Windows: the endings of programs; .exe, .com, .bat and .cmd count",
    ),
    ("NO_COLOR", "Not empty: show no colour"),
    ("CLICOLOR", "0: show no colour"),
    (
        "CLICOLOR_FORCE",
        "Not 0: show colour even without a terminal",
    ),
    (
        "TERM",
        "The kind of terminal; dumb: ask line by line, show no colour",
    ),
    (
        terminal::PROMPTS,
        "plain: ask line by line, for screen readers; rich: draw questions, whatever TERM is",
    ),
    (
        protocol::DEPTH,
        "Set for plugins: the number of hosts above the plugin",
    ),
    (protocol::HOST, "Set for plugins: the path of bot-cli"),
];

/// The page.
pub fn page(environment: &Environment) -> Reply {
    let own = OWN
        .iter()
        .map(|&(name, about)| VariableSpec {
            name: name.to_owned(),
            about: about.to_owned(),
        })
        .collect::<Vec<_>>();
    let mut sections = vec![("bot-cli".to_owned(), own)];
    for found in environment.discovery.all() {
        if let Standing::Usable(plugin) = found.standing
            && let Some(manifest) = plugin.manifest
            && !manifest.environment.is_empty()
        {
            sections.push((format!("bot-cli {}", plugin.name), manifest.environment));
        }
    }
    let data: Value = sections
        .iter()
        .map(|(who, variables)| json!({ "reader": who, "variables": variables }))
        .collect();
    Reply::text(text(&sections, environment.look.stdout_color)).data(data)
}

fn text(sections: &[(String, Vec<VariableSpec>)], color: bool) -> String {
    let style = *Styles::styled().get_header();
    let cell = one_line;
    let mut text = "Environment variables\n".to_owned();
    for (who, variables) in sections {
        let rows: Vec<Vec<String>> = variables
            .iter()
            .map(|variable| {
                let name = format!("  {}", cell(&variable.name));
                vec![name, cell(&variable.about)]
            })
            .collect();
        let heading = if color {
            format!("{style}{who}:{style:#}")
        } else {
            format!("{who}:")
        };
        text.extend(["\n", &heading, "\n", table(&rows).trim_end(), "\n"]);
    }
    text
}
