//! `PACKS.md`, its examples and its schema: the blocks are the files, and the files are packs that are in order.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use schemars::SchemaGenerator;
use serde_json::{Value, json};

use super::{Contents, Folder, Provider, Reader, SCHEMA, Taken, read};
use bot_cli_protocol::{Manifest, Message, methods};

const SCHEMA_FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/packs.schema.json");

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn document() -> String {
    fs::read_to_string(package().join("PACKS.md")).unwrap()
}

fn example(name: &str) -> String {
    fs::read_to_string(package().join("tests/packs").join(name)).unwrap()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
    entries
        .flat_map(|path| {
            if path.is_dir() {
                files(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

/// The example is in order, whole.
fn assert_in_order(contents: &Contents) {
    assert_eq!(contents.left_out, []);
    assert!(!contents.providers.is_empty());
}

#[test]
fn the_blocks_of_the_document_are_the_example_files() {
    let mut blocks = BTreeMap::new();
    for part in document().split("<!-- example: ").skip(1) {
        let (name, rest) = part.split_once(" -->\n```").unwrap();
        let (_language, rest) = rest.split_once('\n').unwrap();
        let (block, _) = rest.split_once("\n```\n").unwrap();
        blocks.insert(name.to_owned(), format!("{block}\n"));
    }
    let folder = package().join("tests/packs");
    let stored: BTreeMap<String, String> = files(&folder)
        .iter()
        .map(|path| {
            let name = path.strip_prefix(&folder).unwrap().to_str().unwrap();
            (name.to_owned(), fs::read_to_string(path).unwrap())
        })
        .collect();
    assert_eq!(blocks, stored);
    let fences = document().matches("\n```").count();
    assert_eq!(fences, 2 * blocks.len(), "a block is no example");
}

#[test]
fn the_folder_of_the_document_is_a_pack() {
    let folder = package().join("tests/packs/acme");
    let manifest = Folder::declared(&folder, "acme", &|_| Ok(())).unwrap();
    assert_eq!(manifest.version, "1.2.0");
    assert_eq!(manifest.catalogue.as_deref(), Some(SCHEMA));
    let mut taken = Taken::default();
    let mut reader = Reader::new("acme", None, &mut taken);
    for (file, provider) in Folder::providers(&folder, &|_| Ok(())).unwrap() {
        reader.provider(&file, provider.unwrap());
    }
    assert_in_order(&reader.finish());
}

#[test]
fn the_manifest_of_the_document_is_a_pack() {
    let manifest = Manifest::find(example("bot-cli-pack-tide").as_bytes()).unwrap();
    let providers = manifest.providers.unwrap();
    assert_in_order(&read("tide", providers, None, &mut Taken::default()).unwrap());
}

#[test]
fn the_reply_of_the_document_brings_services() {
    let text = example("services.jsonl");
    let lines: Vec<Message> = text
        .lines()
        .map(|line| Message::from_line(line.as_bytes()).unwrap())
        .collect();
    let [
        Message::Request { method, params, .. },
        Message::Result { result, .. },
    ] = lines.as_slice()
    else {
        panic!("{lines:?}");
    };
    assert_eq!(method, methods::PACK_SERVICES);
    assert_eq!(params["catalogue"], SCHEMA);
    let providers = result["providers"].clone();
    assert_in_order(&read("moss", providers, None, &mut Taken::default()).unwrap());
}

#[test]
fn the_document_has_every_key_and_every_rule() {
    let document = document();
    let schema = schema();
    let mut keys: Vec<String> = Vec::new();
    for (name, of) in schema["$defs"].as_object().unwrap() {
        if let Some(properties) = of["properties"].as_object() {
            keys.extend(properties.keys().map(|key| format!("{name} {key}")));
        }
    }
    assert!(keys.len() > 30, "{keys:?}");
    let rows: Vec<&str> = document
        .lines()
        .filter(|line| line.starts_with("| `"))
        .collect();
    let has_row = |word: &str| {
        rows.iter().any(|row| {
            let first = row.split(" | ").next().unwrap_or_default();
            first.contains(&format!("`{word}`"))
        })
    };
    for key in keys {
        // `reads` has its own keys in its row.
        let (of, key) = key.split_once(' ').unwrap();
        assert!(of == "Read" || has_row(key), "{of} {key}");
    }
    let checks: toml::Table = toml::from_str(include_str!("../../checks/rules.toml")).unwrap();
    for check in checks["check"].as_array().unwrap() {
        let rule = check["steps"]
            .as_str()
            .unwrap()
            .trim_start_matches("-- rule ");
        assert!(has_row(rule) || rule == "services", "{rule}");
    }
}

#[test]
fn the_stored_schema_is_that_of_the_types() {
    let generated = serde_json::to_string_pretty(&schema()).unwrap() + "\n";
    if std::env::var_os("UPDATE").is_some() {
        fs::write(SCHEMA_FILE, &generated).unwrap();
    }
    let stored = fs::read_to_string(SCHEMA_FILE).unwrap_or_default();
    assert!(
        stored == generated,
        "run `UPDATE=1 cargo test -p bot-cli-templates pack::document`"
    );
}

fn schema() -> Value {
    let mut types = SchemaGenerator::default();
    let provider = types.subschema_for::<Provider>().to_value();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("bot-cli catalogue {SCHEMA}: a provider"),
        "description": "Generated from the types of bot-cli-sdk. A file of `providers/` is one, `providers` of a manifest or of the reply to \
            `pack/services` is a list of them. PACKS.md says what else a reader asks for.",
        "$ref": provider["$ref"],
        "$defs": types.take_definitions(true),
    })
}
