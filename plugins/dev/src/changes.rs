//! Notices changes of a bot's code.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use walkdir::{DirEntry, WalkDir};

/// The maximum depth of files.
const DEEPEST: usize = 7;

/// The modification times of the Python files and `.env` in a folder.
#[derive(Debug, PartialEq, Eq)]
pub struct Snapshot(BTreeMap<PathBuf, SystemTime>);

impl Snapshot {
    pub fn of(folder: &Path) -> Self {
        let entries = WalkDir::new(folder).max_depth(DEEPEST).into_iter();
        let files = entries.filter_entry(is_searched).flatten();
        let files = files.filter_map(|entry| {
            let name = entry.file_name().to_string_lossy();
            let is_code = name.ends_with(".py") || name == ".env";
            let found = entry.metadata().ok()?;
            let time = found.modified().ok()?;
            (is_code && !found.is_dir()).then(|| (entry.into_path(), time))
        });
        Self(files.collect())
    }

    /// Returns a file that was changed, added or removed since the `earlier` snapshot.
    pub fn difference<'a>(&'a self, earlier: &'a Self) -> Option<&'a Path> {
        let (mut now, mut before) = (self.0.iter(), earlier.0.iter());
        let changed = now.find(|(path, time)| earlier.0.get(*path) != Some(time));
        let gone = || before.find(|(path, _)| !self.0.contains_key(*path));
        changed.or_else(gone).map(|(path, _)| path.as_path())
    }
}

/// Reports whether a folder is searched. Virtual environments, caches and logs are not.
fn is_searched(entry: &DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    let is_skipped = name.starts_with(['.', '_']) || name == "node_modules";
    entry.depth() == 0 || !entry.file_type().is_dir() || !is_skipped
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::Snapshot;

    #[test]
    fn names_the_file_that_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir_all(path("tools/deep")).unwrap();
        fs::create_dir_all(path(".venv")).unwrap();
        fs::write(path("bot.py"), "").unwrap();
        let mut before = Snapshot::of(folder.path());
        for unwatched in ["notes.md", ".venv/site.py"] {
            fs::write(path(unwatched), "").unwrap();
            assert_eq!(Snapshot::of(folder.path()), before);
        }
        for watched in ["tools/deep/new.py", ".env"] {
            fs::write(path(watched), "").unwrap();
            let now = Snapshot::of(folder.path());
            assert_eq!(now.difference(&before), Some(path(watched).as_path()));
            before = now;
        }
        fs::remove_file(path("bot.py")).unwrap();
        let now = Snapshot::of(folder.path());
        assert_eq!(now.difference(&before), Some(path("bot.py").as_path()));
    }
}
