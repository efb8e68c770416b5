//! Merges Python by its declarations.

mod declarations;
mod imports;
mod items;
mod source;

use std::collections::{BTreeMap, BTreeSet};

use self::declarations::{BASE, Merge, NEW, YOURS};
use self::imports::ImportEdits;
use self::items::{Block, Item, Kind};
use self::source::Source;
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
    Merged {
        parts: vec![Part::Conflict(Conflict {
            declaration: None,
            line: 1,
            base: versions.base.to_owned(),
            yours: versions.yours.to_owned(),
            new: versions.new.to_owned(),
        })],
        notes: Vec::new(),
    }
}

fn by_declarations(sources: &[Source; 3], modules: &[Block; 3]) -> Option<Merged> {
    let mut forced = clashing(sources, modules);
    for _ in 0..MOST_ROUNDS {
        let without = ImportEdits::without(&modules[YOURS]);
        let body = Merge::new(sources, &forced, &without).module(modules)?;
        let used = used(&body.parts)?;
        let edits = imports::edits(sources, modules, &used);
        let merged = Merge::new(sources, &forced, &edits).module(modules)?;
        let Some(text) = merged.text() else {
            return Some(merged);
        };
        let broken = broken(&text, sources)?;
        if broken.is_empty() {
            return Some(merged);
        }
        let more = to_force(&broken, &text, modules)?;
        let count = forced.len();
        forced.extend(more);
        if forced.len() == count {
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

/// The declarations that have to be a conflict, since names in the merged text are without a definition.
fn to_force(
    broken: &BTreeSet<String>,
    text: &str,
    modules: &[Block; 3],
) -> Option<BTreeSet<String>> {
    let merged = Source::parse(text)?;
    let module = items::module(&merged)?;
    let mut forced = BTreeSet::new();
    for name in broken {
        let defines = |module: &Block| {
            module
                .items
                .iter()
                .any(|item| item.key == *name && item.kind != Kind::Other)
        };
        if defines(&modules[BASE]) || defines(&modules[YOURS]) || defines(&modules[NEW]) {
            forced.insert(name.clone());
            continue;
        }
        let users = module
            .items
            .iter()
            .filter(|item| merged.tokens(&item.rows()).any(|token| token == name));
        forced.extend(users.map(|item| item.key.clone()));
    }
    Some(forced)
}

/// The declarations in which a name of one side would mean something else to the other.
fn clashing(sources: &[Source; 3], modules: &[Block; 3]) -> BTreeSet<String> {
    let [base, yours, new] = [BASE, YOURS, NEW].map(|side| {
        let items = modules[side]
            .items
            .iter()
            .filter(|item| item.kind != Kind::Import);
        items
            .map(|item| (item.key.as_str(), item))
            .collect::<BTreeMap<&str, &Item>>()
    });
    let imported = imports::bindings(&sources[YOURS], &modules[YOURS]);
    let mut clashing = BTreeSet::new();
    for (key, in_new) in &new {
        let Some(in_base) = base.get(key) else {
            if imported.contains(*key) {
                clashing.insert((*key).to_owned());
            }
            continue;
        };
        let Some(in_yours) = yours.get(key) else {
            continue;
        };
        let texts = [(BASE, in_base), (YOURS, in_yours), (NEW, in_new)]
            .map(|(side, item)| sources[side].rows(&item.rows()));
        let [Ok(base), Ok(yours), Ok(new)] = texts.map(names::scopes) else {
            clashing.insert((*key).to_owned());
            continue;
        };
        let of_yours = &yours.all - &base.all;
        let of_new = &new.all - &base.all;
        let binds_other = !(&new.bound - &base.bound).is_disjoint(&of_yours);
        if binds_other || !(&yours.bound - &base.bound).is_disjoint(&of_new) {
            clashing.insert((*key).to_owned());
        }
    }
    clashing
}
