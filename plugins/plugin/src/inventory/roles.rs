//! Packs, backends and other plugins that commands use, as they are listed.

use std::path::Path;

use bot_cli_engine::discovery::{BACKEND_PREFIX, Plugin, PluginFile, users_of};
use bot_cli_protocol::{Manifest, Role};
use bot_cli_templates::pack;
use bot_cli_templates::packs::FoundPack;
use serde_json::{Value, json};

use super::{Note, Row};
use crate::roles::{Survey, View};

/// A pack that is a folder.
pub fn folder(pack: &FoundPack, survey: &Survey) -> Row {
    let name = format!("{}{}", pack::PREFIX, pack.name);
    let mut row = Row::new(&name, &pack.place.to_string_lossy());
    row.entry["role"] = json!(Role::ProviderPack.name());
    if let Some(manifest) = &pack.manifest {
        row.declare(manifest);
    }
    seen(row, &pack.place, &Role::ProviderPack, survey)
}

/// A plugin that is no command.
pub fn judged(
    row: Row,
    plugin: &Plugin,
    manifest: &Manifest,
    all: &[PluginFile],
    survey: &Survey,
) -> Row {
    let prefix = match manifest.role {
        Role::ProviderPack => pack::PREFIX,
        Role::SecretsBackend => BACKEND_PREFIX,
        Role::Command | Role::Other(_) => return other(row, &manifest.role, all),
    };
    if !plugin.name.as_str().starts_with(prefix) {
        let role = manifest.role.words();
        let reason = format!("the name of a {role} begins with `{prefix}`");
        let hint = format!(
            "name the file `bot-cli-{prefix}NAME`, and the plugin `{prefix}NAME` in its manifest"
        );
        return row.because("refused", reason, Some(hint));
    }
    seen(row, &plugin.file, &manifest.role, survey)
}

/// A plugin of a role that this host does not know; commands may.
fn other(mut row: Row, role: &Role, all: &[PluginFile]) -> Row {
    let users: Vec<String> = users_of(role, all)
        .map(|(plugin, _)| plugin.name.to_string())
        .collect();
    if users.is_empty() {
        let reason = format!("no plugin here uses the role `{}`", role.name());
        return row.because("unused", reason, None);
    }
    row.entry["status"] = json!("used");
    row.entry["used_by"] = json!(users);
    row
}

/// A pack or backend as the commands see it.
fn seen(mut row: Row, place: &Path, role: &Role, survey: &Survey) -> Row {
    let mut users = Vec::new();
    let mut refused_by = Vec::new();
    let mut not_used_by = Vec::new();
    let mut about_services = Vec::new();
    // Why nobody uses it, if nobody does.
    let mut unused = None;
    for (command, view) in survey.of(place) {
        match view {
            View::Used { services, left_out } => {
                // Of a pack that has nothing to offer there is nothing to use.
                if services
                    .as_ref()
                    .is_none_or(|services| !services.is_empty())
                {
                    users.push(command);
                } else {
                    unused.get_or_insert(("unused", nothing_left(left_out), None));
                }
                if *role == Role::ProviderPack {
                    row.entry["services"] = json!(services);
                    row.entry["left_out"] = left_out.iter().map(left_out_entry).collect();
                    about_services = notes_on(services.as_deref(), left_out);
                }
            }
            View::Shadowed(winner) => {
                unused.get_or_insert(("shadowed", comes_first(winner), None));
            }
            View::Refused(refused) => {
                let (reason, hint) = (refused.reason.clone(), refused.remedy.clone());
                refused_by.push(json!({ "by": command, "reason": reason, "hint": hint }));
                not_used_by.push(Note {
                    text: format!("not used by `{command}`: {reason}"),
                    hint: hint.clone(),
                });
                unused.get_or_insert(("refused", reason, hint));
            }
        }
    }
    if !users.is_empty() {
        row.entry["status"] = json!("used");
        row.entry["used_by"] = json!(users);
        if !refused_by.is_empty() {
            row.entry["refused_by"] = json!(refused_by);
        }
        row.notes.extend(about_services);
        row.notes.extend(not_used_by);
        return row;
    }
    let (status, reason, hint) = unused.unwrap_or_else(|| alone(place, role, survey));
    row = row.because(status, reason, hint);
    if !about_services.is_empty() {
        row.notes = about_services;
    }
    row
}

/// Why a pack or backend is not used that no command looks at.
fn alone(place: &Path, role: &Role, survey: &Survey) -> (&'static str, String, Option<String>) {
    match survey.alone(place) {
        Some(View::Refused(refused)) => ("refused", refused.reason, refused.remedy),
        Some(View::Shadowed(winner)) => ("shadowed", comes_first(&winner), None),
        Some(View::Used { .. }) | None => {
            let reason = format!("no plugin here uses a {}", role.words());
            ("unused", reason, None)
        }
    }
}

fn comes_first(winner: &Path) -> String {
    format!("`{}` comes first", winner.display())
}

fn nothing_left(left_out: &[(String, String)]) -> String {
    match left_out.first() {
        Some((what, reason)) => format!("{what} is left out: {reason}"),
        None => "it brings no service".to_owned(),
    }
}

fn left_out_entry((what, reason): &(String, String)) -> Value {
    json!({ "what": what, "reason": reason })
}

fn notes_on(services: Option<&[String]>, left_out: &[(String, String)]) -> Vec<Note> {
    let note = |text: String| Note { text, hint: None };
    let mut notes: Vec<Note> = left_out
        .iter()
        .map(|(what, reason)| note(format!("{what} is left out: {reason}")))
        .collect();
    if services.is_none() {
        let asked = "it is asked for its services when a command needs them";
        notes.push(note(asked.to_owned()));
    }
    notes
}
