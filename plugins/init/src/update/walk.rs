//! The text files of a project.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use crate::record;

/// The part of a file's name that says what it is: `py`, or all of `Dockerfile`.
pub(super) fn ending(path: &str) -> &str {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    match name.rsplit_once('.') {
        Some((before, ending)) if !before.is_empty() => ending,
        _ => name,
    }
}

/// The most entries of folders to look at.
const MOST_ENTRIES: usize = 20_000;

/// The most bytes of a file to read. Every generated file is far smaller.
const MOST_BYTES: u64 = 1 << 20;

/// Folders with what programs have put there, beside those whose name begins with a full stop.
const NOT_WRITTEN: &[&str] = &["node_modules", "__pycache__", "site-packages", "venv"];

/// Texts by path.
pub(crate) type Files = BTreeMap<String, String>;

/// Reads the Python files in and below `target`, without following links. A folder that can't be read is left out, and so is what is
/// more than anybody writes by hand.
pub(crate) fn python(target: &Path) -> io::Result<Files> {
    let mut files = Files::new();
    let mut entries_seen = 0;
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        let entries = match fs::read_dir(target.join(&folder)) {
            Err(error) if folder.is_empty() => return Err(error),
            Err(_) => continue,
            Ok(entries) => entries,
        };
        let mut names = BTreeMap::new();
        for entry in entries.flatten() {
            entries_seen += 1;
            if entries_seen > MOST_ENTRIES {
                return Ok(files);
            }
            if let (Ok(name), Ok(kind)) = (entry.file_name().into_string(), entry.file_type()) {
                names.insert(name, kind);
            }
        }
        if !folder.is_empty() && is_somebody_elses(target, &folder, &names) {
            continue;
        }
        for (name, kind) in names {
            let path = if folder.is_empty() {
                name.clone()
            } else {
                format!("{folder}/{name}")
            };
            if kind.is_dir() && !name.starts_with('.') && !NOT_WRITTEN.contains(&name.as_str()) {
                folders.push(path);
            } else if kind.is_file() && ending(&name) == "py" {
                let full = target.join(&path);
                let is_small = fs::metadata(&full).is_ok_and(|found| found.len() <= MOST_BYTES);
                if let Some(text) = is_small.then(|| fs::read_to_string(full).ok()).flatten() {
                    files.insert(path, text);
                }
            }
        }
    }
    Ok(files)
}

/// Whether a folder is a virtual environment, whatever its name, or a project of its own.
fn is_somebody_elses<T>(target: &Path, folder: &str, names: &BTreeMap<String, T>) -> bool {
    names.contains_key("pyvenv.cfg")
        || names.contains_key(".git")
        || (names.contains_key(record::FOLDER)
            && target.join(folder).join(record::PROJECT).exists())
}
