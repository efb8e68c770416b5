//! Shows the host's version, for `--version`. With `-v` or `--json`, also lists every file whose name marks it as a plugin, including
//! unused files. The list does not depend on the plugin manager, which may be unusable.

use bot_cli_engine::discovery::{Found, Plugin, Standing};
use bot_cli_protocol::outcome::Reply;
use bot_cli_protocol::{self as protocol, Role};
use bot_cli_terminal::{one_line, table};
use serde_json::{Value, json};

use crate::environment::Environment;

/// The commit from which a released executable was built.
const COMMIT: Option<&str> = option_env!("BOT_CLI_COMMIT");

pub fn reply(environment: &Environment) -> Reply {
    let found: Vec<Value> = environment.discovery.all().iter().map(entry).collect();
    let mut rows = vec![
        ["NAME", "VERSION", "STATUS", "FILE"]
            .map(str::to_owned)
            .to_vec(),
    ];
    let mut notes = String::new();
    for entry in &found {
        let cell = |key: &str| match one_line(entry[key].as_str().unwrap_or_default()) {
            empty if empty.is_empty() => "-".to_owned(),
            text => text,
        };
        rows.push(["name", "version", "status", "file"].map(cell).to_vec());
        if !entry["reason"].is_null() {
            notes.extend(["\n", &cell("file"), ": ", &cell("reason")]);
        }
        if !entry["hint"].is_null() {
            notes.extend(["\n  hint: ", &cell("hint")]);
        }
    }
    let host = environment.discovery.nesting.host.as_ref();
    let host = host.map(|file| file.to_string_lossy());
    let gap = if notes.is_empty() { "" } else { "\n" };
    let commit = COMMIT.map_or_else(String::new, |commit| format!("  commit    {commit}\n"));
    let text = format!(
        "bot-cli {}\n{commit}  file      {}\n  protocol  {}\n\n{}{notes}{gap}",
        env!("CARGO_PKG_VERSION"),
        host.as_deref()
            .map_or_else(|| "unknown".to_owned(), one_line),
        protocol::VERSION,
        if found.is_empty() {
            "no plugins found\n".to_owned()
        } else {
            table(&rows)
        },
    );
    Reply::text(text).data(json!({
        "name": "bot-cli",
        "version": env!("CARGO_PKG_VERSION"),
        "commit": COMMIT,
        "protocol": protocol::VERSION,
        "file": host,
        "plugins": found,
    }))
}

fn entry(found: &Found<Plugin>) -> Value {
    let mut entry = json!({
        "name": found.name,
        "version": null,
        "role": null,
        "protocol": null,
        "status": "undeclared",
        "file": found.place.to_string_lossy(),
    });
    if let Some((status, refused)) = found.standing.unused() {
        entry["status"] = json!(status);
        entry["reason"] = json!(refused.reason);
        if let Some(hint) = &refused.remedy {
            entry["hint"] = json!(hint);
        }
    } else if let Standing::Used(plugin) = &found.standing
        && let Some(manifest) = &plugin.manifest
    {
        entry["version"] = json!(manifest.version);
        entry["role"] = json!(manifest.role.name());
        entry["protocol"] = json!(manifest.protocol);
        let is_command = manifest.role == Role::Command;
        entry["status"] = json!(if is_command { "used" } else { "found" });
    }
    entry
}
