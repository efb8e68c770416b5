//! Compares a project's recorded options with its code. The two differ if the user removed an option's code while resolving a conflict, or
//! merged two branches but kept only one branch's record.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::walk::is_python;
use super::{overlay, reading, walk};
use crate::config::Config;
use crate::draft::Draft;
use crate::merge::words;
use crate::option_table::{Feature, fields};
use crate::plan::{self, PlannedFile};
use crate::resolve::resolve;

const BOT: &str = "server/bot.py";

/// Groups of options that represent a single choice. Features are not listed, because each feature forms a group by itself.
const TOGETHER: [&[&str]; 4] = [
    &["transports"],
    &[
        "mode",
        "stt_service",
        "llm_service",
        "tts_service",
        "realtime_service",
    ],
    &["video_service"],
    &["client_framework", "client_server"],
];

/// The names that each Python file of a project uses, by path.
struct Code(BTreeMap<String, BTreeSet<String>>);

impl Code {
    fn of(target: &Path) -> Self {
        let files = walk::python(target).into_iter();
        Self(files.map(|(path, text)| (path, used(&text))).collect())
    }

    fn uses(&self, path: &str, name: &str) -> bool {
        self.0.get(path).is_some_and(|used| used.contains(name))
    }
}

/// Returns the parts of enabled features that are missing from the project, each as a path and a description.
pub(crate) fn missing(
    target: &Path,
    config: &Config,
    planned: &[PlannedFile],
) -> Vec<(String, String)> {
    let code = Code::of(target);
    let mut missing = Vec::new();
    for feature in Feature::ALL.into_iter().filter(|it| config.has(*it)) {
        let without = Config {
            features: config.features.with(feature, false),
            ..config.clone()
        };
        // Other options may need the feature.
        let Ok(without) = plan::scaffold(&without) else {
            continue;
        };
        for (file, name) in brought(&without.files, planned) {
            let what = match name {
                None if !target.join(&file.path).is_file() => "this file of it does not exist",
                Some(name)
                    if file.path == BOT
                        && code.0.contains_key(BOT)
                        && imports(&file.text, name)
                        && !code.uses(BOT, name) =>
                {
                    &format!("nothing here uses `{name}`")
                }
                _ => continue,
            };
            let key = feature.row().key;
            missing.push((file.path.clone(), format!("`{key}` is on, and {what}")));
        }
    }
    missing
}

/// Returns the options that are fully implemented in the code but missing from `config`.
pub(crate) fn unrecorded(target: &Path, config: &Config, recorded: &Draft) -> Draft {
    let code = Code::of(target);
    let shown = reading::read(target);
    let (Ok(without), catalogue) = (plan::scaffold(config), config.catalogue) else {
        return Draft::default();
    };
    let features = Feature::ALL.map(|feature| [feature.row().key]);
    let groups = TOGETHER
        .into_iter()
        .chain(features.each_ref().map(|key| &key[..]));
    let mut found = Draft::default();
    for group in groups {
        let mut one = shown.clone();
        for (key, _) in fields().filter(|(key, _)| !group.contains(key)) {
            one.forget(key);
        }
        if !group.iter().any(|key| one.says(key)) {
            continue;
        }
        let (draft, _) = overlay::over(recorded.clone(), one.clone());
        let Ok(with) = resolve(&draft, Some(&config.project_name), catalogue) else {
            continue;
        };
        let (now, then) = (config.to_json(), with.to_json());
        for key in group.iter().filter(|key| now[**key] == then[**key]) {
            one.forget(key);
        }
        let Ok(with) = plan::scaffold(&with) else {
            continue;
        };
        let mut brought = brought(&without.files, &with.files).into_iter().peekable();
        let is_there = |(file, name): (&PlannedFile, Option<&str>)| match name {
            None => target.join(&file.path).is_file(),
            Some(name) => code.uses(&file.path, name),
        };
        if brought.peek().is_some() && brought.all(is_there) {
            found = one.over(found);
        }
    }
    found
}

/// Returns the parts that an option adds: new files, and new names in existing Python files.
fn brought<'f>(
    without: &[PlannedFile],
    with: &'f [PlannedFile],
) -> Vec<(&'f PlannedFile, Option<&'f str>)> {
    let mut brought = Vec::new();
    for file in with {
        match without.iter().find(|other| other.path == file.path) {
            None => brought.push((file, None)),
            Some(other) if is_python(&file.path) && other.text != file.text => {
                let known: BTreeSet<&str> = words(&other.text).collect();
                let names: BTreeSet<&str> = code_lines(&file.text).flat_map(words).collect();
                let new = names.into_iter().filter(|name| !known.contains(name));
                brought.extend(new.map(|name| (file, Some(name))));
            }
            Some(_) => {}
        }
    }
    brought
}

fn used(text: &str) -> BTreeSet<String> {
    let used = code_lines(text).flat_map(words);
    used.map(str::to_owned).collect()
}

/// Returns the lines of code, excluding top-level imports, docstrings and comments.
fn code_lines(text: &str) -> impl Iterator<Item = &str> {
    let is_prose = |line: &&str| {
        ["from ", "import ", "\"\"\"", "#", "Transport: "]
            .iter()
            .any(|begins| line.starts_with(begins))
    };
    text.lines().filter(move |line| !is_prose(line))
}

fn imports(text: &str, name: &str) -> bool {
    let mut imports = text.lines().filter(|line| line.starts_with("from "));
    imports.any(|line| words(line).any(|word| word == name))
}
