//! Checks the dependencies between the crates, and between the modules in each crate.

mod circles;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Returns the workspace members that `member` may depend on, or `None` for any. A member that is not listed is a plugin.
fn allowed(member: &str) -> Option<&'static [&'static str]> {
    match member {
        "bot-cli-system" | "bot-cli-protocol" => Some(&[]),
        "bot-cli-terminal" => Some(&["bot-cli-protocol", "bot-cli-system"]),
        "bot-cli-sdk" => Some(&["bot-cli-protocol", "bot-cli-terminal"]),
        "bot-cli-engine" => Some(&["bot-cli-protocol", "bot-cli-terminal", "bot-cli-system"]),
        "bot-cli" | "bot-cli-secrets" | "bot-cli-templates" => Some(&[
            "bot-cli-protocol",
            "bot-cli-terminal",
            "bot-cli-sdk",
            "bot-cli-engine",
        ]),
        "bot-cli-vault" => Some(&[
            "bot-cli-protocol",
            "bot-cli-terminal",
            "bot-cli-sdk",
            "bot-cli-secrets",
        ]),
        "xtask" => Some(&["bot-cli", "bot-cli-protocol"]),
        "bot-cli-tests" => None,
        _plugin => Some(&[
            "bot-cli-protocol",
            "bot-cli-terminal",
            "bot-cli-sdk",
            "bot-cli-engine",
            "bot-cli-secrets",
            "bot-cli-templates",
            "bot-cli-vault",
            "bot-cli-system",
        ]),
    }
}

#[test]
fn crates_depend_only_in_the_direction_of_the_arrows() {
    let metadata = metadata();
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

/// Otherwise `cargo e2e`, which builds the tests alone, would build most of it once more.
#[test]
fn the_tests_alone_build_everything_with_the_features_of_the_whole_workspace() {
    // The packages with their features. A tree marks what it has shown before.
    let built = |packages| {
        let words =
            "tree --edges=normal,build,dev --prefix=none --format={p}|{f} --locked --offline";
        let lines = cargo(&words.split(' ').chain([packages]).collect::<Vec<_>>());
        let lines = String::from_utf8(lines).unwrap();
        let lines = lines.lines().map(|line| line.trim_end_matches(" (*)"));
        lines.map(str::to_owned).collect::<BTreeSet<String>>()
    };
    let alone = built("--package=bot-cli-tests");
    let package = |line: &str| line.split('|').next().unwrap_or_default().to_owned();
    let packages: BTreeSet<String> = alone.iter().map(|line| package(line)).collect();
    let mut other = built("--workspace");
    other.retain(|line| packages.contains(&package(line)) && !alone.contains(line));
    assert_eq!(other, BTreeSet::new());
}

/// Checks that only the platform modules contain system-specific code.
#[test]
fn only_the_seams_know_the_system() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let crates = [
        "host",
        "sdk",
        "sdk/protocol",
        "sdk/terminal",
        "sdk/engine",
        "sdk/secrets",
        "sdk/vault",
        "templates",
        "plugins/plugin",
        "plugins/init",
        "plugins/cloud",
        "plugins/dev",
        "plugins/secrets-kubernetes",
        "plugins/secrets-vault",
    ];
    let mut seams = 0;
    let mut wrong = Vec::new();
    for member in crates {
        let mut folders = vec![Path::new(root).join(member).join("src")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    if path.ends_with("platform") {
                        seams += 1;
                    } else if !path.ends_with("tests") {
                        folders.push(path);
                    }
                } else if path.extension().is_some_and(|ending| ending == "rs")
                    && !path.ends_with("src/platform.rs")
                    && !path.ends_with("tests.rs")
                {
                    let text = fs::read_to_string(&path).unwrap();
                    wrong
                        .extend(system_in(&text).map(|line| format!("{}: {line}", path.display())));
                }
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert_eq!(seams, 6, "a seam has moved");
    let known = "#[cfg(unix)]\nfn f() { std::os::unix::fs::symlink }";
    assert_eq!(system_in(known).count(), 2);
}

/// Returns the system-specific lines in a file, except those in its tests.
fn system_in(text: &str) -> impl Iterator<Item = &str> {
    const MARKS: [&str; 8] = [
        "cfg(unix",
        "cfg(windows",
        "(unix,",
        "(windows,",
        "target_os",
        "std::os::",
        "rustix::",
        "windows_sys::",
    ];
    let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    code.lines()
        .filter(|line| MARKS.iter().any(|mark| line.contains(mark)))
}

fn metadata() -> Value {
    let words = ["metadata", "--format-version=1", "--no-deps", "--offline"];
    serde_json::from_slice(&cargo(&words)).unwrap()
}

/// Runs cargo in the workspace, and returns what it printed.
fn cargo(words: &[&str]) -> Vec<u8> {
    let output = Command::new(env!("CARGO"))
        .args(words)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo {words:?}: {said}");
    output.stdout
}
