//! Tests that every requirement of the documents has a check, or a reason why it has none.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(untagged)]
enum Cover {
    Checks(Vec<String>),
    Reason(String),
}

#[derive(Deserialize)]
struct Data {
    check: Vec<Rule>,
}

#[derive(Deserialize)]
struct Rule {
    id: String,
    level: String,
}

#[test]
fn every_must_is_checked_or_says_why_not() {
    let table: BTreeMap<String, BTreeMap<String, Cover>> =
        toml::from_str(include_str!("musts.toml")).unwrap();
    let data = [
        bot_cli_protocol::CHECKS.as_slice(),
        bot_cli_secrets::CHECKS.as_slice(),
        bot_cli_templates::CHECKS.as_slice(),
    ];
    let rules = data.concat().into_iter().flat_map(|(_, text)| {
        let data: Data = toml::from_str(text).unwrap();
        data.check
    });
    let musts = rules
        .filter(|rule| rule.level == "must")
        .map(|rule| rule.id);
    let musts: BTreeSet<String> = musts.collect();
    for (name, document) in [
        (
            "PROTOCOL",
            include_str!("../../../../../sdk/protocol/PROTOCOL.md"),
        ),
        (
            "BACKENDS",
            include_str!("../../../../../sdk/secrets/BACKENDS.md"),
        ),
        ("PACKS", include_str!("../../../../../templates/PACKS.md")),
    ] {
        let mut left = prose(document);
        for (phrase, cover) in &table[name] {
            assert_eq!(phrase.matches("MUST").count(), 1, "{phrase}");
            assert_eq!(left.matches(phrase).count(), 1, "{phrase}");
            left = left.replace(phrase, "");
            match cover {
                Cover::Checks(checks) => {
                    let unknown = checks.iter().find(|check| !musts.contains(*check));
                    assert!(
                        unknown.is_none() && !checks.is_empty(),
                        "{phrase}: {unknown:?}"
                    );
                }
                Cover::Reason(reason) => assert!(!reason.is_empty(), "{phrase}"),
            }
        }
        let missing: Vec<&str> = left.split(". ").filter(|it| it.contains("MUST")).collect();
        assert!(
            missing.is_empty(),
            "{name}: without a line in musts.toml: {missing:#?}"
        );
    }
}

/// Returns the sentences of a document on one line, without its code.
fn prose(document: &str) -> String {
    let parts = document.split("\n```").step_by(2);
    let words: Vec<&str> = parts.flat_map(str::split_whitespace).collect();
    words.join(" ").replace("The key words MUST,", "")
}
