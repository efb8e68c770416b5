//! Plugins that are no commands: what they are for, which commands use them, and how.
//!
//! The host knows no command by heart. Which one uses a role, and in which version, is in that command's manifest.

use bot_cli_sdk::compat::User;
use bot_cli_sdk::discovery::{Plugin, Standing};
use bot_cli_sdk::failure::{Exit, Failure};
use bot_cli_sdk::outcome::Reply;
use bot_cli_sdk::protocol::{ArgumentSpec, CommandSpec, Manifest, Role, SettingSpec};
use bot_cli_sdk::terminal::{printable, table};
use serde_json::json;

use crate::arguments;
use crate::environment::Environment;
use crate::help;

/// A command that uses plugins of a role.
pub struct Consumer {
    /// The command's own name: `init`.
    pub name: String,
    /// What it can use.
    pub user: User,
    /// Its command tree.
    pub tree: Option<CommandSpec>,
}

/// What the name of a secrets backend begins with.
const SECRETS_PREFIX: &str = "secrets-";

/// The commands that use plugins of `role`.
pub fn consumers(role: &Role, environment: &Environment) -> Vec<Consumer> {
    let found = environment.discovery.all(&arguments::RESERVED);
    let usable = found.into_iter().filter_map(|found| match found.standing {
        Standing::Usable(plugin) => Some(*plugin),
        Standing::Shadowed(_) | Standing::Unusable(_) | Standing::Misnamed => None,
    });
    usable
        .filter_map(|plugin| Consumer::of(plugin, role))
        .collect()
}

impl Consumer {
    /// The plugin, if it uses those of `role`.
    fn of(plugin: Plugin, role: &Role) -> Option<Self> {
        let manifest = plugin.manifest?;
        let uses = manifest.uses.get(role.name())?.clone();
        Some(Self {
            name: plugin.name.to_string(),
            user: User::new(plugin.name.file(), manifest.version, uses),
            tree: manifest.command,
        })
    }

    /// The first option of this command that takes what plugins of `role` bring: `bot-cli cloud --backend`.
    fn option(&self, role: &Role) -> Option<String> {
        let words = option_of(self.tree.as_ref()?, role)?;
        Some(format!("bot-cli {} {words}", self.name))
    }
}

/// The words that lead to an option for `role`, below `command`.
fn option_of(command: &CommandSpec, role: &Role) -> Option<String> {
    let fits = |argument: &&ArgumentSpec| {
        let source = argument.values_from.as_deref().map(Source::read);
        source.is_some_and(|source| source.role == role.name())
    };
    let long = command
        .arguments
        .iter()
        .filter(fits)
        .find_map(|argument| argument.long.as_deref());
    if let Some(long) = long {
        return Some(format!("--{long}"));
    }
    let mut below = command.commands.iter().filter(|below| !below.hidden);
    below.find_map(|below| Some(format!("{} {}", below.name, option_of(below, role)?)))
}

/// Where values of an argument come from: `provider-pack/stt`.
pub struct Source<'a> {
    /// The role of the plugins that bring them.
    pub role: &'a str,
    /// Which of theirs; empty: their names.
    pub part: &'a str,
}

impl<'a> Source<'a> {
    /// Reads `values_from`.
    pub fn read(text: &'a str) -> Self {
        let (role, part) = text.split_once('/').unwrap_or((text, ""));
        Self { role, part }
    }
}

/// What a plugin of `role` is, and who uses it, in a sentence.
pub fn purpose(name: &str, role: &Role, consumers: &[Consumer]) -> String {
    let (what, serves) = match role {
        Role::ProviderPack => ("provider pack", "offers its services"),
        Role::SecretsBackend => ("secrets backend", "can keep secrets in it"),
        other @ (Role::Command | Role::Other(_) | _) => {
            let role = printable(other.name(), false).replace('\n', " ");
            return format!(
                "`{name}` is not a command, and this bot-cli does not know its role `{role}`"
            );
        }
    };
    match commands(consumers) {
        users if users.is_empty() => {
            format!("`{name}` is a {what}, not a command, and no plugin here uses a {what}")
        }
        users => format!("`{name}` is a {what}, not a command: {users} {serves}"),
    }
}

/// How a plugin of `role` is used: command lines, and `plugin list` for the rest.
pub fn usages(name: &str, role: &Role, consumers: &[Consumer]) -> Vec<String> {
    // What stands for a name is a word of the user's.
    let value = match role {
        Role::SecretsBackend => name.strip_prefix(SECRETS_PREFIX).unwrap_or(name),
        Role::ProviderPack => "SERVICE",
        Role::Command | Role::Other(_) | _ => "",
    };
    let options = consumers
        .iter()
        .filter_map(|consumer| consumer.option(role));
    let lines = options.map(|option| format!("{option} {value}"));
    lines.chain(["bot-cli plugin list".to_owned()]).collect()
}

/// The failure of a plugin that somebody runs and that is no command.
pub fn not_a_command(plugin: &Plugin, role: &Role, environment: &Environment) -> Failure {
    let consumers = consumers(role, environment);
    let name = plugin.name.as_str();
    let failure = Failure::new(
        Exit::Usage,
        "not_a_command",
        purpose(name, role, &consumers),
    );
    usages(name, role, &consumers)
        .into_iter()
        .fold(failure, Failure::hint)
}

/// What is known of a plugin that is no command, from its manifest.
pub fn help(plugin: &Plugin, manifest: &Manifest, environment: &Environment) -> Reply {
    let consumers = consumers(&manifest.role, environment);
    let name = plugin.name.as_str();
    let mut text = String::new();
    if !manifest.about.is_empty() {
        text.extend([&help::about(plugin), "\n\n"]);
    }
    text.extend([&purpose(name, &manifest.role, &consumers), "\n\nUse:\n"]);
    for line in usages(name, &manifest.role, &consumers) {
        text.extend(["  ", &line, "\n"]);
    }
    if !manifest.settings.is_empty() {
        let rows: Vec<Vec<String>> = manifest.settings.iter().map(setting).collect();
        text.extend(["\nSettings:\n", &table(&rows)]);
    }
    let text = printable(&text, false);
    Reply::text(text.clone()).data(json!({ "help": text }))
}

fn setting(setting: &SettingSpec) -> Vec<String> {
    let cell = |text: &str| printable(text, false).replace('\n', " ");
    let required = if setting.required { " (required)" } else { "" };
    vec![
        format!("  {}", cell(&setting.name)),
        format!("{}{required}", cell(&setting.about)),
    ]
}

fn commands(consumers: &[Consumer]) -> String {
    let names: Vec<String> = consumers
        .iter()
        .map(|consumer| format!("`bot-cli {}`", consumer.name))
        .collect();
    names.join(" and ")
}
