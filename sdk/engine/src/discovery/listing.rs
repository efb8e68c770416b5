//! Lists the files in the plugin folders whose names mark them as plugins.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::name::PREFIX;
use crate::platform::files;
use crate::platform::folders::{preferred_program, program_files};

/// The files named `bot-cli-NAME` in the plugin folders.
#[derive(Debug, Default)]
pub struct Listing {
    /// The files by their `NAME`, in search order.
    pub by_name: BTreeMap<String, Vec<PathBuf>>,
    /// The folders that an earlier one is another name of.
    repeated: HashSet<PathBuf>,
}

impl Listing {
    /// Reads the folders. A folder with two names is read once.
    pub fn read(folders: &[PathBuf]) -> Self {
        let mut listing = Self::default();
        let mut read = HashMap::new();
        let mut order = Vec::new();
        for folder in folders {
            let facts = fs::metadata(folder).ok().filter(fs::Metadata::is_dir);
            let Some(id) = facts.map(|facts| files::id_of(folder, &facts)) else {
                continue;
            };
            order.push((folder, id));
            match read.entry(id) {
                Entry::Vacant(unread) => drop(unread.insert(named_files(folder).ok())),
                Entry::Occupied(_) => drop(listing.repeated.insert(folder.clone())),
            }
        }
        let names = read
            .values()
            .flatten()
            .flatten()
            .map(|(_, name, _)| name.clone());
        listing.by_name = names.map(|name| (name, Vec::new())).collect();
        for (folder, id) in order {
            if let Some(files) = &read[&id] {
                for (_, name, file_name) in files {
                    if let Some(files) = listing.by_name.get_mut(name) {
                        files.push(folder.join(file_name));
                    }
                }
            } else {
                // A plugin in a folder that can't be listed is found by its name alone, so it may precede others of that name.
                for (name, files) in &mut listing.by_name {
                    files.extend(existing_files(folder, &format!("{PREFIX}{name}")));
                }
            }
        }
        listing
    }

    /// Reports whether the file is also in an earlier folder, which is the same folder under another name.
    pub fn is_repeated(&self, file: &Path) -> bool {
        file.parent()
            .is_some_and(|folder| self.repeated.contains(folder))
    }
}

/// Returns the files of the program `name` in the folder, in order of preference.
pub fn existing_files(folder: &Path, name: &str) -> impl Iterator<Item = PathBuf> {
    // A dangling link is kept, because the user needs the reason why it is not run.
    program_files(folder, name).filter(|file| fs::symlink_metadata(file).is_ok())
}

/// Returns the plugin files in the folder: the position of the extension in the order of preference, the plugin's name and the file name.
/// The files of one name are in order of preference.
fn named_files(folder: &Path) -> io::Result<Vec<(usize, String, OsString)>> {
    let mut named = Vec::new();
    for entry in fs::read_dir(folder)?.flatten() {
        let file_name = entry.file_name();
        let text = file_name.to_string_lossy();
        if let Some((position, program)) = preferred_program(&text)
            && let Some(name) = program.strip_prefix(PREFIX)
        {
            named.push((position, name.to_owned(), entry.file_name()));
        }
    }
    named.sort_by_key(|(position, ..)| *position);
    Ok(named)
}
