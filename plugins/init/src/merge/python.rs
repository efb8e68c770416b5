//! Merges Python by its declarations.

mod alignment;
mod clashes;
mod declarations;
mod imports;
mod items;
mod order;
mod source;

use std::collections::BTreeSet;

use self::declarations::{Forced, Merge};
use self::imports::ImportEdits;
use self::items::{Block, Item};
use self::source::{BASE, NEW, Source, YOURS};
use super::{Conflict, Merged, Part, Versions, lines};
use crate::plan::names;

/// How often a merge may be done again with more conflicts.
const MOST_ROUNDS: usize = 20;

/// Merges versions that all differ. Files that can't be parsed are merged by lines.
pub(super) fn merge(versions: &Versions) -> Merged {
    let texts = [versions.base, versions.yours, versions.new];
    let [Some(base), Some(yours), Some(new)] = texts.map(Source::parse) else {
        return lines::merge(versions);
    };
    let sources = [base, yours, new];
    let [Some(base), Some(yours), Some(new)] = sources.each_ref().map(items::module) else {
        return lines::merge(versions);
    };
    let modules = [base, yours, new];
    by_declarations(&sources, &modules).unwrap_or_else(|| undecided(versions))
}

/// Merges by lines what declarations did not settle; nothing that is said to be merged is.
fn undecided(versions: &Versions) -> Merged {
    let merged = lines::merge(versions);
    if merged.text().is_none() {
        return merged;
    }
    Merged::contested(versions)
}

fn by_declarations(sources: &[Source; 3], modules: &[Block; 3]) -> Option<Merged> {
    let mut forced = clashes::find(sources, modules);
    for _ in 0..MOST_ROUNDS {
        let without = ImportEdits::without(&modules[YOURS]);
        let body = Merge::new(sources, &forced, &without).module(modules)?;
        let used = used(&body.parts)?;
        let edits = imports::edits(sources, modules, &used);
        let mut merged = Merge::new(sources, &forced, &edits).module(modules)?;
        let Some(text) = merged.text() else {
            merged.notes.extend(forced.notes);
            return Some(merged);
        };
        let broken = broken(&text, sources)?;
        let count = forced.names.len();
        force(&mut forced, &broken, &text, sources)?;
        let misplaced = order::misplaced(&text, sources)?;
        if broken.is_empty() && misplaced.is_empty() {
            return Some(merged);
        }
        for (item, name) in misplaced {
            forced.notes.insert(format!(
                "`{name}` would be used in `{item}` above its definition"
            ));
            forced.blocked.insert(item.clone());
            forced.names.extend([item, name]);
        }
        if forced.names.len() == count {
            return None;
        }
    }
    None
}

/// The names that the code uses and doesn't bind, whichever way its conflicts are resolved.
fn used(parts: &[Part]) -> Option<BTreeSet<String>> {
    let resolved = |side: fn(&Conflict) -> &str| -> String {
        let texts = parts.iter().map(|part| match part {
            Part::Text(text) => text,
            Part::Conflict(conflict) => side(conflict),
        });
        texts.collect()
    };
    let mut used = BTreeSet::new();
    for text in [resolved(|it| &it.yours), resolved(|it| &it.new)] {
        used.extend(names::free(&text).ok()?.into_iter().map(str::to_owned));
    }
    Some(used)
}

/// The names that the merged code uses without a definition, although none of its versions did.
fn broken(text: &str, sources: &[Source; 3]) -> Option<BTreeSet<String>> {
    let mut broken = names::free(text).ok()?;
    for side in [YOURS, NEW] {
        for name in names::free(sources[side].text).ok()? {
            broken.remove(name);
        }
    }
    Some(broken.into_iter().map(str::to_owned).collect())
}

/// Makes a conflict of what leaves names of the merged text without a definition.
fn force(
    forced: &mut Forced,
    broken: &BTreeSet<String>,
    text: &str,
    sources: &[Source; 3],
) -> Option<()> {
    let merged = Source::parse(text)?;
    let module = items::module(&merged)?;
    for name in broken {
        let place = match sources[YOURS].first_use(name, &sources[BASE]) {
            Some(row) => format!("in line {}", row + 1),
            None => "in what is new".to_owned(),
        };
        forced.notes.insert(format!(
            "`{name}` is used {place}, but it would no longer be defined"
        ));
        if !forced.names.insert(name.clone()) {
            let has_name = |item: &&Item| merged.tokens(&item.rows()).any(|token| token == name);
            let users = module.items.iter().filter(has_name);
            forced.names.extend(users.map(|item| item.key.clone()));
        }
    }
    Some(())
}

#[cfg(test)]
mod tests;
