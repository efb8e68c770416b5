//! Import statements: which names a file needs, and which it no longer uses.

use std::collections::BTreeSet;

use super::super::Versions;
use super::super::blocks::Block;
use super::statements::read;
use crate::code;

/// The longest line into which a statement is written.
const WIDTH: usize = 88;

/// A name that a statement imports.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Name {
    /// What stands there: `name`, or `name as other`.
    text: String,
    /// What the file calls it.
    bound: String,
}

/// An import statement of a file.
struct Import {
    /// `from module import`, or nothing.
    from: Option<String>,
    names: Vec<Name>,
    /// As it stands there.
    text: String,
}

impl Import {
    /// Reads a statement; `None`: it is another one, or nobody can change it.
    fn read(text: &str) -> Option<Self> {
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let (from, names) = if let Some(names) = flat.strip_prefix("import ") {
            (None, names)
        } else {
            let (from, names) = flat.strip_prefix("from ")?.split_once(" import ")?;
            (Some(format!("from {from} import")), names)
        };
        let names = names.trim_matches(['(', ')', ' ']).trim_end_matches(',');
        if flat.contains(['#', '*', ';', '\\']) || flat.starts_with("from __future__ ") {
            return None;
        }
        let names = names.split(',').map(|name| {
            let text = name.trim().to_owned();
            let bound = text.split(" as ").last().unwrap_or(&text);
            let bound = if from.is_none() && !text.contains(" as ") {
                bound.split('.').next().unwrap_or(bound)
            } else {
                bound
            };
            Name {
                bound: bound.to_owned(),
                text,
            }
        });
        Some(Self {
            names: names.collect(),
            from,
            text: text.to_owned(),
        })
    }

    /// The statement with these names, as formatters write it.
    fn written(&self, names: &[Name]) -> String {
        let from = self.from.as_deref().unwrap_or("import");
        let texts: Vec<&str> = names.iter().map(|name| name.text.as_str()).collect();
        let line = format!("{from} {}\n", texts.join(", "));
        let is_open = self.text.contains('(') && names.len() > 1;
        if self.from.is_none() || line.len() <= WIDTH + 1 && !is_open {
            return line;
        }
        let rows: String = texts
            .iter()
            .flat_map(|text| ["    ", text, ",\n"])
            .collect();
        format!("{from} (\n{rows})\n")
    }

    fn binds(&self, name: &str) -> bool {
        self.names.iter().any(|it| it.bound == name)
    }
}

/// Merges the names of a statement; `None` if it can't be read.
pub(super) fn merged(versions: &Versions) -> Option<String> {
    let [base, yours, new] = [versions.base, versions.yours, versions.new].map(Import::read);
    let (yours, new) = (yours?, new?);
    let of_base = base.map(|base| base.names).unwrap_or_default();
    let mut names = yours.names.clone();
    names.retain(|name| new.names.contains(name) || !of_base.contains(name));
    for name in new.names.iter().filter(|name| !of_base.contains(name)) {
        add(&mut names, name);
    }
    (!names.is_empty()).then(|| yours.written(&names))
}

/// Puts a name where it belongs: constants, classes and others, each by the alphabet.
fn add(names: &mut Vec<Name>, name: &Name) {
    if names.contains(name) {
        return;
    }
    let rank = |name: &Name| {
        let text = name.text.clone();
        let is_upper = |c: char| !c.is_lowercase();
        match () {
            () if text.len() > 1 && text.chars().all(is_upper) => (0, text),
            () if text.starts_with(char::is_uppercase) => (1, text),
            () => (2, text),
        }
    };
    let at = names.iter().position(|other| rank(other) > rank(name));
    names.insert(at.unwrap_or(names.len()), name.clone());
}

/// The statements of a file that import, by their blocks.
fn imports(blocks: &[Block]) -> Vec<(usize, Import)> {
    let read = |(at, block): (usize, &Block)| Some((at, Import::read(&block.text)?));
    blocks.iter().enumerate().filter_map(read).collect()
}

