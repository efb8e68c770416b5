//! Tests for the names that users' scripts and files depend on. `promised.txt` lists them: names may be added, but not removed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{done, web};

#[test]
fn no_promised_name_is_gone() {
    let given = given();
    let file = file();
    let promised = fs::read_to_string(&file).unwrap_or_default();
    let gone: Vec<&str> = promised
        .lines()
        .filter(|name| !given.contains(*name))
        .collect();
    assert!(
        gone.is_empty(),
        "{}\nusers' scripts and files have these names: keep them, as an alias if need be",
        gone.join("\n")
    );
    if std::env::var_os("UPDATE").is_some() {
        let all: BTreeSet<&str> = promised
            .lines()
            .chain(given.iter().map(String::as_str))
            .collect();
        let text: Vec<&str> = all.into_iter().collect();
        fs::write(&file, text.join("\n") + "\n").unwrap();
    }
    // The file itself is not emptied by mistake.
    assert!(promised.lines().count() >= 350, "{}", file.display());
}

/// Returns every current name, prefixed with its location.
fn given() -> BTreeSet<String> {
    let folder = tempfile::tempdir().unwrap();
    let document = |arguments: &[&str]| -> Value {
        serde_json::from_str(&done(folder.path(), arguments)).unwrap()
    };
    let mut names = BTreeSet::new();
    let mut listed = document(&["--list-options"]);
    // Labels are for people, and may be put better.
    listed.as_object_mut().unwrap().remove("labels");
    leaves("--list-options", &listed, &mut names);
    for key in document(&web(&["my-bot", "--dry-run"]))
        .as_object()
        .unwrap()
        .keys()
    {
        names.insert(format!("--dry-run {key}"));
    }
    for (key, value) in document(&["--config-schema"])["properties"]
        .as_object()
        .unwrap()
    {
        names.insert(format!("--config {key}"));
        for accepted in [&value["enum"], &value["items"]["enum"]] {
            leaves(&format!("--config {key}"), accepted, &mut names);
        }
    }
    let manifest = include_str!("../../../../plugins/init/manifest.json");
    let manifest: Value = serde_json::from_str(manifest).unwrap();
    for argument in manifest["command"]["arguments"].as_array().unwrap() {
        let short = argument["short"].as_str();
        let aliases = argument["aliases"].as_array().into_iter().flatten();
        let long = aliases
            .filter_map(Value::as_str)
            .chain(argument["long"].as_str());
        names.extend(short.map(|short| format!("option -{short}")));
        names.extend(long.map(|long| format!("option --{long}")));
    }
    names.extend(
        [
            "option --help",
            "option --version",
            "option -h",
            "option -V",
        ]
        .map(str::to_owned),
    );
    names
}

/// Collects the keys and strings in a document, each prefixed with the keys that lead to it.
fn leaves(place: &str, document: &Value, names: &mut BTreeSet<String>) {
    match document {
        Value::Object(members) => {
            for (key, value) in members {
                names.insert(format!("{place} {key}"));
                leaves(&format!("{place} {key}"), value, names);
            }
        }
        Value::Array(items) => {
            for item in items {
                leaves(place, item, names);
            }
        }
        Value::String(text) => {
            names.insert(format!("{place} {text}"));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/init/promised.txt")
}
