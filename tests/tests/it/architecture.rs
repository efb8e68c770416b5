//! The arrows between the crates.

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::Value;

/// Which members each member may depend on; a member that is not listed is a plugin.
fn allowed(member: &str) -> Option<&'static [&'static str]> {
    match member {
        "bot-cli-sdk" => Some(&[]),
        "bot-cli" | "bot-cli-templates" => Some(&["bot-cli-sdk"]),
        "xtask" => Some(&["bot-cli", "bot-cli-sdk"]),
        "bot-cli-tests" => None,
        _plugin => Some(&["bot-cli-sdk", "bot-cli-templates"]),
    }
}

#[test]
fn crates_depend_only_in_the_direction_of_the_arrows() {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--no-deps", "--offline"])
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "cargo metadata: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let members: BTreeSet<&str> = packages
        .iter()
        .map(|package| package["name"].as_str().unwrap())
        .collect();
    assert!(
        members.is_superset(&BTreeSet::from([
            "bot-cli",
            "bot-cli-sdk",
            "bot-cli-templates",
            "bot-cli-init",
            "bot-cli-cloud",
            "bot-cli-tests"
        ])),
        "{members:?}"
    );

    let mut wrong = Vec::new();
    for package in packages {
        let from = package["name"].as_str().unwrap();
        let Some(allowed) = allowed(from) else {
            continue;
        };
        for dependency in package["dependencies"].as_array().unwrap() {
            let to = dependency["name"].as_str().unwrap();
            // With its own name, a crate asks for features that its tests need.
            if members.contains(to) && to != from && !allowed.contains(&to) {
                wrong.push(format!("{from} -> {to}"));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}
