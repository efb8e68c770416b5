//! Tests that `PACKS.md` matches its example files and its schema.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use schemars::SchemaGenerator;
use serde_json::{Value, json};

use super::{Provider, SCHEMA};

const SCHEMA_FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/packs.schema.json");

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn document() -> String {
    fs::read_to_string(package().join("PACKS.md")).unwrap()
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
fn the_document_has_every_key() {
    let document = document();
    let rows = document.lines().filter(|line| line.starts_with("| `"));
    let rows: Vec<&str> = rows.filter_map(|row| row.split(" | ").next()).collect();
    let schema = schema();
    for (name, of) in schema["$defs"].as_object().unwrap() {
        // The keys of `Read` are in the row for `reads`.
        let keys = of["properties"].as_object().filter(|_| name != "Read");
        for key in keys.iter().flat_map(|keys| keys.keys()) {
            let has_it = |row: &&str| row.contains(&format!("`{key}`"));
            assert!(rows.iter().any(has_it), "{name} {key}");
        }
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
        "description": "Generated from the types of bot-cli-templates. A file of `providers/` is one, `providers` of a manifest is a list of them. \
            PACKS.md has the rules beside it.",
        "$ref": provider["$ref"],
        "$defs": types.take_definitions(true),
    })
}
