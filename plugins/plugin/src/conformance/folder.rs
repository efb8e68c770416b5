//! The folders that a checked plugin runs in.

use std::fs::FileType;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::{fs, io};

use bot_cli_engine::platform::folders;
use bot_cli_protocol::failure::{Exit, Failure, reason};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

/// The beginning of the names of the folders that plugins run in. A copied folder may contain them.
const PREFIX: &str = "bot-cli-check-";

/// The maximum size of a copied folder. A check copies the folder up to a hundred times.
const MOST_BYTES: u64 = 32 * 1024 * 1024;
const MOST_ENTRIES: u64 = 5_000;

/// The entries that are not copied: history, packages, secrets, and folders that other programs fill and mark with these files.
const LEFT_OUT: [&str; 3] = [".git", "node_modules", ".env"];
const MARKS: [&str; 2] = ["CACHEDIR.TAG", "pyvenv.cfg"];

/// The paths below a folder, each with the checksum of its contents if it is a file.
pub type Snapshot = Vec<(PathBuf, Option<Vec<u8>>)>;

/// Creates a folder with the subfolders `work`, `home` and `tmp`. `work` is a copy of `original`, or empty.
pub fn create(original: Option<&Path>) -> io::Result<Rc<TempDir>> {
    let folder = folders::temporary(PREFIX)?;
    for place in ["home", "tmp"] {
        fs::create_dir(folder.path().join(place))?;
    }
    let work = folder.path().join("work");
    match original {
        Some(original) => copy(original, &work, &mut (MOST_BYTES, MOST_ENTRIES))?,
        None => fs::create_dir(&work)?,
    }
    Ok(Rc::new(folder))
}

/// Copies `folder` once, so that every run gets the same files.
pub fn original(folder: &Path) -> Result<Rc<TempDir>, Failure> {
    create(Some(folder)).map_err(|error| {
        let could_not = format!("could not copy `{}`", folder.display());
        Failure::because(Exit::Usage, "bad_folder", could_not, error)
    })
}

fn copy(from: &Path, to: &Path, left: &mut (u64, u64)) -> io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (kind, path) = (entry.file_type()?, entry.path());
        let is_own = entry.file_name().to_string_lossy().starts_with(PREFIX);
        let is_marked = || is_own || MARKS.iter().any(|mark| path.join(mark).exists());
        if LEFT_OUT.iter().any(|name| entry.file_name() == *name) || kind.is_dir() && is_marked() {
            continue;
        }
        let size = entry.metadata()?.len();
        let (bytes, entries) = (left.0.checked_sub(size), left.1.checked_sub(1));
        *left = bytes.zip(entries).ok_or_else(|| {
            let most = MOST_BYTES / (1024 * 1024);
            io::Error::other(format!(
                "it has more than {most} MiB or {MOST_ENTRIES} files"
            ))
        })?;
        if kind.is_dir() {
            copy(&path, &to.join(entry.file_name()), left)?;
        } else if kind.is_file() {
            fs::copy(&path, to.join(entry.file_name())).map_err(|error| {
                let why = reason(&error);
                io::Error::new(error.kind(), format!("`{}`: {why}", path.display()))
            })?;
        }
    }
    Ok(())
}

/// Returns the contents of these subfolders.
pub fn look(folder: &Path, places: &[&str]) -> Snapshot {
    let found = places.iter().flat_map(|place| entries(&folder.join(place)));
    let seen = found.map(|(path, kind)| {
        // Reading a pipe would wait for a writer.
        let content = kind.is_file().then(|| fs::read(&path).unwrap_or_default());
        let sum = content.map(|it| Sha256::digest(it).to_vec());
        (path.strip_prefix(folder).unwrap_or(&path).to_owned(), sum)
    });
    seen.collect()
}

/// Lists everything in a folder and its subfolders.
pub fn entries(folder: &Path) -> Vec<(PathBuf, FileType)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if let Ok(kind) = entry.file_type() {
            if kind.is_dir() {
                found.append(&mut entries(&entry.path()));
            }
            found.push((entry.path(), kind));
        }
    }
    found
}

/// Describes the differences between two snapshots in these subfolders. Returns `None` if there is none.
pub fn difference(before: &Snapshot, after: &Snapshot, places: &[&str]) -> Option<String> {
    let all = before.iter().chain(after);
    let touched = all.filter(|it| !before.contains(it) || !after.contains(it));
    let mut paths: Vec<&PathBuf> = touched.map(|it| &it.0).collect();
    paths.retain(|path| places.iter().any(|place| path.starts_with(place)));
    paths.sort();
    paths.dedup();
    let names = paths.iter().map(|path| format!("`{}`", path.display()));
    let names: Vec<String> = names.take(5).collect();
    (!names.is_empty()).then(|| format!("it made, changed or removed {}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{MOST_BYTES, create, difference, look};

    #[test]
    fn a_difference_names_what_was_touched() {
        let made = create(None).unwrap();
        let place = |path: &str| made.path().join(path);
        fs::write(place("work/bot.json"), "{}").unwrap();
        let before = look(made.path(), &["work", "home", "tmp"]);
        fs::write(place("work/bot.json"), "[]").unwrap();
        fs::create_dir(place("tmp/new")).unwrap();
        let after = look(made.path(), &["work", "home", "tmp"]);
        let changed = difference(&before, &after, &["work", "tmp"]);
        let expected = "it made, changed or removed `tmp/new`, `work/bot.json`";
        assert_eq!(changed.as_deref(), Some(expected));
        assert_eq!(difference(&before, &after, &["home"]), None);
    }

    #[test]
    fn a_folder_that_is_too_large_is_not_copied() {
        let folder = tempfile::tempdir().unwrap();
        let file = fs::File::create(folder.path().join("model.bin")).unwrap();
        file.set_len(MOST_BYTES + 1).unwrap();
        let error = create(Some(folder.path())).unwrap_err();
        assert_eq!(error.to_string(), "it has more than 32 MiB or 5000 files");
    }
}
