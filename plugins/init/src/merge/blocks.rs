//! Merges of files that consist of named blocks: variables, keys, requirements, sections.
//!
//! A format cuts its text into blocks; what is done with them is the same for all formats. A block that only one side has changed is
//! taken from that side. What the user has added, removed or changed stays; what is new gets its place behind its neighbour.

pub(super) mod order;

use super::{Conflict, Merged, Part, Versions, lines};

/// A named part of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Block {
    /// Unlike that of any other block beside it.
    pub key: String,
    /// Blank lines and comments above it.
    pub lead: String,
    /// Its lines, or those above its children.
    pub text: String,
    pub children: Option<Vec<Block>>,
    /// The lines below its children.
    pub end: String,
    /// Everything, with what is between its children, such as commas.
    pub whole: Option<String>,
    /// The number of the first line of `text`, from 1.
    pub line: usize,
    /// Of a list: whether its last element is followed by a comma.
    pub is_closed: bool,
    /// Of a heading: how deep it is. Blocks below it go with it.
    pub level: usize,
}

impl Block {
    /// Returns all lines but those above it.
    pub(super) fn whole(&self) -> String {
        if let Some(whole) = &self.whole {
            return whole.clone();
        }
        let children = self.children.iter().flatten();
        let inner: String = children
            .map(|child| child.lead.clone() + &child.whole())
            .collect();
        [self.text.as_str(), &inner, &self.end].concat()
    }
}

/// What differs between formats.
pub(super) trait Format {
    /// Tells whether two texts of a block mean the same.
    fn is_same(&self, one: &str, other: &str) -> bool;

    /// Merges a block without children that both sides have changed; `None` if that is no use.
    fn both(&self, key: &str, versions: &Versions) -> Option<String>;

    /// Tells whether the user's text wins where both sides have changed a block.
    fn is_yours(&self) -> bool;

    /// Tells whether a block stays that the user has edited and that is no longer generated; else it is in conflict.
    fn keeps(&self, block: &Block) -> bool {
        let _ = block;
        true
    }

    /// Puts between the children of a block what belongs there, such as commas.
    fn join(&self, parent: &Block, children: &mut [Vec<Part>]) {
        let _ = (parent, children);
    }

    /// Returns the block as it is written beside those of the user.
    fn fitted(&self, block: &Block, beside: &[Block]) -> Block {
        let _ = beside;
        block.clone()
    }
}

/// Merges the children of three blocks, which are files as a whole.
pub(super) fn merge(format: &dyn Format, base: &Block, yours: &Block, new: &Block) -> Merged {
    let mut merging = Merging {
        format,
        notes: Vec::new(),
    };
    let mut parts = Vec::new();
    for part in merging.children(base, yours, new) {
        match part {
            Part::Text(text) => lines::push_text(&mut parts, &text),
            conflict @ Part::Conflict(_) => parts.push(conflict),
        }
    }
    Merged {
        parts,
        notes: merging.notes,
    }
}

struct Merging<'f> {
    format: &'f dyn Format,
    notes: Vec<String>,
}

