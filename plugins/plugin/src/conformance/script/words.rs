//! The values of the `$` words in a check's lines, and the preconditions of a check.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::super::bench::{Bench, Held, Stop, not_run};
use super::super::checks::Rule;
use super::super::report::CANARY;
use bot_cli_protocol::{ArgumentSpec, CommandSpec, Manifest, Role};
use bot_cli_secrets::messages::{Limits, OpenResult};

pub type Words = BTreeMap<&'static str, String>;

/// The assumed maximum length of a value, in bytes, if the backend reports no limit or a higher one.
const LARGEST: u64 = 4 * 1024 * 1024;
/// The maximum length of a long but valid value, in bytes.
const LONG: u64 = 150_000;

/// Returns the values of the words. Fails with the reason if a precondition of the check is not met.
pub fn of(bench: &Bench, check: &Rule) -> Result<Words, Stop> {
    let mut words = Words::from([
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
        ("catalogue", bot_cli_templates::pack::SCHEMA.to_owned()),
        ("canary", CANARY.to_owned()),
    ]);
    if let Ok(manifest) = bench.manifest() {
        words.insert("name", manifest.name.clone());
        words.insert("own_version", manifest.version.clone());
    }
    for need in &check.needs {
        match (need.as_str(), &bench.kit.argv) {
            ("argv" | "question", None) => {
                return not_run("it needs a run that does no harm: `--argv \"WORDS\"`");
            }
            ("place", None) => {
                return not_run(
                    "it needs a place to work in: `--argv \"organization=NAME SETTING=VALUE\"`, or `--argv \"\"`",
                );
            }
            ("argv" | "question" | "place", Some(argv)) => {
                if let Some(reason) = &*bench.shut.borrow() {
                    return not_run(reason);
                }
                words.insert("argv", json!(argv).to_string());
                add_scope(argv, &mut words);
            }
            ("dynamic", _) => add_dynamic(bench.manifest()?, &mut words)?,
            ("direct", _) => {
                let path = |it: &Value| (it["direct"] == true).then(|| path(it));
                let found = commands(bench.manifest()?).iter().find_map(path);
                words.insert(
                    "direct",
                    found.ok_or_else(|| none("no command is `direct`"))?,
                );
            }
            ("flag", _) => {
                let found = commands(bench.manifest()?).iter().find_map(host_flag);
                words.insert(
                    "flag",
                    found.ok_or_else(|| {
                        none("no command has a flag `--json`, `--verbose` or `--quiet`")
                    })?,
                );
            }
            _ => {}
        }
    }
    Ok(words)
}

/// Adds the scope from `--argv`, such as `organization=scratch`, as JSON.
fn add_scope(argv: &[String], words: &mut Words) {
    let pairs = argv.iter().filter_map(|word| word.split_once('='));
    let mut settings: BTreeMap<&str, &str> = pairs.collect();
    let mut scope = Map::new();
    for name in ["organization", "region"] {
        if let Some(value) = settings.remove(name) {
            scope.insert(name.to_owned(), json!(value));
            words.insert(name, json!(value).to_string());
        }
    }
    scope.insert("settings".to_owned(), json!(settings));
    // Without a name, any organization matches.
    words
        .entry("organization")
        .or_insert("{\"$not\":[]}".to_owned());
    let scope = json!(scope).to_string();
    words.insert("scope", scope[1..scope.len() - 1].to_owned());
}

/// Adds the arguments that precede the first value with dynamic completion.
fn add_dynamic(manifest: &Manifest, words: &mut Words) -> Held {
    for command in commands(manifest) {
        let elements = |name: &str| command[name].as_array().cloned().unwrap_or_default();
        let front = path(&command);
        let mut positionals = front.clone();
        for argument in elements("own") {
            let (long, short) = (argument["long"].as_str(), argument["short"].as_str());
            let before = match (long, short) {
                (Some(long), _) => format!("{front}\"--{long}\","),
                (None, Some(short)) => format!("{front}\"-{short}\","),
                (None, None) => positionals.clone(),
            };
            if argument["completion"] == "dynamic" {
                words.insert("before", before);
                return Ok(());
            }
            if argument["kind"] == "positional" {
                positionals += "\"x\",";
            }
        }
    }
    not_run("no argument has `\"completion\":\"dynamic\"` in the manifest")
}

fn none(what: &str) -> Stop {
    Stop::NotRun(format!("{what} in the manifest"))
}

/// Returns the words that select a command, as JSON, each followed by a comma.
fn path(command: &Value) -> String {
    let names = command["path"].as_array().into_iter().flatten();
    names.map(|name| name.to_string() + ",").collect()
}

