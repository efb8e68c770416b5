//! Whole projects: `scaffold/CASE/config.json` gives the files of `scaffold/CASE/tree`, guides left out.
//!
//! `UPDATE=1 cargo test -p bot-cli-tests scaffold` writes the trees anew; the difference is then for review.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// They are tested as what they are, and would repeat themselves in every case.
const GUIDES: [&str; 2] = ["AGENTS.md", "ASSISTANT.md"];

#[test]
fn every_case_gives_its_tree() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/scaffold");
    let mut differing = Vec::new();
    let mut seen = 0;
    for case in folders(&cases) {
        seen += 1;
        let generated = generate(&case.join("config.json"));
        let tree = case.join("tree");
        if std::env::var_os("UPDATE").is_some() {
            write(&tree, &generated);
        }
        let expected = read(&tree);
        for path in generated.keys().chain(expected.keys()) {
            if generated.get(path) != expected.get(path) {
                differing.push(tree.join(path));
            }
        }
    }
    differing.sort();
    differing.dedup();
    assert!(seen >= 12, "only {seen} cases");
    assert!(
        differing.is_empty(),
        "files that differ, are missing or too many: {differing:#?}\nUPDATE=1 writes them anew"
    );
}

fn generate(config: &Path) -> BTreeMap<String, String> {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_it-bot-cli-init"))
        .args(["bot", "--config"])
        .arg(config)
        .current_dir(folder.path())
        .env_clear()
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {stderr}", config.display());
    let mut files = read(&folder.path().join("bot"));
    for guide in GUIDES {
        assert!(files.remove(guide).is_some(), "{guide} is missing");
    }
    files
}

fn folders(of: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(of)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    found.sort();
    found
}

/// Every file below `root`, by its path with `/`.
fn read(root: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        let Ok(entries) = fs::read_dir(&folder) else {
            continue;
        };
        for path in entries.map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let name = path.strip_prefix(root).unwrap().to_str().unwrap();
            files.insert(name.to_owned(), fs::read_to_string(&path).unwrap());
        }
    }
    files
}

fn write(tree: &Path, files: &BTreeMap<String, String>) {
    let _ = fs::remove_dir_all(tree);
    for (name, text) in files {
        let path = tree.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}
