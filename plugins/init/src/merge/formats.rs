//! Merges by what a format consists of.

mod ignored;
mod json;
mod leads;
mod requirement;
mod sections;
mod toml;
pub(super) mod variables;

use std::path::Path;

use super::blocks::{self, Block, Format};
use super::{Merged, Versions};

/// Merges the file at `path` by its format; `None` if it has none of these, or if a version can't be read.
pub(super) fn merge(path: &str, versions: &Versions) -> Option<Merged> {
    if is_json(path) {
        return json::merge(versions);
    }
    let (format, read) = format(path)?;
    with(format, versions, read)
}

fn is_json(path: &str) -> bool {
    let extension = Path::new(path).extension();
    extension.is_some_and(|extension| extension == "json")
}

/// How a text is cut into blocks.
type Read = fn(&str) -> Option<Block>;

/// The format of files that are read without what is around them.
fn format(path: &str) -> Option<(&'static dyn Format, Read)> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = Path::new(name).extension();
    match (name, extension.and_then(|extension| extension.to_str())) {
        (".gitignore" | ".dockerignore", _) => Some((&ignored::Ignored, ignored::read)),
        _ if is_of_variables(path) => Some((&variables::Variables, variables::read)),
        (_, Some("md")) => Some((&sections::Sections, sections::read)),
        (_, Some("toml")) => Some((&toml::Toml, toml::read)),
        _ => None,
    }
}

/// Tells whether the file at `path` has environment variables.
pub(super) fn is_of_variables(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    matches!(name, ".env" | ".env.example")
}

/// Returns the keys of the blocks that a line is in, for each line of the file at `path`; `None` if it has no format, or if it can't be read.
pub(super) fn places(path: &str, text: &str) -> Option<Vec<String>> {
    let root = if is_json(path) {
        json::read(text)?
    } else {
        format(path)?.1(text)?
    };
    let mut places = Vec::new();
    let mut read = String::new();
    flatten(&root, "", &mut places, &mut read);
    // Members are read without the commas behind them.
    let plain = |text: &str| text.replace(',', "");
    (plain(&read) == plain(text)).then_some(places)
}

/// Adds the lines of a block, and for each its place.
fn flatten(block: &Block, above: &str, places: &mut Vec<String>, text: &mut String) {
    let place = format!("{above}\n{}", block.key);
    let add = |part: &str, places: &mut Vec<String>, text: &mut String| {
        places.extend(part.lines().map(|_| place.clone()));
        text.push_str(part);
    };
    add(&block.lead, places, text);
    add(&block.text, places, text);
    for child in block.children.iter().flatten() {
        flatten(child, &place, places, text);
    }
    add(&block.end, places, text);
}

fn with(format: &dyn Format, versions: &Versions, read: Read) -> Option<Merged> {
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
