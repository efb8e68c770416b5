//! Finds the bot project that contains a folder.

use std::path::{Path, PathBuf};

/// The file in which `bot-cli init` records the project's options, relative to the project's root.
pub const RECORD: &str = ".bot-cli/project.json";

/// Returns the root of the project that contains `folder`, which must be absolute.
pub fn root_of(folder: &Path) -> Option<PathBuf> {
    let root = folder.ancestors().find(|above| is_root(above))?;
    Some(root.to_owned())
}

/// Reports whether `bot-cli init` generated the project in `folder`.
pub fn is_root(folder: &Path) -> bool {
    folder.join(RECORD).is_file()
}
