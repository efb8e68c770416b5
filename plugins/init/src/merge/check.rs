//! Checks of merged files. A merge that is clean and fails one is a conflict.

mod lost;
pub(crate) mod meaning;
pub(crate) mod modules;

use std::collections::BTreeMap;
use std::path::Path;

use bot_cli_protocol::unique_members;
use saphyr::{LoadableYamlNode, Yaml};

use super::formats::{self, variables};
use super::{Conflict, Merged, Part, Versions, lines, python};
use crate::code;

/// A place in a file that is to be looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    /// `None`: it is about the project as a whole.
    pub path: Option<String>,
    /// Counted from 1.
    pub line: Option<usize>,
    /// A sentence without a full stop.
    pub note: String,
}

/// Texts by path.
pub(crate) type Texts<'a> = BTreeMap<&'a str, &'a str>;

/// What is wrong with a merged text.
#[derive(Debug, PartialEq, Eq)]
struct Fault {
    /// The line of the text.
    line: Option<usize>,
    reason: String,
}

/// Returns the first merge that is clean and without a fault. If there is none, the one with the fewest lines in conflict, or, where
/// all are clean, the first one with its fault as a conflict.
pub(super) fn first(path: &str, versions: &Versions, ways: Vec<Merged>) -> Merged {
    let mut faults = Vec::new();
    let mut in_conflict = Vec::new();
    for merged in ways {
        let Some(text) = merged.text() else {
            in_conflict.push(merged);
            continue;
        };
        match fault(path, versions, &text) {
            None => return merged,
            Some(fault) => faults.push((merged, text, fault)),
        }
    }
    let size = |merged: &Merged| -> (usize, usize) {
        let sizes = merged.conflicts().map(|it| it.yours.len() + it.new.len());
        let unnamed = merged.conflicts().filter(|it| it.declaration.is_none());
        (sizes.sum(), unnamed.count())
    };
    let least = in_conflict.into_iter().min_by_key(size);
    let fault = faults.into_iter().next();
    match (least, fault) {
        (Some(merged), None) => merged,
        (least, Some((merged, text, fault))) => {
            let mut demoted = least.unwrap_or_else(|| conflict(versions, &text, &fault));
            demoted.notes = merged.notes;
            demoted.notes.push(fault.reason);
            demoted
        }
        (None, None) => Merged::contested(versions),
    }
}

/// Returns a conflict at the line of the fault if the user has such a line, else one of all lines.
fn conflict(versions: &Versions, text: &str, fault: &Fault) -> Merged {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let place = fault.line.and_then(|number| {
        let line = *lines.get(number.checked_sub(1)?)?;
        let of_user = versions
            .yours
            .split_inclusive('\n')
            .position(|it| it == line)?;
        Some((number - 1, line, of_user + 1))
    });
    let Some((index, line, of_user)) = place else {
        return Merged::contested(versions);
    };
    let has_line = |text: &str| text.split_inclusive('\n').any(|it| it == line);
    let side = |text: &str| {
        if has_line(text) {
            line.to_owned()
        } else {
            String::new()
        }
    };
    let mut parts = Vec::new();
    lines::push_text(&mut parts, &lines[..index].concat());
    parts.push(Part::Conflict(Conflict {
        declaration: None,
        line: of_user,
        base: side(versions.base),
        yours: line.to_owned(),
        new: String::new(),
    }));
    lines::push_text(&mut parts, &lines[index + 1..].concat());
    Merged {
        parts,
        notes: Vec::new(),
    }
}

fn fault(path: &str, versions: &Versions, text: &str) -> Option<Fault> {
    let Versions { yours, new, .. } = *versions;
    let readable = |text: &str| syntax(path, text);
    if readable(yours).is_ok()
        && readable(new).is_ok()
        && let Err(reason) = readable(text)
    {
        return Some(Fault {
            line: None,
            reason: format!("merged, it could not be read: {reason}"),
        });
    }
    if markers(text) > markers(yours) + markers(new) {
        return Some(Fault {
            line: None,
            reason: "merged, it would have the marker of a conflict".to_owned(),
        });
    }
    let of_names = undefined(path, versions, text).or_else(|| twice(path, versions, text));
    if has_extension(path, &["py"])
        && let Some(name) = python::twice(versions, text)
    {
        return Some(Fault {
            line: None,
            reason: format!("merged, it would define `{name}` twice"),
        });
    }
    of_names.or_else(|| {
        let (line, lost) = lost::line(path, versions, text)?;
        Some(Fault {
            line: None,
            reason: format!("merged, it would lack your line {line}: `{}`", lost.trim()),
        })
    })
}

/// Finds an environment variable that is set more often than on either side.
fn twice(path: &str, versions: &Versions, text: &str) -> Option<Fault> {
    if !formats::is_of_variables(path) {
        return None;
    }
    let count = |text: &str, name: &str| {
        let names = text.lines().filter_map(variables::set);
        names.filter(|other| *other == name).count()
    };
    let mut seen = BTreeMap::new();
    for (index, line) in text.lines().enumerate() {
        let Some(name) = variables::set(line) else {
            continue;
        };
        let times = seen.entry(name).or_insert(0);
        *times += 1;
        let of_sides = count(versions.yours, name).max(count(versions.new, name));
        if *times > of_sides.max(1) {
            return Some(Fault {
                line: Some(index + 1),
                reason: format!("merged, it would have `{name}` twice"),
            });
        }
    }
    None
}

fn has_extension(path: &str, wanted: &[&str]) -> bool {
    let extension = Path::new(path).extension();
    extension.is_some_and(|extension| wanted.iter().any(|wanted| extension == *wanted))
}

fn syntax(path: &str, text: &str) -> Result<(), String> {
    if has_extension(path, &["py"]) {
        return code::free(text).map(drop);
    }
    if has_extension(path, &["toml"]) {
        let read = text.parse::<toml::Table>();
        return read.map(drop).map_err(|error| error.message().to_owned());
    }
    if has_extension(path, &["json"]) {
        return unique_members(text.as_bytes()).map_err(|error| error.to_string());
    }
    if has_extension(path, &["yaml", "yml"]) {
        let read = Yaml::load_from_str(text);
        return read.map(drop).map_err(|error| error.to_string());
    }
    Ok(())
}

fn markers(text: &str) -> usize {
    let is_marker = |line: &&str| line.starts_with("<<<<<<< ") || line.starts_with(">>>>>>> ");
    text.lines().filter(is_marker).count()
}

/// Finds a name that the merged code uses and no longer defines.
fn undefined(path: &str, versions: &Versions, text: &str) -> Option<Fault> {
    if !has_extension(path, &["py"]) {
        return None;
    }
    let known = [versions.yours, versions.new].map(code::free);
    let missing = code::free(text).ok()?.into_iter().find(|name| {
        let is_free = |free: &Result<_, String>| {
            let names: Option<&std::collections::BTreeSet<&str>> = free.as_ref().ok();
            names.is_some_and(|names| names.contains(name))
        };
        !known.iter().any(is_free)
    })?;
    let line = text
        .lines()
        .position(|line| lines::words(line).any(|word| word == missing))?;
    Some(Fault {
        line: Some(line + 1),
        reason: format!("it uses `{missing}`, which is no longer defined"),
    })
}

#[cfg(test)]
mod tests;
