//! Finds the files that the user has moved: by their contents, since nobody says so.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::io;
use std::path::Path;

use crate::record;

/// The new place of a file that is not where it was generated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Moved {
    /// The file that it is now.
    To(String),
    /// Files that it may be. Which one is for the user to say.
    Unsure(Vec<String>),
}

/// A file by its lines, of which line ends, indentation and order do not count.
#[derive(Debug)]
struct Lines<'a> {
    /// Relative to the project, with `/`.
    path: &'a str,
    /// How often each is there, without the empty ones.
    counts: BTreeMap<&'a str, usize>,
    all: usize,
}

impl<'a> Lines<'a> {
    fn of(path: &'a str, text: &'a str) -> Self {
        let mut counts: BTreeMap<_, usize> = BTreeMap::new();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            *counts.entry(line).or_default() += 1;
        }
        Self {
            path,
            all: counts.values().sum(),
            counts,
        }
    }

    /// How much of two files of one kind is the same, from 0 to 1.
    #[expect(clippy::cast_precision_loss, reason = "files have few lines")]
    fn likeness(&self, other: &Self) -> f64 {
        if ending(self.path) != ending(other.path) {
            return 0.0;
        }
        let shared: usize = self
            .counts
            .iter()
            .map(|(line, count)| *count.min(other.counts.get(line).unwrap_or(&0)))
            .sum();
        let is_same = shared == self.all && shared == other.all;
        let is_named_alike = name(self.path) == name(other.path);
        if self.all.min(other.all) < FEW_LINES && !(is_same && is_named_alike) {
            return 0.0;
        }
        (2 * shared) as f64 / (self.all + other.all).max(1) as f64
    }
}

/// The least part of the lines that a moved file shares with its former self.
const LIKENESS: f64 = 0.6;

/// The fewest lines that say something about the file that they are in.
const FEW_LINES: usize = 3;

/// Looks for files of the project that were generated at the `missing` paths, each with its generated text. A file of the paths in
/// `taken` is at its own place. The result has nothing about files that are nowhere.
///
/// # Errors
/// The project can't be read.
pub(crate) fn find(
    target: &Path,
    missing: &[(&str, &str)],
    taken: &BTreeSet<&str>,
) -> io::Result<BTreeMap<String, Moved>> {
    if missing.is_empty() {
        return Ok(BTreeMap::new());
    }
    let endings: BTreeSet<&str> = missing.iter().map(|(path, _)| ending(path)).collect();
    let walked = walk(target, &endings)?;
    let (in_place, elsewhere): (Vec<_>, Vec<_>) = walked
        .files
        .iter()
        .map(|(path, text)| Lines::of(path, text))
        .partition(|file| taken.contains(file.path));
    let missing: Vec<Lines> = missing
        .iter()
        .map(|&(path, text)| Lines::of(path, text))
        .collect();
    let mut found = matched(&missing, &in_place, &elsewhere);
    if walked.is_cut_short {
        // There may be more of the same.
        for moved in found.values_mut() {
            if let Moved::To(path) = moved {
                *moved = Moved::Unsure(vec![path.clone()]);
            }
        }
    }
    Ok(found)
}

/// Finds the missing files among those elsewhere. A file that is rather a copy of one that is in its place has not been moved.
fn matched(missing: &[Lines], in_place: &[Lines], elsewhere: &[Lines]) -> BTreeMap<String, Moved> {
    let mut candidates: BTreeMap<&str, Vec<(&str, f64)>> = BTreeMap::new();
    for file in elsewhere {
        let likenesses: Vec<(&Lines, f64)> = missing
            .iter()
            .map(|former| (former, former.likeness(file)))
            .filter(|(_, likeness)| *likeness >= LIKENESS)
            .collect();
        let Some(most) = likenesses
            .iter()
            .map(|(_, likeness)| *likeness)
            .reduce(f64::max)
        else {
            continue;
        };
        if in_place.iter().any(|other| other.likeness(file) >= most) {
            continue;
        }
        for (former, likeness) in likenesses {
            if likeness >= most {
                let of_former = candidates.entry(former.path).or_default();
                of_former.push((file.path, likeness));
            }
        }
    }
    for of_former in candidates.values_mut() {
        if of_former.iter().any(|(_, likeness)| *likeness >= 1.0) {
            of_former.retain(|(_, likeness)| *likeness >= 1.0);
        }
    }
    let claims = |path: &str| {
        let all = candidates.values().flatten();
        all.filter(|(candidate, _)| *candidate == path).count()
    };
    candidates
        .iter()
        .map(|(former, of_former)| {
            let moved = match of_former.as_slice() {
                [(path, _)] if claims(path) == 1 => Moved::To((*path).to_owned()),
                several => {
                    let paths = several.iter().map(|(path, _)| (*path).to_owned());
                    Moved::Unsure(paths.collect())
                }
            };
            ((*former).to_owned(), moved)
        })
        .collect()
}