/// Returns the words that give a command's own flag with the name of an option of the host.
fn host_flag(command: &Value) -> Option<String> {
    let mut own = command["own"].as_array()?.iter();
    let flag = own.find(|it| {
        let is_host = ["json", "verbose", "quiet"]
            .iter()
            .any(|name| it["long"] == *name);
        is_host && it["kind"] == "flag"
    })?;
    let long = flag["long"].as_str()?;
    Some(format!("{}\"--{long}\",", path(command)))
}

/// Returns the commands in a manifest, each with its path, its own arguments, and all arguments that it accepts.
pub fn commands(manifest: &Manifest) -> Vec<Value> {
    let root = manifest.command.as_ref();
    root.map_or_else(Vec::new, |root| with_subcommands(root, &[], &[]))
}

fn with_subcommands(command: &CommandSpec, path: &[&str], above: &[&ArgumentSpec]) -> Vec<Value> {
    let all: Vec<_> = above.iter().copied().chain(&command.arguments).collect();
    let global: Vec<_> = all.iter().copied().filter(|it| it.global).collect();
    let mut commands = vec![json!({
        "name": path.join(" "),
        "path": path,
        "direct": command.direct,
        "own": command.arguments,
        "arguments": all,
        "commands": command.commands,
    })];
    for below in &command.commands {
        let path = [path, &[&below.name]].concat();
        commands.extend(with_subcommands(below, &path, &global));
    }
    commands
}

pub fn add_place(words: &mut Words, opened: &OpenResult, folder: &Path) {
    let xs = |count: u64| "x".repeat(usize::try_from(count).unwrap_or_default());
    let (names, limits) = (opened.names, opened.limits);
    let limit = limits.value_bytes.unwrap_or(LARGEST);
    let whole = limits.set_bytes.unwrap_or(LARGEST) / 2;
    words.insert("too_large", xs(limit.min(LARGEST) + 1));
    words.insert("long", xs(limit.min(LONG).min(whole)));
    words.insert("too_many", too_many(limits, limit).to_string());
    words.insert("too_long", "x".repeat(names.longest + 1));
    let first = opened.regions.as_ref().and_then(|regions| {
        let code = regions.all.first().map(|region| &region.code);
        regions.default.as_ref().or(code)
    });
    words
        .entry("region")
        .or_insert_with(|| json!(first).to_string());
    if words.contains_key("set") {
        return;
    }
    // The folder's name is random, which makes the names of the sets unique.
    let folder = folder.to_string_lossy().to_lowercase();
    let random = folder.rsplit('-').next().unwrap_or_default();
    for (word, beginning) in [("set", "check-a"), ("other", "check-b")] {
        let (shortest, longest) = (names.shortest, names.longest);
        let name = format!("{beginning}{random}");
        words.insert(word, format!("{name:x<shortest$.longest$}"));
    }
    let capital = words["set"].to_uppercase();
    let bad = if names.capitals { "check-" } else { &capital };
    words.insert("bad_case", bad.to_owned());
    words.insert("SET", capital);
}

/// Returns more entries than a set may have: one key too many, or values that are too large together.
fn too_many(limits: Limits, value_bytes: u64) -> Value {
    let (count, size) = match (limits.keys, limits.set_bytes) {
        (Some(keys @ 0..=10_000), _) => (keys + 1, 0),
        (_, Some(bytes @ 0..LARGEST)) => {
            let size = value_bytes.clamp(1, bytes.max(1));
            (bytes / size + 1, size)
        }
        _ => return json!({}),
    };
    let value = "x".repeat(usize::try_from(size).unwrap_or_default());
    let entries = (0..count).map(|number| (format!("K{number}"), json!(value)));
    Value::Object(entries.collect())
}

/// Returns a description of the problem with the scope in `--argv`, if any. Rejects unknown names, because a misspelt name would select a
/// different scope.
pub fn wrong_place(bench: &Bench) -> Option<String> {
    let (argv, manifest) = (bench.kit.argv.as_ref()?, bench.manifest().ok()?);
    if manifest.role != Role::SecretsBackend {
        return None;
    }
    let own = manifest.settings.iter().map(|setting| &*setting.name);
    let known: Vec<&str> = own.chain(["organization", "region"]).collect();
    let is_known = |word: &String| {
        let name = word.split_once('=').map(|(name, _)| name);
        name.is_some_and(|name| known.contains(&name))
    };
    if argv.iter().all(is_known) {
        return None;
    }
    let known = known.join("`, `");
    Some(format!("takes NAME=VALUE, where NAME is `{known}`"))
}
