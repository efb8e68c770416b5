//! Checks that the modules in a crate have no circular dependencies.
//!
//! A module and its children count as one unit, so siblings are compared at every depth. Imports and paths are read as written, except in
//! tests. An item that a parent re-exports counts as the parent's.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The path of a module within its crate.
type Module = Vec<String>;

#[test]
fn no_modules_depend_on_each_other() {
    let mut circles = Vec::new();
    for package in super::metadata()["packages"].as_array().unwrap() {
        let manifest = Path::new(package["manifest_path"].as_str().unwrap());
        let mut sources = BTreeMap::new();
        read(&manifest.with_file_name("src"), &[], &mut sources);
        let is_root_alone = manifest.with_file_name("src/lib.rs").is_file();
        assert!(
            !sources.is_empty() || is_root_alone,
            "{}",
            manifest.display()
        );
        let parents: BTreeSet<&[String]> = sources
            .keys()
            .filter_map(|module| Some(module.split_last()?.1))
            .collect();
        for parent in parents {
            let circle = circle(parent, &sources);
            if !circle.is_empty() {
                circles.push(format!("{}: {circle:?}", package["name"]));
            }
        }
    }
    assert_eq!(circles, Vec::<String>::new());
}

/// Reads the sources below `folder`, without their tests. Skips modules that the parent declares only for tests.
fn read(folder: &Path, module: &[String], sources: &mut BTreeMap<Module, String>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        if path.extension().is_none_or(|it| it != "rs") || ["lib", "main"].contains(&name) {
            continue;
        }
        let below = [module, &[name.to_owned()]].concat();
        let parent = match module {
            [] => folder.join("lib.rs"),
            _ => folder.with_extension("rs"),
        };
        if !is_for_tests(&fs::read_to_string(parent).unwrap(), name) {
            read(&path.with_extension(""), &below, sources);
            sources.insert(below, fs::read_to_string(&path).unwrap());
        }
    }
}

fn is_for_tests(parent: &str, name: &str) -> bool {
    let declaration = format!("mod {name};");
    let mut lines = parent.lines().zip(parent.lines().skip(1));
    lines.any(|(before, line)| {
        before.starts_with("#[cfg(") && before.contains("test") && line.ends_with(&declaration)
    })
}

/// Returns the children of `parent` that depend on each other, each with its dependencies.
fn circle(
    parent: &[String],
    sources: &BTreeMap<Module, String>,
) -> BTreeMap<String, BTreeSet<String>> {
    let child = |module: &[String]| module.strip_prefix(parent)?.first().cloned();
    let mut needed: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (module, text) in sources {
        if let Some(from) = child(module) {
            let mut to: BTreeSet<String> = paths(module, text)
                .iter()
                .filter_map(|path| child(path))
                .collect();
            to.remove(&from);
            needed.entry(from).or_default().append(&mut to);
        }
    }
    loop {
        let before = needed.len();
        let needing: BTreeSet<String> = needed.keys().cloned().collect();
        for others in needed.values_mut() {
            others.retain(|other| needing.contains(other));
        }
        let wanted: BTreeSet<String> = needed.values().flatten().cloned().collect();
        needed.retain(|module, others| !others.is_empty() && wanted.contains(module));
        if needed.len() == before {
            return needed;
        }
    }
}

/// Returns the modules and items that `text`, the source of `module`, refers to through the crate root or a parent.
fn paths(module: &[String], text: &str) -> BTreeSet<Module> {
    let code: String = text
        .split("#[cfg(test)]\nmod tests {")
        .take(1)
        .flat_map(str::lines)
        .map(|line| line.split("//").next().unwrap_or_default().to_owned() + "\n")
        .collect();
    let tokens = tokens(&code);
    let mut found = BTreeSet::new();
    for (at, token) in tokens.iter().enumerate() {
        match *token {
            "crate" => follow(&tokens, at + 1, Vec::new(), &mut found),
            "super" if tokens[at - 1] != "::" => {
                let parent = module[..module.len() - 1].to_vec();
                follow(&tokens, at + 1, parent, &mut found)
            }
            _ => 0,
        };
    }
    found
}

/// Adds the paths in an import, which continues `path` from the token at `at` and may be a tree. Returns the index of the token after the
/// import.
fn follow(tokens: &[&str], mut at: usize, mut path: Module, found: &mut BTreeSet<Module>) -> usize {
    while tokens.get(at) == Some(&"::") {
        match tokens.get(at + 1).copied().unwrap_or_default() {
            "{" => {
                at += 2;
                loop {
                    match tokens.get(at).copied().unwrap_or("}") {
                        "}" => return at + 1,
                        "," => at += 1,
                        word => {
                            let below = [path.as_slice(), &[word.to_owned()]].concat();
                            at = follow(tokens, at + 1, below, found);
                        }
                    }
                }
            }
            "super" => drop(path.pop()),
            word => path.push(word.to_owned()),
        }
        at += 2;
    }
    found.insert(path);
    at
}

fn tokens(code: &str) -> Vec<&str> {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let (mut rest, mut tokens) = (code.trim_start(), Vec::new());
    while let Some(first) = rest.chars().next() {
        let length = if is_word(first) {
            rest.find(|letter| !is_word(letter)).unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        tokens.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    tokens
}
