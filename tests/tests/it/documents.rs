//! Checks that the commands, options and paths in the documentation exist.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use bot_cli_protocol::QuestionKind;
use bot_cli_tests::bench::Bench;
use serde_json::Value;

/// The documents outside the book, as paths relative to the repository root.
const DOCUMENTS: [&str; 19] = [
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "sdk/vault/CHANGELOG.md",
    "CONTRIBUTING.md",
    "README.md",
    "SECURITY.md",
    "sdk/examples/localai/README.md",
    "sdk/vault/VAULT.md",
    "plugins/secrets-kubernetes/README.md",
    "sdk/secrets/BACKENDS.md",
    "templates/PACKS.md",
    "sdk/protocol/PROTOCOL.md",
    "sdk/README.md",
    "sdk/typescript/README.md",
    "sdk/python/README.md",
    "templates/README.md",
    "templates/guides/AGENTS.md.liquid",
    "templates/guides/GETTING_STARTED.md.liquid",
    "templates/project/README.md.liquid",
];

/// File names from an example of naming conventions.
const EXAMPLE_FILES: [&str; 2] = ["foo.rs", "mod.rs"];

/// Example plugins, and placeholders for a plugin name.
const EXAMPLES: [&str; 5] = ["NAME", "dice", "hello", "roll", "vault"];

#[test]
fn every_command_and_its_options_exist() {
    let page = text("docs/src/reference/commands.md");
    let helps = page.split("\n## `bot-cli").skip(1);
    let helps: BTreeMap<&str, &str> = helps.filter_map(|it| it.split_once("`\n")).collect();
    let mut wrong = Vec::new();
    let mut count = 0;
    for document in documents() {
        let text = text(&document);
        let blocks = text.replace("\\\n", " ");
        let lines = blocks
            .lines()
            .map(|line| line.trim().trim_start_matches("$ "));
        for command in lines.chain(quoted(&text)) {
            if let Some(words) = command.strip_prefix("bot-cli ") {
                count += 1;
                let problem = problem(&helps, words);
                wrong.extend(problem.map(|it| format!("{document}: `{command}`: {it}")));
            }
        }
    }
    assert!(count > 100, "{count}");
    assert_eq!(wrong, Vec::<String>::new());
}

fn problem(helps: &BTreeMap<&str, &str>, words: &str) -> Option<String> {
    let own = words.split(" -- ").next()?.split(['|', '>', '<']).next()?;
    let mut words = own.split_whitespace().peekable();
    if EXAMPLES.contains(words.peek()?) {
        return None;
    }
    let mut path = String::new();
    let mut help = *helps.get("")?;
    while let Some(word) = words.peek() {
        let listed = commands(help);
        let is_name = word.bytes().all(|it| it.is_ascii_lowercase() || it == b'-');
        if listed.is_empty() || !is_name || word.starts_with('-') {
            break;
        }
        if !listed.contains(*word) {
            return Some(format!("there is no `{path} {word}`"));
        }
        path = format!("{path} {word}");
        // A command of every program has no page.
        help = helps.get(&*path)?;
        words.next();
    }
    let options = words.filter(|word| word.starts_with('-') && word.len() > 1);
    let mut names = options.map(|word| word.split('=').next().unwrap_or(word));
    // Help shows a switch once.
    let missing =
        names.find(|name| !help.contains(name) && !help.contains(&name.replace("--no-", "--")))?;
    Some(format!("`bot-cli{path}` has no `{missing}`"))
}

/// Returns the names listed in a help text.
fn commands(help: &str) -> BTreeSet<String> {
    let headings = ["Commands:", "Plugins:", "Built in:"];
    let mut is_listed = false;
    let mut found = BTreeSet::new();
    for line in help.lines() {
        match line.strip_prefix("  ") {
            Some(row) if is_listed => found.extend(row.split(' ').next().map(str::to_owned)),
            Some(_) => {}
            None if line.is_empty() => {}
            None => is_listed = headings.contains(&line),
        }
    }
    found.remove("");
    found
}

