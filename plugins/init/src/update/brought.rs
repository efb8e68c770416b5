//! Whether a project has what its recorded options bring: a conflict may have been resolved without it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::Review;
use crate::config::Config;
use crate::merge::words;
use crate::option_table::Feature;
use crate::plan::{self, PlannedFile};

const BOT: &str = "server/bot.py";

/// Returns what is not there of each feature that is on: a file, or the use of a name in `bot.py`.
pub(crate) fn missing(target: &Path, config: &Config, planned: &[PlannedFile]) -> Vec<Review> {
    let bot = fs::read_to_string(target.join(BOT)).ok();
    let used: Option<BTreeSet<&str>> = bot
        .as_deref()
        .map(|bot| code(bot).flat_map(words).collect());
    let mut missing = Vec::new();
    for feature in Feature::ALL {
        let without = Config {
            features: config.features.with(feature, false),
            ..config.clone()
        };
        // Others may need it.
        let Some(other) = plan::scaffold(&without)
            .ok()
            .filter(|_| config.has(feature))
        else {
            continue;
        };
        let other: BTreeMap<&str, &str> = (other.files.iter())
            .map(|file| (file.path.as_str(), file.text.as_str()))
            .collect();
        let mut note = |path: &str, what: &str| {
            missing.push(Review {
                path: Some(path.to_owned()),
                line: None,
                note: format!("`{}` is on, and {what}", feature.row().key),
            });
        };
        for file in planned {
            match (other.get(file.path.as_str()), &used) {
                (None, _) if !target.join(&file.path).is_file() => {
                    note(&file.path, "this file of it is not there");
                }
                (Some(other), Some(used)) if file.path == BOT => {
                    let known: BTreeSet<&str> = words(other).collect();
                    let names = imported(&file.text).filter(|name| !known.contains(name));
                    for name in names.filter(|name| !used.contains(name)) {
                        note(BOT, &format!("nothing here uses `{name}`"));
                    }
                }
                _ => {}
            }
        }
    }
    missing
}

/// The lines that import nothing.
fn code(text: &str) -> impl Iterator<Item = &str> {
    let is_import = |line: &&str| line.starts_with("from ") || line.starts_with("import ");
    text.lines().filter(move |line| !is_import(line))
}

/// The names that statements of one line import.
fn imported(text: &str) -> impl Iterator<Item = &str> {
    let imports = text.lines().filter(|line| line.starts_with("from "));
    imports
        .filter_map(|line| Some(line.split_once(" import ")?.1))
        .flat_map(words)
}
