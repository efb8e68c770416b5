//! Blank lines and comments between blocks.

use super::super::blocks::Block;

/// The lines since the last block.
#[derive(Default)]
pub(super) struct Leads {
    /// Blank lines, then comments without a blank line between them.
    lines: String,
    has_comment: bool,
    first: usize,
    /// The key of the block above, and the comments that stand by themselves below it.
    above: String,
    alone: usize,
}

impl Leads {
    /// Adds a blank line or a comment. Comments with a blank line below them are a block of their own, which is returned.
    pub(super) fn push(&mut self, line: &str, number: usize) -> Option<Block> {
        if line.trim().is_empty() {
            let alone = self.alone();
            self.lines.push_str(line);
            return alone;
        }
        if !self.has_comment {
            self.first = number;
        }
        self.has_comment = true;
        self.lines.push_str(line);
        None
    }

    /// Returns what is above the block with this key, which is next.
    pub(super) fn take(&mut self, key: &str) -> String {
        key.clone_into(&mut self.above);
        self.alone = 0;
        self.has_comment = false;
        std::mem::take(&mut self.lines)
    }

    /// Returns what is below the last block.
    pub(super) fn finish(&mut self) -> Option<Block> {
        let last = self.alone();
        if last.is_none() && !self.lines.is_empty() {
            return Some(Block {
                key: "#".to_owned(),
                text: std::mem::take(&mut self.lines),
                ..Block::default()
            });
        }
        last
    }

    fn alone(&mut self) -> Option<Block> {
        if !std::mem::take(&mut self.has_comment) {
            return None;
        }
        self.alone += 1;
        let lines = std::mem::take(&mut self.lines);
        let text = lines.trim_start_matches('\n');
        Some(Block {
            key: format!("# {} {}", self.above, self.alone),
            lead: "\n".repeat(lines.len() - text.len()),
            text: text.to_owned(),
            line: self.first,
            ..Block::default()
        })
    }
}
