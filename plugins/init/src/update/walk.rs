use std::collections::BTreeMap;
use std::fs::{self, DirEntry};
use std::io;
use std::path::Path;

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
pub(crate) fn python(target: &Path) -> io::Result<Files> {
    let mut files = Files::new();
    let mut left = MOST_ENTRIES;
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        let full = target.join(&folder);
        let entries = match fs::read_dir(&full) {
            Err(error) if folder.is_empty() => return Err(error),
            Err(_) => continue,
            Ok(entries) => entries,
        };
        if !folder.is_empty() && OTHERS.iter().any(|name| full.join(name).exists()) {
            continue;
        }
        let entries: Vec<DirEntry> = entries.flatten().take(left).collect();
        left -= entries.len();
        for entry in entries {
            let (Ok(name), Ok(kind)) = (entry.file_name().into_string(), entry.file_type()) else {
                continue;
            };
            let path = format!("{folder}{name}");
            let is_small = || entry.metadata().is_ok_and(|it| it.len() <= MOST_BYTES);
            if kind.is_dir() && !name.starts_with('.') && !NOT_WRITTEN.contains(&name.as_str()) {
                folders.push(path + "/");
            } else if kind.is_file()
                && is_python(&name)
                && is_small()
                && let Ok(text) = fs::read_to_string(entry.path())
            {
                files.insert(path, text);
            }
        }
    }
    Ok(files)
}

pub(crate) fn is_python(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|it| it == "py")
}
