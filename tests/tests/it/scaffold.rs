//! Tests that generate whole projects. `scaffold/CASE/config.json` must produce the files in `scaffold/CASE/tree`, and the copies of
//! templates that `scaffold/CASE/verbatim.txt` lists. The guides and the record are left out.
//!
//! `UPDATE=1 cargo test -p bot-cli-tests scaffold` rewrites the trees, so that the difference can be reviewed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Files that have their own tests and would otherwise be repeated in every case.
const LEFT_OUT: [&str; 5] = [
    "AGENTS.md",
    "ASSISTANT.md",
    ".bot-cli/.gitattributes",
    ".bot-cli/base.tar.gz",
    ".bot-cli/project.json",
];

/// The file that lists the copies. [`TREE`] is the folder for all other files.
const VERBATIM: &str = "verbatim.txt";
const TREE: &str = "tree";

#[test]
fn every_case_gives_its_tree() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/scaffold");
    let templates = templates_without_tags();
    let mut differing = Vec::new();
    let mut seen = 0;
    for case in folders(&cases) {
        seen += 1;
        let generated = told_apart(generate(&case.join("config.json")), &templates);
        if std::env::var_os("UPDATE").is_some() {
            write(&case, &generated);
        }
        let mut expected = texts(read_bytes(&case));
        expected.remove("config.json");
        for path in generated.keys().chain(expected.keys()) {
            if generated.get(path) != expected.get(path) {
                differing.push(case.join(path));
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
    let mut files = read_bytes(&folder.path().join("bot"));
    for path in LEFT_OUT {
        assert!(files.remove(path).is_some(), "{path} is missing");
    }
    texts(files)
}

/// Returns the files as stored for a case: copies of templates as a list, the others unchanged.
fn told_apart(
    generated: BTreeMap<String, String>,
    templates: &BTreeMap<String, String>,
) -> BTreeMap<String, String> {
    let mut kept = BTreeMap::new();
    let mut copies = String::new();
    for (path, text) in generated {
        match templates.get(&text) {
            Some(template) => copies.extend([&path, " = ", template, "\n"]),
            None => _ = kept.insert(format!("{TREE}/{path}"), text),
        }
    }
    if !copies.is_empty() {
        kept.insert(VERBATIM.to_owned(), copies);
    }
    kept
}

/// Returns the templates without placeholders, keyed by their text.
fn templates_without_tags() -> BTreeMap<String, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../templates/project");
    read_bytes(&folder)
        .into_iter()
        .filter_map(|(path, bytes)| Some((String::from_utf8(bytes).ok()?, path)))
        .filter(|(text, _)| !text.contains("{%") && !text.contains("{{"))
        .collect()
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

fn texts(files: BTreeMap<String, Vec<u8>>) -> BTreeMap<String, String> {
    files
        .into_iter()
        .map(|(path, bytes)| (path, String::from_utf8(bytes).unwrap()))
        .collect()
}

/// Returns every file below `root`, keyed by its path with `/` separators.
fn read_bytes(root: &Path) -> BTreeMap<String, Vec<u8>> {
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
            files.insert(name.to_owned(), fs::read(&path).unwrap());
        }
    }
    files
}

fn write(case: &Path, files: &BTreeMap<String, String>) {
    let _ = fs::remove_dir_all(case.join(TREE));
    let _ = fs::remove_file(case.join(VERBATIM));
    for (name, text) in files {
        let path = case.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}