impl Merging<'_> {
    fn children(&mut self, base: &Block, yours: &Block, new: &Block) -> Vec<Part> {
        let [base_blocks, your_blocks, new_blocks] =
            [base, yours, new].map(|block| block.children.as_deref().unwrap_or_default());
        let find = |blocks: &[Block], key: &str| {
            let found = blocks.iter().find(|block| block.key == key);
            found.cloned()
        };
        let mut merged: Vec<Vec<Part>> = Vec::new();
        // A blank line above a block that goes is one above the next.
        let mut gap = false;
        for key in order::of(base_blocks, your_blocks, new_blocks) {
            let of_base = find(base_blocks, key);
            let of_new = find(new_blocks, key);
            let is_added = of_base.is_none();
            let removed = match (&of_base, find(your_blocks, key), of_new) {
                (_, Some(yours), None) if is_added => {
                    merged.push(vec![Part::Text(
                        lead(&yours.lead, &mut gap) + &yours.whole(),
                    )]);
                    continue;
                }
                (None, None, Some(new)) => {
                    let new = self.format.fitted(&new, your_blocks);
                    merged.push(vec![Part::Text(lead(&new.lead, &mut gap) + &new.whole())]);
                    continue;
                }
                (base, Some(yours), Some(new)) => {
                    let base = base.clone().unwrap_or_else(|| Block {
                        key: key.to_owned(),
                        children: new.children.as_ref().map(|_| Vec::new()),
                        ..Block::default()
                    });
                    let new = self.format.fitted(&new, your_blocks);
                    let above = Self::lead(&base, &yours, &new);
                    let mut parts = vec![Part::Text(lead(&above, &mut gap))];
                    parts.extend(self.block(&base, &yours, &new));
                    merged.push(parts);
                    continue;
                }
                (Some(base), Some(yours), None)
                    if !self.format.keeps(base) && base.whole().trim() != yours.whole().trim() =>
                {
                    merged.push(vec![
                        Part::Text(lead(&yours.lead, &mut gap)),
                        Part::Conflict(conflict(&yours, base.whole(), String::new())),
                    ]);
                    continue;
                }
                (Some(base), Some(yours), None) => {
                    // With one of two the next update would do away with the other.
                    let is_doubled = |blocks| find(blocks, &copy(key, 2)).is_some();
                    let is_own = is_doubled(your_blocks) && !is_doubled(base_blocks);
                    let left = if is_own {
                        Some(yours.whole())
                    } else {
                        self.dropped(base, &yours)
                    };
                    if let Some(text) = left {
                        merged.push(vec![Part::Text(lead(&yours.lead, &mut gap) + &text)]);
                        continue;
                    }
                    yours.lead
                }
                (Some(base), None, Some(new)) => {
                    if !self.format.is_same(&base.whole(), &new.whole()) {
                        self.notes.push(format!(
                            "{} has changed, but you have removed it: it stays removed",
                            named(key)
                        ));
                    }
                    String::new()
                }
                _ => String::new(),
            };
            gap |= removed.starts_with('\n');
        }
        self.format.join(yours, &mut merged);
        merged.into_iter().flatten().collect()
    }

    /// Merges the lines above a block. Of two changes, the user's counts.
    fn lead(base: &Block, yours: &Block, new: &Block) -> String {
        let has = |block: &Block, line: &str| block.lead.lines().any(|other| other == line);
        let mut added = new.lead.lines().filter(|line| !has(base, line));
        let mut removed = base.lead.lines().filter(|line| !has(new, line));
        // Who has the new lines already has taken the change before.
        if added.all(|line| has(yours, line)) && !removed.any(|line| has(yours, line)) {
            return yours.lead.clone();
        }
        let versions = Versions {
            base: &base.lead,
            yours: &yours.lead,
            new: &new.lead,
        };
        three_way(&versions).unwrap_or_else(|| yours.lead.clone())
    }

    /// Returns what is left of a block that is no longer generated: what the user has edited, comments of the user's above it
    /// included.
    fn dropped(&mut self, base: &Block, yours: &Block) -> Option<String> {
        let is_added = |line: &str| !line.trim().is_empty() && !base.lead.contains(line.trim());
        let is_explained = yours.lead.lines().any(is_added);
        if !is_explained && base.whole().trim() == yours.whole().trim() {
            return None;
        }
        if base.children.is_none() || yours.children.is_none() {
            self.notes.push(format!(
                "{} is no longer generated; yours stays",
                named(&base.key)
            ));
            return Some(yours.whole());
        }
        let nothing = Block {
            children: Some(Vec::new()),
            ..Block::default()
        };
        let left = self.children(base, yours, &nothing);
        let inner: String = left
            .into_iter()
            .map(|part| match part {
                Part::Text(text) => text,
                Part::Conflict(conflict) => conflict.yours,
            })
            .collect();
        let has_own = is_explained || base.text != yours.text || base.end != yours.end;
        if inner.is_empty() && !has_own {
            return None;
        }
        self.notes.push(format!(
            "{} is no longer generated; your part of it stays",
            named(&base.key)
        ));
        Some([yours.text.as_str(), &inner, &yours.end].concat())
    }

    fn block(&mut self, base: &Block, yours: &Block, new: &Block) -> Vec<Part> {
        if base.children.is_some() && yours.children.is_some() && new.children.is_some() {
            let pick = |base: &str, yours: &str, new: &str| {
                let text = if base.is_empty() || yours != base {
                    yours
                } else {
                    new
                };
                Part::Text(text.to_owned())
            };
            let mut parts = vec![pick(&base.text, &yours.text, &new.text)];
            parts.extend(self.children(base, yours, new));
            parts.push(pick(&base.end, &yours.end, &new.end));
            return parts;
        }
        let [base_text, your_text, new_text] = [base, yours, new].map(Block::whole);
        let versions = Versions {
            base: &base_text,
            yours: &your_text,
            new: &new_text,
        };
        let is_same = |one: &str, other: &str| self.format.is_same(one, other);
        let text = if is_same(&base_text, &new_text) || is_same(&your_text, &new_text) {
            your_text.clone()
        } else if base_text == your_text {
            new_text.clone()
        } else if let Some(text) = self.format.both(&yours.key, &versions) {
            text
        } else if self.format.is_yours() {
            self.notes.push(format!(
                "{} stays as you have it; the new text is:\n{}",
                named(&yours.key),
                new_text.trim_end()
            ));
            your_text.clone()
        } else {
            return lines::parts(&versions, Some(&yours.key), yours.line);
        };
        vec![Part::Text(text)]
    }
}

fn conflict(yours: &Block, base: String, new: String) -> Conflict {
    Conflict {
        declaration: Some(yours.key.clone()),
        line: yours.line,
        base,
        yours: yours.whole(),
        new,
    }
}

/// Returns the lines above a block, after a blank line if there is to be one.
fn lead(lead: &str, gap: &mut bool) -> String {
    let blank = std::mem::take(gap) && !lead.starts_with('\n');
    if blank {
        format!("\n{lead}")
    } else {
        lead.to_owned()
    }
}

fn named(key: &str) -> String {
    format!("`{}`", key.trim())
}

/// Merges by lines; `None` if something is in conflict.
pub(super) fn three_way(versions: &Versions) -> Option<String> {
    let Versions { base, yours, new } = *versions;
    if yours == base || yours == new {
        return Some(new.to_owned());
    }
    if new == base {
        return Some(yours.to_owned());
    }
    lines::merge(versions).text()
}

/// Gives every key that is there already another one.
pub(super) fn number(blocks: &mut [Block]) {
    let mut seen = std::collections::BTreeMap::new();
    for block in blocks {
        let times = seen.entry(block.key.clone()).or_insert(0);
        *times += 1;
        if *times > 1 {
            block.key = copy(&block.key, *times);
        }
    }
}

fn copy(key: &str, times: usize) -> String {
    format!("{key} {times}")
}
