//! Finds a plugin by name, or suggests similar commands.

use bot_cli_engine::discovery::{HostFile, MANAGER, Plugin, PluginName, SHIPPED};
use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::suggest;
use bot_cli_terminal::Terminal;
use bot_cli_terminal::ui::{Level, Ui};
use serde_json::Value;

use crate::environment::Environment;
use crate::tree;

pub fn plugin(
    name: &str,
    environment: &Environment,
    terminal: &Terminal,
) -> Result<Plugin, Failure> {
    let Some(parsed) = PluginName::parse(name) else {
        return Err(unknown(name, environment));
    };
    let named = environment.discovery.by_name(&parsed);
    let Some(plugin) = named.plugin else {
        return Err(match named.refused.first() {
            Some((file, refused)) => refused.failure(file),
            None => unknown(name, environment),
        });
    };
    for (file, refused) in &named.refused {
        let line = format!("`{}` is not run: {}", file.display(), refused.reason);
        terminal.clone().log(Level::Info, &line, &Value::Null);
    }
    Ok(plugin)
}

fn unknown(name: &str, environment: &Environment) -> Failure {
    let mut failure = suggest::no_such_command(&tree::whole(environment), "bot-cli", name);
    failure.exit = Exit::NotFound;
    "not_found".clone_into(&mut failure.code);
    if SHIPPED.contains(&name) {
        failure.hints.clear();
    }
    if failure.hints.is_empty()
        && suggest::is_plain(name)
        && let Some(name) = PluginName::parse(name)
    {
        failure.hints.extend(ways_to(&name, environment));
    }
    failure.hint("bot-cli --help")
}

/// Returns two hints: the places that the host searched for the plugin, and a way to install the plugin.
fn ways_to(name: &PluginName, environment: &Environment) -> [String; 2] {
    let file = name.file();
    let host = environment.discovery.trust.host.as_ref();
    let host = host.map(HostFile::folder);
    let host = host.map_or_else(
        || "the folder of bot-cli".to_owned(),
        |folder| format!("`{}`", folder.display()),
    );
    let own = environment.discovery.own_plugins.as_ref();
    let own = own.map_or_else(String::new, |folder| format!("`{}`, ", folder.display()));
    let looked = if name.as_str() == MANAGER {
        format!("there is no file `{file}` in {host}")
    } else if SHIPPED.contains(&name.as_str()) {
        format!("there is no file `{file}` in {host} or a folder of PATH")
    } else {
        format!("there is no file `{file}` in {own}{host} or a folder of PATH")
    };
    let mend = if SHIPPED.contains(&name.as_str()) {
        format!("it is released together with bot-cli: put it into {host}")
    } else {
        "once you have the file: bot-cli plugin add FILE".to_owned()
    };
    [looked, mend]
}
