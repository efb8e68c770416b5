//! Generates help from manifests, without starting plugins.

use bot_cli_engine::discovery::{Plugin, Standing};
use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::outcome::Reply;
use bot_cli_protocol::suggest;
use bot_cli_protocol::words::{HelpForm, Reader, Word};
use bot_cli_protocol::{ArgumentKind, ArgumentSpec, CommandSpec, Manifest, Role};
use bot_cli_terminal::{Look, cut, printable, table};
use clap::Command;
use clap::builder::{StyledStr, Styles};
use serde_json::json;

use crate::arguments;
use crate::environment::Environment;
use crate::tree;

/// The maximum width of help text, in columns.
const WIDEST: usize = 100;

const AFTER_HELP: &str = "Examples:
  bot-cli init quickstart
  bot-cli dev quickstart-project
  bot-cli cloud secrets set --from-template .env.example

Run `bot-cli help COMMAND` for details, `bot-cli help environment` for environment variables.";

/// Returns the host's clap command, whose help lists the plugins.
pub fn host(environment: &Environment) -> Command {
    let found = environment.discovery.all();
    let mut rows = Vec::new();
    let mut all_usable = true;
    for found in &found {
        match &found.standing {
            Standing::Used(plugin) if tree::is_command(plugin) => {
                rows.push(vec![
                    format!("  {}", plugin.name),
                    tree::about_plugin(plugin),
                ]);
            }
            Standing::Used(_) | Standing::Shadowed(_) => {}
            Standing::Refused(_) => all_usable = false,
        }
    }
    // The style of clap's own headings.
    let style = *Styles::styled().get_header();
    let rows = if rows.is_empty() {
        "  none found; bot-cli looks for `bot-cli-NAME` in the folders of PATH".to_owned()
    } else {
        let rows = table(&rows);
        let rows = rows.lines().map(|row| cut(row, width(environment.look)));
        rows.collect::<Vec<_>>().join("\n")
    };
    let mut plugins = format!("{style}Plugins:{style:#}\n{rows}");
    if !all_usable {
        plugins.push_str("\n\nSome plugins are not usable; `bot-cli --version -v` shows why");
    }
    // clap has no other place between the usage and the built-in commands.
    let template = "{about}\n\n{usage-heading} {usage}\n\n{before-help}{all-args}{after-help}";
    arguments::command()
        .before_help(plugins)
        .after_help(AFTER_HELP)
        .help_template(template)
        .term_width(width(environment.look))
}

/// Returns the command line that runs the command at `path`.
pub fn invocation(plugin: &Plugin, path: &[&CommandSpec]) -> String {
    let names = path.iter().skip(1).map(|command| command.name.as_str());
    let words: Vec<&str> = ["bot-cli", plugin.name.as_str()]
        .into_iter()
        .chain(names)
        .collect();
    words.join(" ")
}

/// Returns the help for the plugin's subcommand that `words` specify.
pub fn of_words(
    plugin: &Plugin,
    words: &[String],
    environment: &Environment,
) -> Result<Reply, Failure> {
    let Some(manifest) = &plugin.manifest else {
        return Ok(undeclared(plugin));
    };
    if !tree::is_command(plugin) {
        return Err(not_a_command(plugin, manifest));
    }
    let untold = CommandSpec::default();
    let mut reader = Reader::new(manifest.command.as_ref().unwrap_or(&untold));
    for word in words {
        let command = reader.command();
        let is_unknown = matches!(reader.read(word), Word::Positional(None));
        if is_unknown && !command.commands.is_empty() {
            let called = invocation(plugin, reader.path());
            let failure = suggest::no_such_command(command, &called, word);
            return Err(failure.hint(format!("{called} --help")));
        }
    }
    Ok(self::plugin(
        plugin,
        manifest,
        reader.path(),
        HelpForm::Long,
        environment,
    ))
}

pub fn not_a_command(plugin: &Plugin, manifest: &Manifest) -> Failure {
    let name = &plugin.name;
    let message = match &manifest.role {
        Role::ProviderPack | Role::SecretsBackend => {
            format!("`{name}` is a {}, not a command", manifest.role.words())
        }
        Role::Command | Role::Other(_) => format!(
            "`{name}` is not a command, and this bot-cli does not know its role `{}`",
            manifest.role.name()
        ),
    };
    let more = format!("bot-cli plugin info {name}");
    Failure::new(Exit::Usage, "not_a_command", message).hint(more)
}

pub fn plugin(
    plugin: &Plugin,
    manifest: &Manifest,
    path: &[&CommandSpec],
    form: HelpForm,
    environment: &Environment,
) -> Reply {
    let look = environment.look;
    let invocation = invocation(plugin, path);
    let is_versioned = !manifest.version.is_empty();
    let command = if manifest.command.is_some() {
        tree::command(path, &invocation, is_versioned)
    } else {
        let mut untold = CommandSpec::new("", &manifest.about);
        untold.arguments.push(ArgumentSpec {
            name: "ARGS".to_owned(),
            kind: ArgumentKind::Positional,
            about: "Arguments of the plugin".to_owned(),
            repeatable: true,
            ..ArgumentSpec::default()
        });
        tree::command(&[&untold], &invocation, is_versioned)
    };
    let mut command = command.term_width(width(look));
    // Like clap, shows the long form only if it has more text.
    if command.get_long_about().is_none() || form == HelpForm::Short {
        rendered(&command.render_help(), look)
    } else {
        rendered(&command.render_long_help(), look)
    }
}

/// Returns the help for a plugin without a manifest. Does not start the plugin.
fn undeclared(plugin: &Plugin) -> Reply {
    let (name, about) = (&plugin.name, tree::about_plugin(plugin));
    let text =
        format!("{about}\n\nIt has no manifest; `bot-cli {name} --help` passes `--help` to it.\n");
    Reply::text(text.clone()).data(json!({ "help": text }))
}

pub fn reply(command: Command, look: Look) -> Reply {
    rendered(&command.term_width(width(look)).render_help(), look)
}

fn rendered(help: &StyledStr, look: Look) -> Reply {
    let plain = help.to_string().trim_start_matches('\n').to_owned();
    Reply::text(if look.stdout_color {
        help.ansi().to_string().trim_start_matches('\n').to_owned()
    } else {
        plain.clone()
    })
    .data(json!({ "help": plain }))
}

pub fn version(plugin: &Plugin, manifest: &Manifest) -> Reply {
    let version = printable(&manifest.version, false);
    Reply::text(format!("{} {version}", plugin.name.file()))
        .data(json!({ "name": plugin.name.as_str(), "version": version }))
}

fn width(look: Look) -> usize {
    look.width.min(WIDEST)
}
