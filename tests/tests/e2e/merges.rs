//! Merges every project change with every user edit, and checks the results with the linter and the type checker.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use bot_cli_tests::nested_cargo::nested_cargo;

use crate::bot::{python, text};

/// The maximum number of merged projects to type-check.
const TYPED: usize = 100;

/// The linter rules for code that can't run, undefined names and unused code.
const RULES: &str = "E9,F";

#[test]
fn every_merged_project_is_free_of_faults() {
    // Not hidden, because the type checker skips hidden folders.
    let folder = tempfile::Builder::new()
        .prefix("merges-")
        .tempdir_in(env!("CARGO_TARGET_TMPDIR"))
        .unwrap();
    let said = merge_all(folder.path());
    let merged = projects(&folder.path().join("merged"));
    assert!(merged.len() > 4_000, "{said}");
    // The edits are without fault themselves, so that every finding is about a merge.
    for part in ["edited", "merged"] {
        let output = lint(&folder.path().join(part));
        let finding = text(&output);
        assert!(
            output.status.success(),
            "{finding}\n{}",
            made(&finding, folder.path())
        );
    }
    let output = check_types(folder.path(), &merged);
    let finding = text(&output);
    assert!(
        output.status.success(),
        "{finding}\n{}",
        made(&finding, folder.path())
    );
    assert!(!finding.contains("No source files found"), "{finding}");
}

/// Runs the `init` tests that merge every pair, and returns the counts that they print.
fn merge_all(folder: &Path) -> String {
    let mut cargo = nested_cargo();
    // With the package of these tests, all crates have the features that they were built with for them.
    let output = cargo
        .args(["test", "--locked", "--quiet", "--lib"])
        .args(["--package=bot-cli-tests", "--package=bot-cli-init"])
        .args([
            "merge::matrix::edits_survive_changes",
            "--",
            "--exact",
            "--nocapture",
        ])
        .env("BOT_CLI_MERGES", folder)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn projects(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let mut projects: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    projects.sort();
    projects
}

/// Lints a folder with [`RULES`], regardless of the projects' own settings.
fn lint(folder: &Path) -> Output {
    python()
        .command("ruff")
        .args([
            "check",
            "--isolated",
            "--no-cache",
            "--output-format=concise",
        ])
        .args(["--select", RULES])
        .arg(folder)
        .output()
        .unwrap()
}

/// Type-checks an evenly spaced sample of the projects in a folder.
fn check_types(folder: &Path, projects: &[PathBuf]) -> Output {
    python()
        .command("pyright")
        .arg("--pythonpath")
        .arg(python().executable("python"))
        .args(projects.iter().step_by(projects.len().div_ceil(TYPED)))
        // Pyright finds the modules beside a bot only below its working folder.
        .current_dir(folder)
        .output()
        .unwrap()
}

/// Returns the change and the edit behind each project mentioned in a finding.
fn made(finding: &str, folder: &Path) -> String {
    let mut made = BTreeMap::new();
    for part in ["edited", "merged"] {
        for project in projects(&folder.join(part)) {
            let name = project.file_name().unwrap().to_str().unwrap();
            if finding.contains(&format!("/{name}/")) {
                let pair = fs::read_to_string(project.join("pair.txt")).unwrap();
                made.insert(format!("{part}/{name}"), pair);
            }
        }
    }
    format!("{made:#?}")
}