/// Returns the place of a new file where its own folder is not the right one any more: beside the modules that import it, or where all
/// of the folder has gone, or of the nearest one above it that has other files. `planned` are the paths and texts of all generated files, `found` those that were moved, and `stays` the paths of those
/// that are in their places.
pub(crate) fn beside(
    path: &str,
    planned: &[(&str, &str)],
    found: &BTreeMap<String, Moved>,
    stays: &BTreeSet<&str>,
) -> Option<String> {
    let folder = folder(path);
    let beside_it = planned
        .iter()
        .filter(|(other, _)| self::folder(other) == folder);
    let importers: Vec<&str> = (path.strip_suffix(".py").map(name).into_iter())
        .flat_map(|module| {
            beside_it
                .clone()
                .filter(move |(_, text)| imports(text, module))
        })
        .map(|(importer, _)| *importer)
        .collect();
    let (from, of_whom) = if importers.is_empty() {
        nearest(folder, found, stays)
    } else {
        (folder, importers)
    };
    let mut places = of_whom.iter().map(|other| {
        let below = self::folder(other.strip_prefix(from)?);
        match found.get(*other)? {
            Moved::To(to) => self::folder(to).strip_suffix(below),
            Moved::Unsure(_) => None,
        }
    });
    let first = places.next()??;
    let is_one = places.all(|place| place == Some(first)) && first != from;
    let below = path.strip_prefix(from)?;
    is_one.then(|| format!("{first}{below}"))
}

/// Returns the first of a folder and those above it that has files which are known, and these files.
fn nearest<'a>(
    folder: &'a str,
    found: &'a BTreeMap<String, Moved>,
    stays: &BTreeSet<&'a str>,
) -> (&'a str, Vec<&'a str>) {
    let mut folder = folder;
    loop {
        let known = found.keys().map(String::as_str);
        let known = known.chain(stays.iter().copied());
        let inside: Vec<&str> = known.filter(|other| other.starts_with(folder)).collect();
        if !inside.is_empty() || folder.is_empty() {
            return (folder, inside);
        }
        folder = self::folder(folder.trim_end_matches('/'));
    }
}

/// Whether Python code imports a module that is beside it.
fn imports(code: &str, module: &str) -> bool {
    code.lines().any(|line| {
        let mut words = line.split_whitespace();
        matches!(words.next(), Some("from" | "import")) && words.next() == Some(module)
    })
}

/// The part of a path before the name, with `/` at its end, or nothing.
fn folder(path: &str) -> &str {
    path.strip_suffix(name(path)).unwrap_or_default()
}

fn name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// The part of a file's name that says what it is: `py`, or all of `Dockerfile`.
pub(super) fn ending(path: &str) -> &str {
    let name = name(path);
    match name.rsplit_once('.') {
        Some((before, ending)) if !before.is_empty() => ending,
        _ => name,
    }
}

/// The files of a project that somebody has written.
#[derive(Debug, Default)]
pub(super) struct Walked {
    /// Paths and texts, those near the project's root first.
    pub(super) files: Vec<(String, String)>,
    /// Whether there is more than anybody writes by hand.
    is_cut_short: bool,
}

/// The most entries of folders to look at.
const MOST_ENTRIES: usize = 20_000;

/// The most files to read.
const MOST_FILES: usize = 2_000;

/// The most bytes of a file to read. Every generated file is far smaller.
const MOST_BYTES: u64 = 1 << 20;

/// Folders with what programs have put there, beside those whose name begins with a full stop.
const NOT_WRITTEN: &[&str] = &["node_modules", "__pycache__", "site-packages", "venv"];

/// Reads the text files with these endings in and below `target`, without following links. A folder that can't be read is left out.
pub(super) fn walk(target: &Path, endings: &BTreeSet<&str>) -> io::Result<Walked> {
    let mut walked = Walked::default();
    let mut entries_seen = 0;
    let mut folders = VecDeque::from([String::new()]);
    while let Some(folder) = folders.pop_front() {
        let entries = match fs::read_dir(target.join(&folder)) {
            Err(error) if folder.is_empty() => return Err(error),
            Err(_) => continue,
            Ok(entries) => entries,
        };
        let mut names = BTreeMap::new();
        for entry in entries.flatten() {
            entries_seen += 1;
            if entries_seen > MOST_ENTRIES {
                walked.is_cut_short = true;
                return Ok(walked);
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
                folders.push_back(path);
            } else if kind.is_file() && endings.contains(ending(&name)) {
                if walked.files.len() == MOST_FILES {
                    walked.is_cut_short = true;
                    return Ok(walked);
                }
                let full = target.join(&path);
                let is_small = fs::metadata(&full).is_ok_and(|found| found.len() <= MOST_BYTES);
                if let Some(text) = is_small.then(|| fs::read_to_string(full).ok()).flatten() {
                    walked.files.push((path, text));
                }
            }
        }
    }
    Ok(walked)
}

/// Whether a folder is a virtual environment, whatever its name, or a project of its own.
fn is_somebody_elses<T>(target: &Path, folder: &str, names: &BTreeMap<String, T>) -> bool {
    names.contains_key("pyvenv.cfg")
        || names.contains_key(".git")
        || (names.contains_key(record::FOLDER)
            && target.join(folder).join(record::PROJECT).exists())
}

#[cfg(test)]
mod tests;
