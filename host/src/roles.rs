//! Plugins that are no commands: what they are for, which commands use them, and how.
//!
//! The host knows no command by heart. Which one uses a role, and in which version, is in that command's manifest.

mod offers;
mod survey;

use bot_cli_sdk::discovery::{Form, FoundPack, Plugin, PluginFile, Reach, Standing};
use bot_cli_sdk::failure::{Exit, Failure};
use bot_cli_sdk::outcome::Reply;
use bot_cli_sdk::pack::{self, Taken};
use bot_cli_sdk::protocol::{Manifest, Role, SettingSpec};
use bot_cli_sdk::terminal::{one_line, printable, table};
use bot_cli_sdk::words::HelpForm;
use serde_json::json;

use crate::arguments;
use crate::environment::Environment;
pub use offers::Offers;
pub use survey::{Survey, View};

/// The source of an argument's values: `provider-pack/stt`.
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

/// The commands among `found` that use plugins of `role`, with what they declare.
pub fn consumers<'a>(
    role: &'a Role,
    found: &'a [PluginFile],
) -> impl Iterator<Item = (&'a Plugin, &'a Manifest)> {
    let usable = found.iter().filter_map(|found| match &found.standing {
        Standing::Usable(plugin) => Some((&**plugin, plugin.manifest.as_ref()?)),
        Standing::Shadowed(_) | Standing::Unusable(_) | Standing::Misnamed => None,
    });
    usable.filter(|(_, manifest)| manifest.uses.contains_key(role.name()))
}

/// Returns what the services of packs can't have, because a command that uses packs has it itself.
pub fn taken(environment: &Environment) -> Taken {
    let found = environment.discovery.all(&arguments::RESERVED);
    let mut users = consumers(&Role::ProviderPack, &found);
    users
        .next()
        .map_or_else(Taken::default, |(plugin, manifest)| {
            Offers::new(plugin, manifest, environment).taken()
        })
}

/// The role in words: `provider pack`.
pub fn words(role: &Role) -> String {
    match role {
        Role::Command => "command".to_owned(),
        Role::ProviderPack => "provider pack".to_owned(),
        Role::SecretsBackend => "secrets backend".to_owned(),
        other @ (Role::Other(_) | _) => {
            format!("plugin of the role `{}`", one_line(other.name()))
        }
    }
}

/// The pack that is a folder and is called `name` with `pack-` in front.
pub fn folder(name: &str, environment: &Environment) -> Option<FoundPack> {
    let name = name.strip_prefix(pack::PREFIX)?;
    let discovery = &environment.discovery;
    let packs = discovery.packs(None, Taken::default, Reach::CacheOnly);
    let mut packs = packs.into_iter();
    packs.find(|pack| pack.form == Form::Folder && pack.name == name)
}

/// Returns what somebody gets who runs a pack that is a folder, or wants its help.
pub fn of_folder(
    pack: &FoundPack,
    help: Option<HelpForm>,
    environment: &Environment,
) -> Result<Reply, Failure> {
    let name = format!("{}{}", pack::PREFIX, pack.name);
    match (help, &pack.manifest) {
        (Some(_), Some(manifest)) => Ok(self::help(&name, manifest, environment)),
        (Some(_) | None, _) => Err(not_a_command(&name, &Role::ProviderPack, environment)),
    }
}

/// The failure of somebody who runs a plugin that is no command.
pub fn not_a_command(name: &str, role: &Role, environment: &Environment) -> Failure {
    let (purpose, usages) = purpose(name, role, environment);
    let failure = Failure::new(Exit::Usage, "not_a_command", purpose);
    usages.into_iter().fold(failure, Failure::hint)
}

/// Returns what is known of a plugin that is no command, from its manifest.
pub fn help(name: &str, manifest: &Manifest, environment: &Environment) -> Reply {
    let (purpose, usages) = purpose(name, &manifest.role, environment);
    let mut text = String::new();
    if !manifest.about.is_empty() {
        text.extend([&one_line(&manifest.about), "\n\n"]);
    }
    text.extend([&purpose, "\n\nUse:\n"]);
    for usage in usages {
        text.extend(["  ", &usage, "\n"]);
    }
    if !manifest.settings.is_empty() {
        let rows: Vec<Vec<String>> = manifest.settings.iter().map(setting).collect();
        text.extend(["\nSettings:\n", &table(&rows)]);
    }
    let text = printable(&text, false);
    Reply::text(text.clone()).data(json!({ "help": text }))
}

fn setting(setting: &SettingSpec) -> Vec<String> {
    let required = if setting.required { " (required)" } else { "" };
    vec![
        format!("  {}", one_line(&setting.name)),
        format!("{}{required}", one_line(&setting.about)),
    ]
}

/// Returns what a plugin of `role` is and who uses it, in a sentence, and how, in command lines.
fn purpose(name: &str, role: &Role, environment: &Environment) -> (String, Vec<String>) {
    let found = environment.discovery.all(&arguments::RESERVED);
    let mut users = Vec::new();
    let mut usages = Vec::new();
    for (plugin, manifest) in consumers(role, &found) {
        users.push(format!("`bot-cli {}`", plugin.name));
        usages.extend(Offers::new(plugin, manifest, environment).example(role, name));
    }
    usages.push("bot-cli plugin list".to_owned());
    let what = words(role);
    let serves = match role {
        Role::ProviderPack => "offers its services",
        Role::SecretsBackend => "can store secrets in it",
        other @ (Role::Command | Role::Other(_) | _) => {
            let role = one_line(other.name());
            let purpose = format!(
                "`{name}` is not a command, and this bot-cli does not know its role `{role}`"
            );
            return (purpose, usages);
        }
    };
    let purpose = if users.is_empty() {
        format!("`{name}` is a {what}, not a command, and no plugin here uses a {what}")
    } else {
        let users = users.join(" and ");
        format!("`{name}` is a {what}, not a command: {users} {serves}")
    };
    (purpose, usages)
}
