//! `plugin list`: every plugin, where it is, and whether it is used.

use bot_cli_sdk::discovery::{Found, Standing};
use bot_cli_sdk::outcome::Reply;
use bot_cli_sdk::terminal::{printable, table};
use serde_json::{Value, json};

use crate::arguments;
use crate::environment::Environment;

/// The longest text of a column, as long as the longest name that a plugin can have.
const LONGEST: usize = 32;

/// Lists the plugins.
pub fn list(environment: &Environment) -> Reply {
    let found = environment.discovery.all(&arguments::RESERVED);
    let data: Vec<Value> = found.iter().map(entry).collect();
    if data.is_empty() {
        let folders: Vec<String> = environment
            .discovery
            .folders
            .iter()
            .map(|folder| format!("  {}", folder.display()))
            .collect();
        return Reply::text(format!("no plugins in\n{}\n", folders.join("\n")))
            .data(json!({ "plugins": data }));
    }
    let mut rows = vec![
        ["NAME", "VERSION", "ROLE", "STATUS", "FILE"]
            .map(str::to_owned)
            .to_vec(),
    ];
    let mut reasons = String::new();
    for (found, entry) in found.iter().zip(&data) {
        let cell = |key: &str| shown(entry[key].as_str().unwrap_or("-"));
        rows.push(vec![
            short(&cell("name")),
            short(&cell("version")),
            short(&cell("role")),
            cell("status"),
            cell("file"),
        ]);
        if let Some(reason) = entry["reason"].as_str() {
            reasons.extend([
                "\n",
                &shown(&found.file.to_string_lossy()),
                ": ",
                &shown(reason),
            ]);
        }
        if let Some(remedy) = entry["hint"].as_str() {
            reasons.extend(["\n  hint: ", &shown(remedy)]);
        }
    }
    let gap = if reasons.is_empty() { "" } else { "\n" };
    Reply::text(format!("{}{reasons}{gap}", table(&rows))).data(json!({ "plugins": data }))
}

/// One long name must not push everything else off the screen.
fn short(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn entry(found: &Found) -> Value {
    let mut entry = json!({ "name": found.name, "file": found.file.to_string_lossy() });
    match &found.standing {
        Standing::Usable(plugin) => {
            if let Some(manifest) = &plugin.manifest {
                entry["status"] = json!("used");
                entry["version"] = json!(manifest.version);
                entry["about"] = json!(manifest.about);
                entry["role"] = json!(manifest.role.name());
            } else {
                entry["status"] = json!("undeclared");
                entry["role"] = json!("command");
            }
        }
        Standing::Shadowed(winner) => {
            let winner = winner.as_ref().map_or_else(
                || "a command of bot-cli itself".to_owned(),
                |file| format!("`{}`", file.display()),
            );
            entry["status"] = json!("shadowed");
            entry["reason"] = json!(format!("{winner} comes first"));
        }
        Standing::Unusable(unusable) => {
            entry["status"] = json!("refused");
            entry["reason"] = json!(unusable.reason());
            if let Some(remedy) = unusable.remedy(&found.file) {
                entry["hint"] = json!(remedy);
            }
        }
        Standing::Misnamed => {
            entry["status"] = json!("refused");
            entry["reason"] =
                json!("its name is not made of lower-case letters, digits and hyphens, 32 at most");
        }
    }
    entry
}

fn shown(text: &str) -> String {
    match printable(text, false).replace('\n', " ") {
        empty if empty.is_empty() => "-".to_owned(),
        text => text,
    }
}
