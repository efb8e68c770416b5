//! Finds plugins in the folders where they may be.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::Discovery;
use super::inspect::{Plugin, Unusable, Wanted, inspect};
use super::name::{PREFIX, PluginName};
use super::trust::Folders;
use crate::platform::files;

/// The plugin that a name means, or why it means none.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Named {
    /// The plugin that is run by it.
    pub plugin: Option<Plugin>,
    /// The files before it, or all files, that are not run, and why.
    pub refused: Vec<(PathBuf, Unusable)>,
}

/// A file that has the name of a plugin.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PluginFile {
    /// The name in its file's name.
    pub name: String,
    /// The file.
    pub file: PathBuf,
    /// The meaning for the user.
    pub standing: Standing,
}

/// The meaning of a file for the user.
#[derive(Debug, Clone)]
pub enum Standing {
    /// It is run by its name.
    Usable(Box<Plugin>),
    /// Another is run by its name: that file, or the host itself.
    Shadowed(Option<PathBuf>),
    /// It is not run.
    Unusable(Unusable),
    /// It can't be run: its name is none.
    Misnamed,
}

impl Discovery {
    /// The plugin that is run by `name`: the first usable one.
    #[must_use]
    pub fn by_name(&self, name: &PluginName) -> Named {
        self.first(name, Wanted::Whole)
    }

    /// The same in a fraction of the time, for a call: the manifest may lack what only describes the words.
    #[must_use]
    pub fn to_call(&self, name: &PluginName) -> Named {
        self.first(name, Wanted::Words)
    }

    fn first(&self, name: &PluginName, wanted: Wanted) -> Named {
        let mut refused = Vec::new();
        let folders = Folders::default();
        let file_name = name.file();
        let files = self.folders.iter();
        for file in files.flat_map(|folder| self.endings.files(folder, &file_name)) {
            // A dangling link is there, too, and is worth a reason.
            if fs::symlink_metadata(&file).is_err() {
                continue;
            }
            match inspect(name, &file, wanted, self, &folders) {
                Ok(plugin) => {
                    return Named {
                        plugin: Some(plugin),
                        refused,
                    };
                }
                Err(unusable) => refused.push((file, unusable)),
            }
        }
        Named {
            plugin: None,
            refused,
        }
    }

    /// Every file that has the name of a plugin, by name and then in the order of search. `reserved` are the host's own.
    #[must_use]
    pub fn all(&self, reserved: &[&str]) -> Vec<PluginFile> {
        let mut by_name: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
        let mut seen = Vec::new();
        for folder in &self.folders {
            // The same folder under two names is one.
            let Ok(facts) = fs::metadata(folder) else {
                continue;
            };
            let id = files::id_of(folder, &facts);
            if seen.contains(&id) {
                continue;
            }
            seen.push(id);
            for (name, file) in self.plugins_in(folder) {
                by_name.entry(name).or_default().push(file);
            }
        }
        let mut found = Vec::new();
        let folders = Folders::default();
        for (name, files) in by_name {
            let mut winner = reserved.contains(&name.as_str()).then_some(None);
            for file in files {
                let standing = standing(&name, &file, winner.as_ref(), self, &folders);
                if let Standing::Usable(plugin) = &standing {
                    winner = Some(Some(plugin.file.clone()));
                }
                if let Standing::Shadowed(Some(winner)) = &standing
                    && is_same_file(winner, &file)
                {
                    continue;
                }
                found.push(PluginFile {
                    name: name.clone(),
                    file,
                    standing,
                });
            }
        }
        found
    }
}

/// A second name of a file is no second plugin.
fn is_same_file(one: &Path, other: &Path) -> bool {
    let identity = |file: &Path| {
        let facts = fs::metadata(file).ok()?;
        Some(files::id_of(file, &facts))
    };
    identity(one).is_some_and(|one| identity(other) == Some(one))
}

fn standing(
    name: &str,
    file: &Path,
    winner: Option<&Option<PathBuf>>,
    discovery: &Discovery,
    folders: &Folders,
) -> Standing {
    let Some(name) = PluginName::parse(name) else {
        return Standing::Misnamed;
    };
    match (
        inspect(&name, file, Wanted::Whole, discovery, folders),
        winner,
    ) {
        (Err(unusable), _) => Standing::Unusable(unusable),
        (Ok(_), Some(winner)) => Standing::Shadowed(winner.clone()),
        (Ok(plugin), None) => Standing::Usable(Box::new(plugin)),
    }
}

impl Discovery {
    /// The files in `folder` that are named like plugins. Other files of that form, a compiler's by-products for instance,
    /// only count when they can be executed.
    fn plugins_in(&self, folder: &Path) -> Vec<(String, PathBuf)> {
        let Ok(entries) = fs::read_dir(folder) else {
            return Vec::new();
        };
        entries
            .flatten()
            .filter_map(|entry| {
                let file_name = entry.file_name();
                let file_name = file_name.to_string_lossy();
                let name = self.endings.program(&file_name)?;
                let name = name.strip_prefix(PREFIX)?.to_owned();
                let file = entry.path();
                (PluginName::parse(&name).is_some() || executable(&file)).then_some((name, file))
            })
            .collect()
    }
}

fn executable(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|facts| facts.is_file() && files::is_executable(file, &facts))
}