#[test]
fn every_path_and_link_exists() {
    let files = files();
    let folders: BTreeSet<&str> = files
        .iter()
        .filter_map(|file| file.split('/').next())
        .collect();
    let mut wrong = Vec::new();
    for document in documents() {
        let text = text(&document);
        let is_ours = !document.starts_with("templates/");
        let folder = Path::new(&document).parent().unwrap();
        for token in quoted(&text).filter(|token| !token.contains([' ', '{', '<', '$', '~'])) {
            let (first, rest) = token.split_once('/').unwrap_or((token, ""));
            let exists = if is_ours && !rest.is_empty() && folders.contains(first) {
                let fixed = token.split(['*', '…']).next().unwrap_or(token);
                let fixed = fixed.split("NAME").next().unwrap_or(fixed);
                let beside = folder.join(fixed).display().to_string();
                files
                    .iter()
                    .any(|file| file.starts_with(fixed) || file.starts_with(&beside))
            } else if has_ending(token, "rs") && !EXAMPLE_FILES.contains(&token) {
                let below = format!("/{token}");
                files.iter().any(|file| file.ends_with(&below))
            } else {
                continue;
            };
            if !exists && !token.starts_with("target/") {
                wrong.push(format!("{document}: `{token}`"));
            }
        }
        let wrong_links = links(&text).filter(|link| !leads(&document, link));
        wrong.extend(wrong_links.map(|link| format!("{document}: {link}")));
    }
    assert_eq!(wrong, Vec::<String>::new());
}

/// Returns the targets of the links on a page.
fn links(page: &str) -> impl Iterator<Item = String> {
    let prose: String = page.split("```").step_by(2).collect();
    let inline = prose.split("](").skip(1);
    let inline = inline.filter_map(|it| it.split(')').next());
    let links = inline.chain(prose.lines().filter_map(definition));
    links.map(str::to_owned).collect::<Vec<_>>().into_iter()
}

/// Reports whether a link's target exists. External links count as valid.
fn leads(document: &str, link: &str) -> bool {
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    let document = repository().join(document);
    let place = match file {
        "" => document,
        file => document.parent().unwrap().join(file),
    };
    let has_anchor = || fs::read_to_string(&place).is_ok_and(|it| anchors(&it).contains(anchor));
    let is_elsewhere = link.contains(':') || file.contains('{');
    is_elsewhere || place.exists() && (anchor.is_empty() || has_anchor())
}

#[test]
fn specifications_have_every_field_and_value_of_their_schemas() {
    let mut wrong = Vec::new();
    for (schema, documents) in [
        (
            "sdk/protocol/protocol.schema.json",
            &[
                "sdk/protocol/PROTOCOL.md",
                "templates/PACKS.md",
                "sdk/secrets/BACKENDS.md",
            ][..],
        ),
        ("templates/packs.schema.json", &["templates/PACKS.md"]),
    ] {
        let documents: String = documents.iter().map(|it| text(it)).collect();
        let mut named = BTreeSet::new();
        names(&serde_json::from_str(&text(schema)).unwrap(), &mut named);
        assert!(named.len() > 40, "{schema}: {named:?}");
        let is_there = |name: &String| {
            documents.contains(&format!("`{name}`")) || documents.contains(&format!("\"{name}\""))
        };
        let missing = named.iter().filter(|name| !is_there(name));
        wrong.extend(missing.map(|name| format!("{schema}: {name}")));
    }
    assert_eq!(wrong, Vec::<String>::new());

    let title = format!(
        "version {} of the catalogue",
        bot_cli_templates::pack::SCHEMA
    );
    let packs = text("templates/PACKS.md");
    let heading = packs.lines().find(|line| line.starts_with("# "));
    assert!(heading.unwrap().ends_with(&title), "{title}");
}

#[test]
fn every_kind_of_question_is_offered() {
    let schema: Value = serde_json::from_str(&text("sdk/protocol/protocol.schema.json")).unwrap();
    let mut of_schema = BTreeSet::new();
    names(&schema["$defs"]["QuestionKind"], &mut of_schema);
    let offered: BTreeSet<String> = QuestionKind::ALL
        .map(|it| serde_json::json!(it).as_str().unwrap().to_owned())
        .into();
    assert_eq!(offered, of_schema, "`QuestionKind::ALL` lacks one");
}

