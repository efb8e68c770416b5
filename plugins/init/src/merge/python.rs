//! Merges Python by its lines and, where these are in conflict, by its statements. Imports follow what the code uses.

mod imports;
mod statements;

use super::blocks::{self, Block, Format};
use super::{Merged, Part, Versions, lines};
pub(super) use statements::twice;

/// Merges versions that all differ, in several ways: the first one that is clean and without a fault is to be taken.
pub(super) fn ways(versions: &Versions) -> Vec<Merged> {
    let by_lines = lines::merge(versions);
    let mut ways = vec![by_lines.clone()];
    ways.extend(with_imports(by_lines, versions));
    // What uses every import of its own goes before what does not.
    ways.reverse();
    let [base, yours, new] = [versions.base, versions.yours, versions.new].map(statements::read);
    if let (Some(base), Some(yours), Some(new)) = (base, yours, new) {
        let merged = blocks::merge(&Statements, &base, &yours, &new);
        let is_ordered = |text: &str| !statements::is_misplaced(text, versions);
        if merged.text().is_none_or(|text| is_ordered(&text)) {
            ways.extend(with_imports(merged.clone(), versions));
            ways.push(merged);
        }
    }
    ways
}

/// Returns a merge with the imports that its code uses; `None`: it has them, or nobody can tell.
fn with_imports(merged: Merged, versions: &Versions) -> Option<Merged> {
    let text = imports::fitted(&merged.text()?, versions)?;
    Some(Merged {
        parts: vec![Part::Text(text)],
        ..merged
    })
}

struct Statements;

impl Format for Statements {
    fn is_same(&self, one: &str, other: &str) -> bool {
        one.trim_end() == other.trim_end()
    }

    fn both(&self, key: &str, versions: &Versions) -> Option<String> {
        if key == "docstring" {
            return Some(versions.yours.to_owned());
        }
        let is_import = key.starts_with("from ") && key.ends_with(" import");
        let merged = is_import.then(|| imports::merged(versions)).flatten();
        merged.or_else(|| blocks::three_way(versions))
    }

    fn is_yours(&self) -> bool {
        false
    }

    fn keeps(&self, block: &Block) -> bool {
        block.key.starts_with("import ") || block.key.ends_with(" import")
    }
}

#[cfg(test)]
mod tests;
