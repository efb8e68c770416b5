//! Merges by what a format consists of.

mod ignored;
mod json;
mod leads;
mod requirement;
mod sections;
mod toml;
mod variables;

use std::path::Path;

use super::blocks::{self, Block, Format};
use super::{Merged, Versions};

/// Merges the file at `path` by its format; `None` if it has none of these, or if a version can't be read.
pub(super) fn merge(path: &str, versions: &Versions) -> Option<Merged> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = Path::new(name).extension();
    let extension = extension.and_then(|extension| extension.to_str());
    match (name, extension) {
        (".gitignore" | ".dockerignore", _) => with(&ignored::Ignored, versions, ignored::read),
        (".env" | ".env.example", _) => with(&variables::Variables, versions, variables::read),
        (_, Some("md")) => with(&sections::Sections, versions, sections::read),
        (_, Some("toml")) => with(&toml::Toml, versions, toml::read),
        (_, Some("json")) => json::merge(versions),
        _ => None,
    }
}

fn with(
    format: &dyn Format,
    versions: &Versions,
    read: fn(&str) -> Option<Block>,
) -> Option<Merged> {
    let [base, yours, new] = [versions.base, versions.yours, versions.new].map(|text| {
        let ended = if text.is_empty() || text.ends_with('\n') {
            text.to_owned()
        } else {
            format!("{text}\n")
        };
        read(&ended)
    });
    Some(blocks::merge(format, &base?, &yours?, &new?))
}

#[cfg(test)]
mod tests;
