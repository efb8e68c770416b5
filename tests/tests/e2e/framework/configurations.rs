//! Configuration files from the framework's own tool. Each must work here unchanged and have the same meaning, and each name that the tool
//! offers must be known.

use std::fs;
use std::path::Path;
use std::process::Command;

use bot_cli_init::Catalogue;
use serde_json::{Map, Value, json};

use crate::bot::{python_script, succeeds, text};

/// The number of configurations to request from the tool.
const COUNT: usize = 48;

#[test]
fn every_configuration_and_name_of_the_frameworks_own_tool_works_unchanged() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    succeeds(python_script("write_configurations.py").arg(folder.path()));
    let mut wrong = unknown_names(folder.path());
    for number in 0..COUNT {
        let name = format!("bot-{number:02}");
        let read =
            |ending: &str| fs::read_to_string(folder.path().join(&name).with_extension(ending));
        let (theirs, made_by) = (read("json").unwrap(), read("txt").unwrap());
        let config = format!("{name}.json");
        let init = |more: &[&str]| {
            let mut init = Command::new(env!("CARGO_BIN_EXE_it-bot-cli-init"));
            init.args([&name, "--config", &config]).args(more);
            init.current_dir(folder.path()).output().unwrap()
        };
        let (dry, made) = (init(&["--dry-run"]), init(&[]));
        if !dry.status.success() || !made.status.success() {
            wrong.push(format!("{made_by}\n{}{}", text(&dry), text(&made)));
            continue;
        }
        let ours: Value = serde_json::from_slice(&dry.stdout).unwrap();
        for (key, value) in translated(&serde_json::from_str(&theirs).unwrap()) {
            if ours[&key] != value {
                wrong.push(format!("{made_by}\n{key}: {}, not {value}", ours[&key]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns the services and transports that the tool offers and the catalogue lacks.
fn unknown_names(folder: &Path) -> Vec<String> {
    let offered = fs::read_to_string(folder.join("options.json")).unwrap();
    let offered: Value = serde_json::from_str(&offered).unwrap();
    let catalogue = Catalogue::built_in();
    let names = |key: &Value| -> Vec<String> { serde_json::from_value(key.clone()).unwrap() };
    let services = ["stt", "llm", "tts", "realtime", "video"].map(|kind| names(&offered[kind]));
    let services = services.into_iter().flatten();
    let transports = ["web", "telephony"].map(|it| names(&offered["transports"][it]));
    let transports = transports.into_iter().flatten();
    services
        .filter(|name| catalogue.service(name).is_none())
        .chain(transports.filter(|name| catalogue.transport(name).is_none()))
        .collect()
}

/// Translates a configuration from the framework's tool to our keys and values.
fn translated(theirs: &Map<String, Value>) -> Map<String, Value> {
    let catalogue = Catalogue::built_in();
    let mut ours = theirs.clone();
    // What it says follows from the client's framework.
    ours.remove("generate_client");
    let cancels = ours.remove("enable_krisp").unwrap();
    ours.insert("enable_noise_cancel".to_owned(), cancels);
    for (key, value) in &mut ours {
        let named = value.as_str();
        if key.ends_with("_service") {
            *value = named.map_or(Value::Null, |name| {
                json!(catalogue.service(name).map(|service| &service.id))
            });
        }
        if key == "transports" {
            *value = (value.as_array().unwrap().iter())
                .map(|name| json!(catalogue.transport(name.as_str().unwrap()).map(|it| &it.id)))
                .collect();
        }
    }
    // What LiveKit can't have: a published client, a start on the hosting service.
    if ours["transports"] == json!(["livekit"]) {
        ours["client_framework"] = Value::Null;
        ours["deploy_to_cloud"] = json!(false);
        ours["enable_noise_cancel"] = json!(false);
    }
    let framework = ours["client_framework"]
        .as_str()
        .unwrap_or("none")
        .to_owned();
    ours["client_server"] = match (framework.as_str(), &ours["client_server"]) {
        ("react", Value::Null) => json!("vite"),
        ("react", server) => server.clone(),
        _ => Value::Null,
    };
    ours["client_framework"] = json!(framework);
    ours
}
