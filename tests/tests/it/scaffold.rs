//! Tests that generate whole projects. `scaffold/CASE/config.json` must produce the files in `scaffold/CASE/tree`, and the copies of
//! templates that `scaffold/CASE/verbatim.txt` lists. The guides and the record are left out.
//!
//! `UPDATE=1 cargo test -p bot-cli-tests scaffold` rewrites the trees, so that the difference can be reviewed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use bot_cli_tests::init::{run, tree};

/// Files that have their own tests and would otherwise be repeated in every case.
const LEFT_OUT: [&str; 5] = [
    "AGENTS.md",
    "ASSISTANT.md",
    ".bot-cli/.gitattributes",
    ".bot-cli/base.gz",
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
        let mut expected = texts(&case);
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
    let run = run(
        folder.path(),
        &["bot", "--config", config.to_str().unwrap()],
    );
    assert_eq!(run.status, Some(0), "{}: {run:?}", config.display());
    let mut files = texts(&folder.path().join("bot"));
    for path in LEFT_OUT {
        assert!(files.remove(path).is_some(), "{path} is missing");
    }
    files
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
    let templates = texts(&folder).into_iter();
    templates
        .filter(|(_, text)| !text.contains("{%") && !text.contains("{{"))
        .map(|(path, text)| (text, path))
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

/// Returns the text of every file below a folder, by path.
fn texts(folder: &Path) -> BTreeMap<String, String> {
    tree(folder)
        .into_iter()
        .filter(|(path, _)| !path.ends_with('/'))
        .map(|(path, bytes)| (path, String::from_utf8_lossy(&bytes).into_owned()))
        .collect()
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
