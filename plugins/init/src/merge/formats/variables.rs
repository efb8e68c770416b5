//! Files of environment variables. The comments above a variable belong to it, and no line of the user's is in conflict.

use super::super::Versions;
use super::super::blocks::{Block, Format, number, three_way};
use super::leads::Leads;

pub(super) struct Variables;

impl Format for Variables {
    fn is_same(&self, one: &str, other: &str) -> bool {
        one.trim_end() == other.trim_end()
    }

    /// Comments by themselves have lines; a variable has one.
    fn both(&self, key: &str, versions: &Versions) -> Option<String> {
        key.starts_with('#').then(|| three_way(versions))?
    }

    fn is_yours(&self) -> bool {
        true
    }
}

pub(super) fn read(text: &str) -> Option<Block> {
    let mut blocks = Vec::new();
    let mut leads = Leads::default();
    for (index, line) in text.split_inclusive('\n').enumerate() {
        if let Some(name) = variable(line) {
            blocks.push(Block {
                key: name.to_owned(),
                lead: leads.take(name),
                text: line.to_owned(),
                line: index + 1,
                ..Block::default()
            });
        } else if line.trim().is_empty() || line.starts_with('#') {
            blocks.extend(leads.push(line, index + 1));
        } else {
            return None;
        }
    }
    blocks.extend(leads.finish());
    number(&mut blocks);
    Some(Block {
        children: Some(blocks),
        ..Block::default()
    })
}

/// The name in `NAME=…` that whoever reads the file takes.
pub(in crate::merge) fn set(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let open = line.strip_prefix("export ").unwrap_or(line);
    let (name, _) = open.split_once('=')?;
    let name = name.trim();
    (!name.is_empty() && !name.starts_with('#')).then_some(name)
}

/// The name in `NAME=…`, which may be commented out.
fn variable(line: &str) -> Option<&str> {
    let (open, is_commented) = match line.strip_prefix('#') {
        Some(rest) => (rest.trim_start(), true),
        None => (line.strip_prefix("export ").unwrap_or(line), false),
    };
    let (name, _) = open.split_once('=')?;
    let is_name = |c: char| {
        c == '_'
            || c.is_ascii_uppercase()
            || c.is_ascii_digit()
            || (!is_commented && c.is_ascii_lowercase())
    };
    (!name.is_empty() && name.chars().all(is_name)).then_some(name)
}