/// Collects the field names and constant values in a schema.
fn names(schema: &Value, found: &mut BTreeSet<String>) {
    match schema {
        Value::Object(members) => {
            for (key, value) in members {
                match (key.as_str(), value) {
                    ("properties", Value::Object(fields)) => found.extend(fields.keys().cloned()),
                    ("const", Value::String(text)) => found.extend([text.clone()]),
                    ("enum", Value::Array(texts)) => {
                        found.extend(texts.iter().filter_map(Value::as_str).map(str::to_owned));
                    }
                    _ => {}
                }
                names(value, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| names(item, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Returns the anchors of the headings on a page, as GitHub and mdBook generate them.
fn anchors(page: &str) -> BTreeSet<String> {
    let headings = page.lines().filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| {
        let text = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = |letter: &char| letter.is_alphanumeric() || [' ', '-', '_'].contains(letter);
        text.chars()
            .filter(kept)
            .collect::<String>()
            .replace(' ', "-")
    };
    headings.map(anchor).collect()
}

/// Returns the documents and the pages of the book.
fn documents() -> Vec<String> {
    let pages = files()
        .into_iter()
        .filter(|file| is_page(file) && !text(file).starts_with("{{#include"));
    DOCUMENTS
        .map(str::to_owned)
        .into_iter()
        .chain(pages)
        .collect()
}

#[test]
fn every_page_of_the_book_is_in_its_summary() {
    let summary = text("docs/src/SUMMARY.md");
    let files = files();
    for page in files.iter().filter(|file| is_page(file)) {
        let name = page.trim_start_matches("docs/src/");
        let is_listed = name == "SUMMARY.md" || summary.contains(&format!("({name})"));
        assert!(is_listed, "{page}");
        if let Some(included) = text(page).strip_prefix("{{#include ") {
            let (file, below) = included.split_once("}}").unwrap();
            let folder = repository().join(page).parent().unwrap().to_owned();
            let definitions = below.lines().filter_map(definition);
            for file in definitions.chain([file.trim_end_matches(":book")]) {
                assert!(folder.join(file).is_file(), "{page}: {file}");
            }
        }
    }
}

/// Checks that the reference pages match the help that the commands print. With `UPDATE=1`, rewrites `docs/src/reference/` first.
#[test]
fn the_reference_is_what_the_commands_print() {
    let bench = Bench::whole().unwrap();
    let mut commands = "# Commands\n".to_owned();
    let mut open = vec![String::new()];
    while let Some(path) = open.pop() {
        let words: Vec<&str> = path.split_whitespace().chain(["--help"]).collect();
        let help = bench.run(&words).unwrap().stdout;
        let block = format!(
            "\n## `bot-cli{path}`\n\n```text\n{}\n```\n",
            help.trim_end()
        );
        commands.push_str(&block);
        let own = ["completions", "help", "version"];
        let below = self::commands(&help).into_iter().rev();
        open.extend(
            below
                .filter(|name| !own.contains(&&**name))
                .map(|name| format!("{path} {name}")),
        );
    }
    let environment = bench.run(&["help", "environment"]).unwrap().stdout;
    let environment = environment
        .trim_start_matches("Environment variables")
        .trim();
    let environment = format!("# Environment\n\n```text\n{environment}\n```\n");
    for (page, actual) in [("commands", commands), ("environment", environment)] {
        super::assert_snapshot(&format!("../../../docs/src/reference/{page}.md"), &actual);
    }
}

/// Returns the target in a link definition, `[name]: target`.
fn definition(line: &str) -> Option<&str> {
    line.strip_prefix('[')?.split_once("]: ").map(|(_, it)| it)
}

/// Returns the passages between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    let lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("```"));
    lines.flat_map(|line| line.split('`').skip(1).step_by(2))
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_owned()
}

fn text(file: &str) -> String {
    fs::read_to_string(repository().join(file)).unwrap()
}

fn is_page(file: &str) -> bool {
    file.starts_with("docs/src/") && has_ending(file, "md")
}

fn has_ending(file: &str, ending: &str) -> bool {
    Path::new(file).extension() == Some(ending.as_ref())
}

/// Returns the path of every file in the repository, relative to its root.
fn files() -> Vec<String> {
    let root = repository();
    let mut found = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let below = path.strip_prefix(&root).unwrap();
            if [Path::new("target"), Path::new(".git")].contains(&below) {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(below.to_str().unwrap().to_owned());
            }
        }
    }
    found
}
