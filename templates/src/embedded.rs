//! The files that are embedded in the crate.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use include_dir::{Dir, include_dir};
use serde::de::DeserializeOwned;

/// The catalogue's providers as JSON, converted by the build script.
pub(crate) static PROVIDERS: Dir<'_> = include_dir!("$OUT_DIR/providers");
pub(crate) static TRANSPORTS: Dir<'_> = include_dir!("$OUT_DIR/transports");
pub(crate) static MIGRATIONS: Dir<'_> = include_dir!("$OUT_DIR/migrations");
pub(crate) static PRESETS: Dir<'_> = include_dir!("$OUT_DIR/presets");
static FILES: Dir<'_> = include_dir!("$OUT_DIR/files");
static PROJECT: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/project");
static GUIDES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/guides");

/// Returns the parsed files in a folder, with their names. Skips files that can't be parsed, but tests ensure that every file can be
/// parsed.
pub(crate) fn parsed<T: DeserializeOwned>(folder: &'static Dir<'static>) -> Vec<(&'static str, T)> {
    let files = folder.files().filter_map(|file| {
        let name = file.path().file_stem()?.to_str()?;
        Some((name, serde_json::from_slice(file.contents()).ok()?))
    });
    files.collect()
}

pub(crate) fn values<T: DeserializeOwned>(folder: &'static Dir<'static>) -> Vec<T> {
    let parsed = parsed(folder).into_iter();
    parsed.map(|(_, value)| value).collect()
}

/// Returns the parsed file with this name in `files/`.
pub(crate) fn table<T: DeserializeOwned>(name: &str) -> Option<T> {
    let file = FILES.get_file(format!("{name}.json"))?;
    serde_json::from_slice(file.contents()).ok()
}

/// Returns a project template by its path below `project/`, such as `server/bot.py.liquid`.
pub fn project_file(path: &str) -> Option<&'static str> {
    PROJECT.get_file(path)?.contents_utf8()
}

/// Returns the path below `project/` and the contents of every project template, in no particular order.
pub fn project_files() -> Vec<(&'static str, &'static str)> {
    let mut found = Vec::new();
    let mut folders = vec![&PROJECT];
    while let Some(folder) = folders.pop() {
        folders.extend(folder.dirs());
        for file in folder.files() {
            if let (Some(path), Some(text)) = (file.path().to_str(), file.contents_utf8()) {
                found.push((path, text));
            }
        }
    }
    found
}

/// Returns the project files listed in `files/project.toml` and their descriptions, grouped by condition.
pub fn generated_files() -> &'static BTreeMap<String, BTreeMap<String, String>> {
    static GENERATED: LazyLock<BTreeMap<String, BTreeMap<String, String>>> =
        LazyLock::new(|| table("project").unwrap_or_default());
    &GENERATED
}

/// Returns a guide template by its file name, such as `AGENTS.md.liquid`.
pub fn guide(name: &str) -> Option<&'static str> {
    GUIDES.get_file(name)?.contents_utf8()
}
