//! Lists the environment variables that the host and the plugins read, for `help environment`.

use bot_cli_engine::discovery::Standing;
use bot_cli_protocol::VariableSpec;
use bot_cli_protocol::outcome::Reply;
use bot_cli_terminal::{one_line, table};
use clap::builder::Styles;
use serde_json::{Value, json};

use crate::environment::Environment;

/// The argument to `help` that shows this page.
pub const TOPIC: &str = "environment";

/// The host's own variables, including those that it shares with all plugins. Each line has the form `NAME: description`.
const OWN: &str = include_str!("variables.txt");

pub fn page(environment: &Environment) -> Reply {
    let own = OWN.lines().filter_map(|line| line.split_once(": "));
    let own = own.map(|(name, about)| VariableSpec {
        name: name.to_owned(),
        about: about.to_owned(),
    });
    let own: Vec<VariableSpec> = own.collect();
    let mut sections = vec![("bot-cli".to_owned(), own)];
    for found in environment.discovery.all() {
        if let Standing::Used(plugin) = found.standing
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
