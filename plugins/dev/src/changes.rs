use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The maximum depth of subfolders to search.
const DEEPEST: usize = 6;

/// The modification times of the Python files and `.env` in a folder.
#[derive(Debug, PartialEq, Eq)]
pub struct Snapshot(BTreeMap<PathBuf, SystemTime>);

impl Snapshot {
    pub fn of(folder: &Path) -> Self {
        let mut files = BTreeMap::new();
        collect(folder, DEEPEST, &mut files);
        Self(files)
    }

    /// Returns a file that was changed, added or removed since the `earlier` snapshot.
    pub fn difference<'a>(&'a self, earlier: &'a Self) -> Option<&'a Path> {
        let (mut now, mut before) = (self.0.iter(), earlier.0.iter());
        let changed = now.find(|(path, time)| earlier.0.get(*path) != Some(time));
        let gone = || before.find(|(path, _)| !self.0.contains_key(*path));
        changed.or_else(gone).map(|(path, _)| path.as_path())
    }
}

fn collect(folder: &Path, deeper: usize, files: &mut BTreeMap<PathBuf, SystemTime>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        let Ok(found) = entry.metadata() else {
            continue;
        };
        if found.is_dir() {
            // Skip virtual environments, caches and logs.
            if deeper > 0 && !name.starts_with(['.', '_']) && name != "node_modules" {
                collect(&path, deeper - 1, files);
            }
        } else if (name.ends_with(".py") || name == ".env")
            && let Ok(time) = found.modified()
        {
            files.insert(path, time);
        }
    }
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