/// The names that a file needs from imports, and those that it imports.
fn needs(text: &str) -> Option<(BTreeSet<String>, BTreeSet<String>)> {
    let mut blocks = read(text)?.children?;
    let imported = imports(&blocks);
    for (at, _) in &imported {
        // A line of its own stays: code that is made of imports alone is none.
        "pass\n".clone_into(&mut blocks[*at].text);
    }
    let body: String = blocks.iter().map(|it| it.lead.clone() + &it.text).collect();
    let needed = code::free(&body)
        .ok()?
        .into_iter()
        .map(str::to_owned)
        .collect();
    let names = imported.into_iter().flat_map(|(_, import)| import.names);
    Some((needed, names.map(|name| name.bound).collect()))
}

/// Returns a merged file with the imports that it uses and neither side lacks, and without those that it no longer uses; `None` if
/// nothing is to be done.
pub(super) fn fitted(text: &str, versions: &Versions) -> Option<String> {
    let (needed, imported) = needs(text)?;
    let sides = [needs(versions.yours)?, needs(versions.new)?];
    let is_lacking = |name: &&String| {
        let lacks = |(needed, imported): &(BTreeSet<String>, BTreeSet<String>)| {
            needed.contains(*name) && !imported.contains(*name)
        };
        !imported.contains(*name) && !sides.iter().any(lacks)
    };
    let is_left_over = |name: &&String| {
        let has_unused = |(needed, imported): &(BTreeSet<String>, BTreeSet<String>)| {
            imported.contains(*name) && !needed.contains(*name)
        };
        !needed.contains(*name) && !sides.iter().any(has_unused)
    };
    let lacking: Vec<&String> = needed.iter().filter(is_lacking).collect();
    let left_over: BTreeSet<&String> = imported.iter().filter(is_left_over).collect();
    if lacking.is_empty() && left_over.is_empty() {
        return None;
    }
    let mut blocks = read(text)?.children?;
    for (at, import) in imports(&blocks) {
        let mut names = import.names.clone();
        names.retain(|name| !left_over.contains(&name.bound));
        if names.is_empty() {
            let lead = std::mem::take(&mut blocks[at].lead);
            blocks[at].text.clear();
            if let Some(next) = blocks
                .get_mut(at + 1)
                .filter(|next| next.lead.len() < lead.len())
            {
                next.lead = lead;
            }
        } else if names.len() < import.names.len() {
            blocks[at].text = import.written(&names);
        }
    }
    for name in lacking {
        let known = [versions.yours, versions.new, versions.base];
        let mut known = known.iter().filter_map(|side| read(side)?.children);
        let (side, at, import) = known.find_map(|side| {
            let found = imports(&side).into_iter();
            let (at, import) = found.rev().find(|(_, import)| import.binds(name))?;
            Some((side, at, import))
        })?;
        insert(&mut blocks, &side, at, &import, name);
    }
    Some(blocks.iter().map(|it| it.lead.clone() + &it.text).collect())
}

/// Adds a name to a statement, or the statement where it stands on a side.
fn insert(blocks: &mut Vec<Block>, side: &[Block], at: usize, import: &Import, name: &str) {
    let is_it = |it: &&Name| it.bound == name;
    let Some(wanted) = import.names.iter().find(is_it) else {
        return;
    };
    let place = |key: &str| {
        blocks
            .iter()
            .position(|it| it.key == key && !it.text.is_empty())
    };
    let key = &side[at].key;
    if import.from.is_some()
        && let Some(there) = place(key)
        && let Some(statement) = Import::read(&blocks[there].text)
    {
        let mut names = statement.names.clone();
        add(&mut names, wanted);
        blocks[there].text = statement.written(&names);
        return;
    }
    let behind = side[..at].iter().rev().find_map(|it| place(&it.key));
    let block = Block {
        text: import.written(std::slice::from_ref(wanted)),
        ..side[at].clone()
    };
    blocks.insert(behind.map_or(0, |behind| behind + 1), block);
}
