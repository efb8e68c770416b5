//! Lists of files to ignore: their lines are a set.

use super::super::Versions;
use super::super::blocks::{Block, Format, number};

pub(super) struct Ignored;

impl Format for Ignored {
    fn is_same(&self, one: &str, other: &str) -> bool {
        one.trim_end() == other.trim_end()
    }

    fn both(&self, _: &str, _: &Versions) -> Option<String> {
        None
    }

    fn is_yours(&self) -> bool {
        true
    }
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "other formats can't read every text"
)]
pub(super) fn read(text: &str) -> Option<Block> {
    let mut blocks = Vec::new();
    let mut lead = String::new();
    for (index, line) in text.split_inclusive('\n').enumerate() {
        if line.trim().is_empty() {
            lead.push_str(line);
        } else {
            blocks.push(Block {
                key: line.trim_end().to_owned(),
                lead: std::mem::take(&mut lead),
                text: line.to_owned(),
                line: index + 1,
                ..Block::default()
            });
        }
    }
    number(&mut blocks);
    Some(Block {
        children: Some(blocks),
        ..Block::default()
    })
}
