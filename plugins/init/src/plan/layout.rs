//! Tests the layout of `bot.py`. Users edit this file, and later updates may add features to it.

use std::collections::{BTreeMap, BTreeSet};

use tree_sitter::{Node, Parser};

use super::templates::Templates;
use super::{imports, reserved, view};
use crate::config::Config;
use crate::option_table::{Feature, FeatureQuestion, Features};

fn bot(config: &Config) -> String {
    let templates = Templates::get().unwrap();
    let values = Templates::variables(&view::of_project(config).unwrap()).unwrap();
    imports::arranged(&templates.render("server/bot.py", &values).unwrap())
}

fn with<'c>(config: &Config<'c>, features: &[Feature]) -> Config<'c> {
    Config {
        features: Features::which(|feature| features.contains(&feature)),
        ..config.clone()
    }
}

/// Returns the line numbers at which a feature inserts lines, or `None` if the feature changes or removes a line.
fn places(without: &str, with: &str) -> Option<Vec<usize>> {
    let mut left = without.lines().enumerate().peekable();
    let mut places = Vec::new();
    for line in with.lines() {
        if left.next_if(|(_, old)| *old == line).is_none() {
            places.push(left.peek().map_or(usize::MAX, |(number, _)| *number));
        }
    }
    places.dedup();
    left.next().is_none().then_some(places)
}

#[test]
fn a_feature_adds_an_import_and_a_line_in_run_bot() {
    let extras = Feature::ALL.into_iter().filter(|feature| {
        !feature.row().web_only && feature.row().question != FeatureQuestion::Own
    });
    let extras: Vec<Feature> = extras.collect();
    for config in reserved::configurations().into_iter().step_by(4) {
        let without = bot(&with(&config, &[]));
        for feature in &extras {
            let with = bot(&with(&config, &[*feature]));
            let places = places(&without, &with).unwrap_or_else(|| panic!("{with}"));
            assert_eq!(places.len(), 2, "{feature:?}: {with}");
        }
    }
}

#[test]
fn a_name_in_run_bot_means_the_same_in_every_project() {
    let mut meanings: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for config in reserved::configurations() {
        for config in [with(&config, &[]), config] {
            for (name, meaning) in names_in_run_bot(&bot(&config)) {
                meanings.entry(name).or_default().insert(meaning);
            }
        }
    }
    let expected: BTreeMap<String, String> = toml::from_str(include_str!("layout.toml")).unwrap();
    let different: BTreeSet<&String> = expected.values().collect();
    assert_eq!(different.len(), expected.len(), "two names mean the same");
    let expected: BTreeMap<String, BTreeSet<String>> = expected
        .into_iter()
        .map(|(name, meaning)| (name, BTreeSet::from([meaning])))
        .collect();
    assert_eq!(meanings, expected);
}

fn names_in_run_bot(code: &str) -> Vec<(String, String)> {
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter_python::LANGUAGE.into())
        .unwrap();
    let tree = parser.parse(code, None).unwrap();
    let text = |node: Node| code[node.byte_range()].to_owned();
    let field = |node: Node, name: &str| node.child_by_field_name(name).map(&text);
    let root = tree.root_node();
    let run_bot = root
        .named_children(&mut root.walk())
        .find(|node| field(*node, "name").as_deref() == Some("run_bot"))
        .unwrap();
    let mut names = Vec::new();
    let parameters = run_bot.child_by_field_name("parameters").unwrap();
    for parameter in parameters.named_children(&mut parameters.walk()) {
        let meaning = field(parameter, "type").unwrap();
        names.push((text(parameter.named_child(0).unwrap()), meaning));
    }
    let mut open = vec![run_bot.child_by_field_name("body").unwrap()];
    while let Some(node) = open.pop() {
        match node.kind() {
            "decorated_definition" => {
                let name = field(node.child_by_field_name("definition").unwrap(), "name");
                names.push((name.unwrap(), text(node.named_child(0).unwrap())));
            }
            "function_definition" => {
                let body = field(node, "body").unwrap();
                let first = body.lines().next().unwrap_or_default().to_owned();
                names.push((field(node, "name").unwrap(), first));
            }
            "assignment" => {
                let made = field(node, "right").unwrap();
                let made = made.trim_start_matches("await ").split('(').next();
                let left = node.child_by_field_name("left").unwrap();
                if left.kind() == "attribute" {
                    continue;
                }
                for (place, name) in text(left).split(", ").enumerate() {
                    names.push((name.to_owned(), format!("{} {place}", made.unwrap())));
                }
            }
            _ => open.extend(node.named_children(&mut node.walk())),
        }
    }
    names
}
