//! Finds lines in a project that use outdated framework names. The code is not rewritten.

use std::collections::{BTreeMap, BTreeSet};

use bot_cli_templates::{FRAMEWORK, Migration};
use semver::{Op, Version, VersionReq};

use super::walk::Files;
use super::{About, Note};
use crate::code::{Kind, Names, words};

/// Finds names in the Python code in `files` that have become outdated since the `recorded` range of framework releases. An invalid range
/// is treated as the oldest release.
pub(super) fn uses(recorded: &str, files: &Files) -> Vec<Note> {
    let Ok(new) = Version::parse(FRAMEWORK.release) else {
        return Vec::new();
    };
    between(&oldest(recorded), &new, Migration::all(), files)
}

/// Returns the oldest release in a range such as `>=1.14.0,<2`.
fn oldest(range: &str) -> Version {
    let bounds = VersionReq::parse(range).unwrap_or_default().comparators;
    let least = bounds.iter().find(|bound| bound.op == Op::GreaterEq);
    least.map_or(Version::new(0, 0, 0), |least| {
        let (minor, patch) = (least.minor.unwrap_or(0), least.patch.unwrap_or(0));
        Version::new(least.major, minor, patch)
    })
}

fn between(
    recorded: &Version,
    new: &Version,
    migrations: &[Migration],
    files: &Files,
) -> Vec<Note> {
    let is_passed = |release: &str| {
        Version::parse(release).is_ok_and(|release| *recorded < release && release <= *new)
    };
    let mut names = BTreeMap::new();
    for migration in migrations {
        if is_passed(&migration.from) || is_passed(&migration.to) {
            for (old, new) in &migration.names {
                let mut note = format!("the framework no longer has `{old}`");
                if !new.is_empty() {
                    note.extend(["; it is `", new, "` now"]);
                }
                note.extend(migration.note.iter().flat_map(|it| ["; ", it]));
                names.insert(old.as_str(), note);
            }
        }
    }
    let mut uses = Vec::new();
    for (path, code) in files {
        uses.extend(found(code, &names).into_iter().map(|(line, old)| Note {
            about: About::Review,
            path: Some(path.clone()),
            line: Some(line),
            text: names[old].clone(),
        }));
    }
    uses
}

/// Returns the outdated names used in a file, each with its line number. Classes and functions that the file itself defines are excluded.
fn found<'n, T>(code: &str, names: &BTreeMap<&'n str, T>) -> BTreeSet<(usize, &'n str)> {
    let (words, _) = words(code);
    let mut found = BTreeSet::new();
    let mut look = |line: usize, name: &str| {
        found.extend(names.get_key_value(name).map(|(old, _)| (line, *old)));
    };
    for (at, word) in words.iter().enumerate() {
        let before = |back: usize| at.checked_sub(back).map_or("", |at| words[at].text);
        // Decorators of event handlers contain the names: `@processor.event_handler("on_…")`.
        let is_event = before(1) == "(" && before(2).ends_with("event_handler");
        if word.kind == Kind::Name || word.kind == Kind::String && is_event {
            look(word.line, word.text);
        }
    }
    let own = Names::of(code).unwrap_or_default();
    for import in own.imports {
        // A module is old if one of its parent packages is.
        for (end, _) in format!("{}.", import.module).match_indices('.').skip(1) {
            look(import.lines.0, &import.module[..end]);
        }
        // `from package import module` imports `package.module`.
        if let Some(name) = import.name {
            look(import.lines.1, &format!("{}.{name}", import.module));
        }
    }
    found.retain(|(_, old)| !own.defined.contains(old));
    found
}

#[cfg(test)]
mod tests;
