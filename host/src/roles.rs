//! Plugins that are no commands: what they are for, and which commands use them. What is in them, the host does not know.

use bot_cli_engine::discovery::{PluginFile, users_of};
use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::outcome::Reply;
use bot_cli_protocol::{Manifest, Role, SettingSpec};
use bot_cli_terminal::{one_line, printable, table};
use serde_json::json;

use crate::environment::Environment;

/// The beginning of the names of provider packs.
const PACK: &str = "pack-";

/// The failure of somebody who runs a plugin that is no command.
pub fn not_a_command(name: &str, role: &Role, environment: &Environment) -> Failure {
    let purpose = purpose(name, role, &environment.discovery.all());
    Failure::new(Exit::Usage, "not_a_command", purpose).hint(more(name))
}

/// The same where `name` is that of a pack that is a folder.
pub fn folder(name: &str, environment: &Environment) -> Option<Failure> {
    let folder = name.strip_prefix(PACK)?;
    let mut folders = environment.discovery.pack_folders.iter();
    let is_there = folders.any(|packs| packs.join(folder).join("pack.toml").is_file());
    is_there.then(|| not_a_command(name, &Role::ProviderPack, environment))
}

/// Returns what is known of a plugin that is no command, from its manifest.
pub fn help(name: &str, manifest: &Manifest, environment: &Environment) -> Reply {
    let purpose = purpose(name, &manifest.role, &environment.discovery.all());
    let mut text = String::new();
    if !manifest.about.is_empty() {
        text.extend([&one_line(&manifest.about), "\n\n"]);
    }
    text.extend([&purpose, "\n\nMore:\n  ", &more(name), "\n"]);
    if !manifest.settings.is_empty() {
        let rows: Vec<Vec<String>> = manifest.settings.iter().map(setting).collect();
        text.extend(["\nSettings:\n", &table(&rows)]);
    }
    let text = printable(&text, false);
    Reply::text(text.clone()).data(json!({ "help": text }))
}

fn more(name: &str) -> String {
    format!("bot-cli plugin info {name}")
}

fn setting(setting: &SettingSpec) -> Vec<String> {
    let required = if setting.required { " (required)" } else { "" };
    vec![
        format!("  {}", one_line(&setting.name)),
        format!("{}{required}", one_line(&setting.about)),
    ]
}

/// Returns what a plugin of `role` is, and who uses it, in a sentence.
fn purpose(name: &str, role: &Role, found: &[PluginFile]) -> String {
    let users: Vec<String> = users_of(role, found)
        .map(|(plugin, _)| format!("`bot-cli {}`", plugin.name))
        .collect();
    let what = role.words();
    let serves = match role {
        Role::ProviderPack => "offers its services",
        Role::SecretsBackend => "can store secrets in it",
        other @ (Role::Command | Role::Other(_)) => {
            let role = one_line(other.name());
            return format!(
                "`{name}` is not a command, and this bot-cli does not know its role `{role}`"
            );
        }
    };
    if users.is_empty() {
        return format!("`{name}` is a {what}, not a command, and no plugin here uses a {what}");
    }
    let users = users.join(" and ");
    format!("`{name}` is a {what}, not a command: {users} {serves}")
}
