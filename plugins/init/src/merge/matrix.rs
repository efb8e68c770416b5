//! Tests merges of project changes with user edits, and counts the results.
//!
//! By default, the test samples the pairs of a change and an edit. With `BOT_CLI_MERGES=FOLDER`, the test merges every pair and writes
//! clean merges to `FOLDER/merged`. If a merge differs from the result of applying the edit to the new project, the test writes that result
//! to `FOLDER/afterwards`. All edited old projects are written to `FOLDER/edited`.

pub(super) mod changes;
mod drawn;
mod edits;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{env, fs};

use super::Versions;
use changes::Change;
use edits::Edit;

/// The sampling interval: the test merges one in this many pairs.
const DRAWN: usize = 23;

/// A project's file contents, by path.
pub(super) type Files = BTreeMap<String, String>;

struct Outcome {
    files: Files,
    conflicts: BTreeSet<String>,
}

fn merge(change: &Change, yours: &Files) -> Outcome {
    let mut outcome = Outcome {
        files: yours.clone(),
        conflicts: BTreeSet::new(),
    };
    let paths: BTreeSet<&String> = change.base.keys().chain(change.new.keys()).collect();
    for path in paths {
        match (change.base.get(path), yours.get(path), change.new.get(path)) {
            (Some(base), Some(yours), Some(new)) if base != new => {
                let versions = Versions { base, yours, new };
                if let Some(text) = super::merge(path, &versions).text() {
                    outcome.files.insert(path.clone(), text);
                } else {
                    outcome.conflicts.insert(path.clone());
                }
            }
            (None, None, Some(new)) => {
                outcome.files.insert(path.clone(), new.clone());
            }
            (None, Some(yours), Some(new)) if yours != new => {
                outcome.conflicts.insert(path.clone());
            }
            // Users who edited the file keep it.
            (Some(base), Some(yours), None) if base == yours => {
                outcome.files.remove(path);
            }
            _ => {}
        }
    }
    outcome
}

#[derive(Debug, Default)]
struct Counts {
    pairs: usize,
    clean: usize,
    /// The number of clean merges that equal the result of applying the edit to the new project.
    same: usize,
    /// The edits with a conflict, by the path.
    conflicts: BTreeMap<String, BTreeMap<String, usize>>,
}

fn count(changes: &[Change], edits: &[Edit], folder: Option<&Path>) -> Counts {
    let mut counts = Counts::default();
    for (row, change) in changes.iter().enumerate() {
        for (column, edit) in edits.iter().enumerate() {
            if folder.is_none() && !(row * edits.len() + column).is_multiple_of(DRAWN) {
                continue;
            }
            let Some(yours) = edit.apply(edits, &change.base) else {
                continue;
            };
            counts.pairs += 1;
            let outcome = merge(change, &yours);
            for path in &outcome.conflicts {
                let of_path = counts.conflicts.entry(path.clone()).or_default();
                *of_path.entry(edit.name.clone()).or_default() += 1;
            }
            let is_clean = outcome.conflicts.is_empty();
            let afterwards = edit.apply(edits, &change.new);
            let is_same = is_clean && afterwards.as_ref() == Some(&outcome.files);
            counts.clean += usize::from(is_clean);
            counts.same += usize::from(is_same);
            if let Some(folder) = folder {
                let made = format!("{} × {}\n", change.name, edit.name);
                let name = counts.pairs.to_string();
                if is_clean {
                    write(&folder.join("merged").join(&name), &made, &outcome.files);
                }
                if let Some(files) = afterwards.filter(|_| !is_same) {
                    write(&folder.join("afterwards").join(name), &made, &files);
                }
            }
        }
    }
    counts
}

fn write(folder: &Path, made: &str, files: &Files) {
    for (path, text) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    fs::write(folder.join("pair.txt"), made).unwrap();
}

/// Writes every edited project, since the edits themselves must also produce valid projects.
fn write_edited(folder: &Path, changes: &[Change], edits: &[Edit]) {
    let mut bases: Vec<&Files> = Vec::new();
    for change in changes {
        if !bases.contains(&&change.base) {
            bases.push(&change.base);
        }
    }
    for (number, base) in bases.into_iter().enumerate() {
        for (place, edit) in edits.iter().enumerate() {
            if let Some(files) = edit.apply(edits, base) {
                let name = format!("{number}-{place}");
                write(&folder.join("edited").join(name), &edit.name, &files);
            }
        }
    }
}

#[test]
#[expect(clippy::print_stdout, reason = "the counts are for people")]
fn edits_survive_changes() {
    let folder = env::var_os("BOT_CLI_MERGES");
    let folder = folder.as_deref().map(Path::new);
    let changes = changes::all();
    let edits = edits::all();
    assert!(changes.len() >= 60, "{}", changes.len());
    assert!(edits.len() >= 40, "{}", edits.len());
    if let Some(folder) = folder {
        write_edited(folder, changes, &edits);
    }
    let counts = count(changes, &edits, folder);
    println!("{counts:#?}");
    assert!(counts.pairs > 200, "{counts:#?}");
    // The minimum percentages of clean merges, and of merges that equal the edited new project.
    assert!(counts.clean * 100 >= counts.pairs * 96, "{counts:#?}");
    assert!(counts.same * 100 >= counts.pairs * 90, "{counts:#?}");
}
