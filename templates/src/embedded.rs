//! The files that are embedded in the crate.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::de::DeserializeOwned;

/// The name and the text of each file in a folder, sorted by name.
pub type Files = &'static [(&'static str, &'static str)];

/// What lists show of a service or a transport.
#[derive(Debug, Clone, Copy)]
pub struct Listed<'c> {
    /// The identifier.
    pub id: &'c str,
    /// The framework's own name, if different.
    pub alias: Option<&'c str>,
    /// The kind of service, or the type of bot.
    pub(crate) kind: &'c str,
    /// The display name.
    pub label: &'c str,
    pub(crate) recommended: Option<u8>,
    /// The transport's family.
    pub family: Option<&'c str>,
    /// The framework's own name for the family.
    pub family_alias: Option<&'c str>,
}

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// Returns the parsed files in a folder, with their names. Skips files that can't be parsed, but tests ensure that every file can be
/// parsed.
pub(crate) fn parsed<T: DeserializeOwned>(files: Files) -> impl Iterator<Item = (&'static str, T)> {
    let parsed = files.iter();
    parsed.filter_map(|(name, text)| Some((*name, serde_json::from_str(text).ok()?)))
}

pub(crate) fn values<T: DeserializeOwned>(files: Files) -> Vec<T> {
    parsed(files).map(|(_, value)| value).collect()
}

/// Returns the parsed file with this name in `files/`.
pub(crate) fn table<T: DeserializeOwned>(name: &str) -> Option<T> {
    serde_json::from_str(find(FILES, name)?).ok()
}

/// A project file that is no template, with what the record of a project has of it.
#[derive(Debug)]
pub struct Copied {
    /// The path below `project/`, such as `client/shared/src/state.ts`.
    pub path: &'static str,
    /// The contents.
    pub text: &'static str,
    /// The hash of the text, in lowercase hexadecimal.
    pub sha256: &'static str,
    /// The text and a zero byte, in the gzip format.
    pub packed: &'static [u8],
}

/// Returns the project files that are no templates.
pub fn copies() -> &'static [Copied] {
    COPIES
}

/// Returns the project templates, each [prepared](crate::prepared) and with its path below `project/` without `.liquid`.
pub fn templates() -> Files {
    PREPARED
}

/// Returns the literal text of the project templates.
pub fn texts() -> &'static [&'static str] {
    TEXTS
}

/// Reports whether `project/` has the template `path`, which is without `.liquid`.
pub(crate) fn is_template(path: &str) -> bool {
    find(PREPARED, path).is_some()
}

/// Returns the path below `project/` and the contents of every file, with templates as they are written.
pub fn project_files() -> impl Iterator<Item = (&'static str, &'static str)> {
    let copies = COPIES.iter().map(|file| (file.path, file.text));
    copies.chain(TEMPLATES.iter().copied())
}

/// Returns a file by its path below `project/`, such as `server/bot.py.liquid`.
pub fn project_file(path: &str) -> Option<&'static str> {
    let mut files = project_files();
    Some(files.find(|(name, _)| *name == path)?.1)
}

/// Returns the project files listed in `files/project.toml` and their descriptions, grouped by condition.
pub fn generated_files() -> &'static BTreeMap<String, BTreeMap<String, String>> {
    static GENERATED: LazyLock<BTreeMap<String, BTreeMap<String, String>>> =
        LazyLock::new(|| table("project").unwrap_or_default());
    &GENERATED
}

/// Returns a guide template by its file name, such as `AGENTS.md.liquid`.
pub fn guide(name: &str) -> Option<&'static str> {
    find(GUIDES, name)
}

pub(crate) fn find(files: Files, name: &str) -> Option<&'static str> {
    let at = files.binary_search_by_key(&name, |(name, _)| *name).ok()?;
    Some(files[at].1)
}
