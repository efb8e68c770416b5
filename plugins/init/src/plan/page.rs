//! Tests that the page for template authors lists every template variable.

use std::collections::BTreeSet;

use serde_json::Value;

use super::tests::config;
use super::{reserved, view};
use crate::catalogue::Catalogue;
use crate::config::{Client, Config, Pipeline};

/// Collects the paths of all template variables, such as `transports[].id`.
fn paths(prefix: &str, value: &Value, found: &mut BTreeSet<String>) {
    let join = |key: &str| match prefix {
        "" => key.to_owned(),
        _ => format!("{prefix}.{key}"),
    };
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                // An argument may have nested arguments.
                let is_argument =
                    key == "arguments" && value.as_array().is_some_and(|it| !it.is_empty());
                if is_argument {
                    found.insert(join(key));
                    paths("argument", value, found);
                } else {
                    paths(&join(key), value, found);
                }
            }
        }
        Value::Array(items) if items.iter().any(Value::is_object) => {
            let each = if prefix == "argument" {
                prefix.to_owned()
            } else {
                format!("{prefix}[]")
            };
            for item in items {
                paths(&each, item, found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            found.insert(prefix.to_owned());
        }
    }
}

#[test]
fn the_page_for_authors_of_templates_has_every_variable() {
    let mut found = BTreeSet::new();
    for config in configurations() {
        paths("", &view::of_project(&config).unwrap(), &mut found);
    }
    // A value that is null or empty in some projects has fields in others.
    let names: BTreeSet<String> = found
        .iter()
        .filter(|path| {
            let below = |other: &&String| {
                let rest = other.strip_prefix(path.as_str());
                rest.is_some_and(|rest| rest.starts_with('.') || rest.starts_with("[]."))
            };
            !found.iter().any(|other| below(&other))
        })
        .cloned()
        .collect();
    let page = include_str!("../../../../templates/README.md");
    let (_, page) = page.split_once("\n## Variables\n").unwrap();
    let listed: BTreeSet<String> = page
        .lines()
        .filter_map(|line| Some(line.strip_prefix("| `")?.split_once("` |")?.0.to_owned()))
        .filter(|name| !name.contains(' '))
        .collect();
    let missing: Vec<&String> = names.difference(&listed).collect();
    let unknown: Vec<&String> = listed.difference(&names).collect();
    assert!(
        missing.is_empty() && unknown.is_empty(),
        "templates/README.md lacks {missing:?} and has {unknown:?}, which no template gets"
    );
}

/// The first names of variables that templates assign, loop over or pass to partials.
const OWN: [&str; 29] = [
    "argument",
    "carrier",
    "dials",
    "entry",
    "forloop",
    "group",
    "has_number",
    "how",
    "keys",
    "length",
    "nobody_says_ready",
    "on_a_call",
    "packs",
    "params",
    "parameters",
    "partial",
    "peers",
    "react",
    "reads",
    "routes",
    "section",
    "service",
    "sessions",
    "setting",
    "settings_of_calls",
    "starts",
    "text",
    "transport",
    "variable",
];

/// Liquid takes an unknown variable for false in a condition.
#[test]
fn every_condition_is_about_a_variable_that_exists() {
    let mut known: BTreeSet<String> = OWN.map(str::to_owned).into();
    for config in configurations() {
        let view = view::of_project(&config).unwrap();
        known.extend(view.as_object().unwrap().keys().cloned());
    }
    for (path, text) in bot_cli_templates::project_files() {
        for tag in text
            .split("{%")
            .skip(1)
            .filter_map(|it| it.split_once("%}"))
        {
            let mut words = tag.0.split_whitespace();
            if !matches!(words.next(), Some("if" | "elsif" | "unless")) {
                continue;
            }
            let condition: Vec<&str> = words.collect();
            for alternative in condition.split(|word| ["and", "or"].contains(word)) {
                let name = alternative[0].split('.').next().unwrap();
                assert!(known.contains(name), "{path}: {}", tag.0);
            }
        }
    }
}

/// Returns configurations that together set every template variable.
fn configurations() -> Vec<Config<'static>> {
    let catalogue = Catalogue::built_in();
    reserved::configurations()
        .into_iter()
        .chain(["lemonslice", "carrier_a"].map(|id| Config {
            transports: vec![catalogue.transport(id).unwrap()],
            pipeline: Pipeline::Realtime(catalogue.service("gemini_vertex_live_realtime").unwrap()),
            client: Client::ReactVite,
            ..config()
        }))
        .collect()
}
