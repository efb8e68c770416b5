//! Help, from manifests alone.

use bot_cli_sdk::discovery::{Plugin, Standing};
use bot_cli_sdk::outcome::Reply;
use bot_cli_sdk::protocol::{Manifest, Role};
use bot_cli_sdk::terminal::{Look, printable, table};
use clap::Command;
use clap::builder::StyledStr;
use serde_json::json;

use crate::arguments;
use crate::environment::Environment;
use crate::tree;

/// The widest text.
const WIDEST: usize = 100;

/// The host's command tree, with the plugins in its help.
pub fn host(environment: &Environment) -> Command {
    let found = environment.discovery.all(&arguments::RESERVED);
    let mut rows = Vec::new();
    let mut unusable = 0;
    for found in &found {
        match &found.standing {
            Standing::Usable(plugin) if is_command(plugin) => {
                rows.push(vec![format!("  {}", plugin.name), about(plugin)]);
            }
            Standing::Usable(_) | Standing::Shadowed(_) => {}
            Standing::Unusable(_) | Standing::Misnamed => unusable += 1,
        }
    }
    let mut plugins = if rows.is_empty() {
        "Plugins:\n  none found; bot-cli looks for `bot-cli-NAME` in the folders of PATH".to_owned()
    } else {
        format!("Plugins:\n{}", table(&rows).trim_end())
    };
    if unusable > 0 {
        let files = match unusable {
            1 => "1 file is".to_owned(),
            more => format!("{more} files are"),
        };
        plugins.extend([
            "\n\n",
            &files,
            " not usable; `bot-cli plugin list` says why",
        ]);
    }
    // clap knows no place between the usage and its own commands but this one.
    let template = "{about}\n\n{usage-heading} {usage}\n\n{before-help}{all-args}{after-help}";
    arguments::command()
        .before_help(plugins)
        .after_help("`bot-cli help COMMAND` tells more about a command.")
        .help_template(template)
        .term_width(width(environment.look))
}

/// What the help of a plugin is.
pub fn plugin(plugin: &Plugin, manifest: &Manifest, words: &[String], look: Look) -> Reply {
    let invocation = format!("bot-cli {}", plugin.name);
    let command = if let Some(spec) = &manifest.command {
        let (spec, path) = tree::find(spec, words);
        let invocation = [&[invocation], path.as_slice()].concat().join(" ");
        tree::command(&spec, &invocation)
    } else {
        // What it takes is the plugin's secret, but not what it is.
        Command::new(invocation.clone())
            .bin_name(invocation)
            .about(about(plugin))
            .arg(
                clap::Arg::new("ARGS")
                    .num_args(0..)
                    .help("Whatever the plugin takes"),
            )
    };
    let mut command = command.term_width(width(look));
    // As clap does by itself: the long form only where there is more to say.
    if command.get_long_about().is_none() || words.iter().any(|word| word == "-h") {
        rendered(&command.render_help(), look)
    } else {
        rendered(&command.render_long_help(), look)
    }
}

/// The help of a command.
pub fn reply(command: Command, look: Look) -> Reply {
    rendered(&command.term_width(width(look)).render_help(), look)
}

fn rendered(help: &StyledStr, look: Look) -> Reply {
    let plain = help.to_string();
    Reply::text(if look.stdout_color {
        help.ansi().to_string()
    } else {
        plain.clone()
    })
    .data(json!({ "help": plain }))
}

/// The version of a plugin, if it declares one.
pub fn version(plugin: &Plugin, manifest: &Manifest) -> Reply {
    let version = printable(&manifest.version, false);
    Reply::text(format!("{} {version}", plugin.name.file()))
        .data(json!({ "name": plugin.name.as_str(), "version": version }))
}

/// Whether users run it.
pub fn is_command(plugin: &Plugin) -> bool {
    plugin
        .manifest
        .as_ref()
        .is_none_or(|manifest| manifest.role == Role::Command)
}

/// What a plugin does, in a line.
pub fn about(plugin: &Plugin) -> String {
    let about = plugin.manifest.as_ref().map_or_else(
        || format!("(runs {})", plugin.file.display()),
        |manifest| manifest.about.clone(),
    );
    printable(&about, false).replace('\n', " ")
}

fn width(look: Look) -> usize {
    look.width.min(WIDEST)
}
