//! Checks merged files. A clean merge that fails a check becomes a conflict.

use std::collections::BTreeMap;
use std::path::Path;

use bot_cli_protocol::unique_members;
use saphyr::{LoadableYamlNode, Yaml};

use super::{Conflict, Merged, Part, Versions, lines};
use crate::code::Names;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fault {
    word: Option<String>,
    pub reason: String,
}

pub(super) fn fault(path: &str, versions: &Versions, text: &str) -> Option<Fault> {
    let sides = [versions.yours, versions.new];
    let of_file = |reason: String| Fault { word: None, reason };
    if !sides.iter().all(|text| syntax(path, text).is_ok()) {
        // A file that the user broke is not the merge's fault.
        return None;
    }
    if let Err(reason) = syntax(path, text) {
        return Some(of_file(format!("merged, it could not be read: {reason}")));
    }
    match Path::new(path).extension().and_then(|it| it.to_str()) {
        Some("py") => of_names(&sides, text),
        Some("env" | "example") => {
            let name = twice(&sides, text, |text| text.lines().filter_map(set).collect())?;
            Some(of_file(format!("merged, it would have `{name}` twice")))
        }
        _ => None,
    }
}

fn syntax(path: &str, text: &str) -> Result<(), String> {
    match Path::new(path).extension().and_then(|it| it.to_str()) {
        Some("py") => Names::of(text).map(drop),
        Some("toml") => {
            (text.parse::<toml::Table>().map(drop)).map_err(|error| error.message().to_owned())
        }
        Some("json") => unique_members(text.as_bytes()).map_err(|error| error.to_string()),
        Some("yaml" | "yml") => {
            (Yaml::load_from_str(text).map(drop)).map_err(|error| error.to_string())
        }
        _ => Ok(()),
    }
}

/// Finds a name that the merged code uses but no longer binds, or that it defines more often than either side does.
fn of_names(sides: &[&str; 2], text: &str) -> Option<Fault> {
    let names = Names::of(text).ok()?;
    let [yours, new] = sides.map(|side| Names::of(side).unwrap_or_default());
    // A name that the user's code already lacks is not lost by the merge.
    let is_missing = |name: &str| yours.used.contains(name) && !yours.bound.contains(name);
    let is_lost = |name: &&&str| {
        let is_bound = yours.bound.contains(**name) || new.bound.contains(**name);
        is_bound && !names.bound.contains(**name) && !is_missing(name)
    };
    if let Some(name) = names.used.iter().find(is_lost) {
        return Some(Fault {
            word: Some((*name).to_owned()),
            reason: format!("it uses `{name}`, which is no longer defined"),
        });
    }
    let defined = |text| {
        Names::of(text)
            .map(|names| names.defined)
            .unwrap_or_default()
    };
    let name = twice(sides, text, defined)?;
    Some(Fault {
        word: None,
        reason: format!("merged, it would define `{name}` twice"),
    })
}

fn twice<'t>(
    sides: &[&'t str; 2],
    text: &'t str,
    items: impl Fn(&'t str) -> Vec<&'t str>,
) -> Option<&'t str> {
    let count = |text| {
        let mut count: BTreeMap<&str, usize> = BTreeMap::new();
        for item in items(text) {
            *count.entry(item).or_default() += 1;
        }
        count
    };
    let sides = sides.map(count);
    let mut merged = count(text).into_iter();
    let found = merged.find(|(item, times)| {
        let most = sides.iter().filter_map(|side| side.get(*item)).max();
        times > most.unwrap_or(&1)
    });
    found.map(|(item, _)| item)
}

/// Returns the variable name from a `NAME=…` line, or `None` for a comment or any other line.
fn set(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let (name, _) = line
        .strip_prefix("export ")
        .unwrap_or(line)
        .split_once('=')?;
    (!name.starts_with('#')).then(|| name.trim())
}

/// Returns a merge with a conflict at the user's line that contains the affected word, or across all lines if the word can't be located.
pub(super) fn conflict(versions: &Versions, text: &str, fault: &Fault) -> Merged {
    let has_word = |line: &str| {
        (fault.word.as_deref()).is_some_and(|word| lines::words(line).any(|it| it == word))
    };
    let place = text
        .split_inclusive('\n')
        .position(has_word)
        .and_then(|index| {
            let line = text.split_inclusive('\n').nth(index)?;
            let mut yours = versions.yours.split_inclusive('\n');
            Some((index, line, yours.position(|it| it == line)? + 1))
        });
    let Some((index, line, of_user)) = place else {
        return Merged::contested(versions);
    };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let base = Some(line).filter(|line| versions.base.contains(line));
    let mut merged = Merged::default();
    lines::push_text(&mut merged.parts, &lines[..index].concat());
    merged.parts.push(Part::Conflict(Conflict {
        line: of_user,
        base: base.unwrap_or_default().to_owned(),
        yours: line.to_owned(),
        new: String::new(),
    }));
    lines::push_text(&mut merged.parts, &lines[index + 1..].concat());
    merged
}
