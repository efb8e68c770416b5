//! Test helpers for specification documents: code blocks and schemas. `bot-cli-secrets` also uses this file.

use std::collections::BTreeMap;
use std::path::Path;

use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Value, json};

pub fn is_json(name: &str) -> bool {
    Path::new(name)
        .extension()
        .is_some_and(|extension| extension == "jsonl")
}

/// Returns the example blocks in `document` by name. Panics if any other block contains JSON.
pub fn blocks(document: &str) -> BTreeMap<String, String> {
    let mut blocks = BTreeMap::new();
    for part in document.split("<!-- example: ").skip(1) {
        let (name, rest) = part.split_once(" -->\n```").unwrap();
        let (_language, rest) = rest.split_once('\n').unwrap();
        let (block, _) = rest.split_once("\n```\n").unwrap();
        blocks.insert(name.to_owned(), format!("{block}\n"));
    }
    let named = blocks.keys().filter(|name| is_json(name)).count();
    assert_eq!(document.matches("```json\n").count(), named);
    blocks
}

/// Adds an unknown field to every object, except inside the members listed in `free`, whose keys are user-defined.
pub fn add_fields(value: &mut Value, free: &[&str]) {
    match value {
        Value::Object(members) => {
            for (key, member) in members.iter_mut() {
                if !free.contains(&key.as_str()) {
                    add_fields(member, free);
                }
            }
            members.insert("later".to_owned(), json!({ "x": [1] }));
        }
        Value::Array(values) => values.iter_mut().for_each(|value| add_fields(value, free)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Asserts that `file` contains `schema`. If the `UPDATE` environment variable is set, writes the file first.
pub fn assert_stored(file: &Path, schema: &Value) {
    let generated = serde_json::to_string_pretty(schema).unwrap() + "\n";
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(file, &generated).unwrap();
    }
    let stored = std::fs::read_to_string(file).unwrap_or_default();
    assert!(stored == generated, "run this test with `UPDATE=1`");
}

/// Returns the schema for `T`, after adding all referenced definitions to `types`.
pub fn of<T: JsonSchema>(types: &mut SchemaGenerator) -> Value {
    types.subschema_for::<T>().to_value()
}
