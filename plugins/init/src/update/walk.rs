//! Reads the Python files of a project.

use std::collections::BTreeMap;
use std::fs;
use std::path::{MAIN_SEPARATOR, Path};

use walkdir::{DirEntry, WalkDir};

/// The maximum number of folder entries to read.
const MOST_ENTRIES: usize = 20_000;

/// The maximum size of a file in bytes. Generated files are far smaller.
const MOST_BYTES: u64 = 1 << 20;

/// Folders with installed or generated code, which are skipped. Folders whose names start with a dot are skipped, too.
const NOT_WRITTEN: &[&str] = &["node_modules", "__pycache__", "site-packages", "venv"];

/// Entries that identify a folder as a virtual environment, regardless of its name, or as another project.
const OTHERS: &[&str] = &["pyvenv.cfg", ".git", ".bot-cli"];

/// File contents, by path.
pub(crate) type Files = BTreeMap<String, String>;

/// Reads the Python files below `target` without following symbolic links. Unreadable folders and files that exceed the limits are omitted.
pub(crate) fn python(target: &Path) -> Files {
    // The files of a folder come before those in its subfolders, which may be full of data.
    let entries = WalkDir::new(target).sort_by_key(|entry| entry.file_type().is_dir());
    let entries = entries.into_iter().filter_entry(is_searched);
    let entries = entries.take(MOST_ENTRIES).flatten();
    entries.filter_map(|entry| read(target, &entry)).collect()
}

fn is_searched(entry: &DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    let is_other = || OTHERS.iter().any(|it| entry.path().join(it).exists());
    let is_skipped = || name.starts_with('.') || NOT_WRITTEN.contains(&&*name) || is_other();
    entry.depth() == 0 || !entry.file_type().is_dir() || !is_skipped()
}

fn read(target: &Path, entry: &DirEntry) -> Option<(String, String)> {
    let path = entry.path().strip_prefix(target).ok()?.to_str()?;
    let is_small = || entry.metadata().is_ok_and(|it| it.len() <= MOST_BYTES);
    if !entry.file_type().is_file() || !is_python(path) || !is_small() {
        return None;
    }
    let text = fs::read_to_string(entry.path()).ok()?;
    Some((path.replace(MAIN_SEPARATOR, "/"), text))
}

pub(crate) fn is_python(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|it| it == "py")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{MOST_ENTRIES, python};

    #[test]
    fn a_folder_full_of_data_hides_no_code_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("server/data");
        fs::create_dir_all(&data).unwrap();
        for number in 0..MOST_ENTRIES {
            fs::write(data.join(number.to_string()), "").unwrap();
        }
        fs::write(folder.path().join("server/bot.py"), "x = 1\n").unwrap();
        let files = python(folder.path());
        assert_eq!(files.keys().collect::<Vec<_>>(), ["server/bot.py"]);
    }
}
