//! Markdown by its headings. Where both sides have changed a section in different ways, the user's stays, and the new one is noted.

use super::super::blocks::{self, Block, Format, number};
use super::super::{Part, Versions, lines};
use super::ignored;

pub(super) struct Sections;

impl Format for Sections {
    fn is_same(&self, one: &str, other: &str) -> bool {
        one.trim_end() == other.trim_end()
    }

    fn both(&self, _: &str, versions: &Versions) -> Option<String> {
        let merged = lines::merge(versions);
        let parts = merged.parts.iter().map(|part| match part {
            Part::Text(text) => Some(text.clone()),
            Part::Conflict(conflict) => rows(&Versions {
                base: &conflict.base,
                yours: &conflict.yours,
                new: &conflict.new,
            }),
        });
        parts.collect()
    }

    fn is_yours(&self) -> bool {
        true
    }
}

/// Merges rows of a table, or items of a list, by their first cell. The user's row stays.
fn rows(versions: &Versions) -> Option<String> {
    let read = |text: &str| -> Option<Block> {
        let mut read = ignored::read(text)?;
        for row in read.children.iter_mut().flatten() {
            let cell = row.text.strip_prefix('|')?.split('|').next()?;
            row.key = cell.trim().to_owned();
        }
        number(read.children.as_mut()?);
        Some(read)
    };
    let [base, yours, new] = [versions.base, versions.yours, versions.new].map(read);
    blocks::merge(&ignored::Ignored, &base?, &yours?, &new?).text()
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "other formats can't read every text"
)]
pub(super) fn read(text: &str) -> Option<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut section = Block {
        key: "the beginning".to_owned(),
        line: 1,
        ..Block::default()
    };
    let mut lead = String::new();
    let mut fence: Option<String> = None;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let start: String = line
            .trim_start()
            .chars()
            .take_while(|c| "`~".contains(*c))
            .collect();
        match &fence {
            Some(open) if start.starts_with(open.as_str()) => fence = None,
            None if start.len() >= 3 => fence = Some(start),
            _ => {}
        }
        let level = line.chars().take_while(|c| *c == '#').count();
        let is_heading =
            fence.is_none() && (1..=6).contains(&level) && line[level..].starts_with(' ');
        if is_heading {
            blocks.push(std::mem::take(&mut section));
            // The title has the name of the project.
            let key = if level == 1 { "the title" } else { line.trim() };
            section = Block {
                key: key.to_owned(),
                lead: std::mem::take(&mut lead),
                line: index + 1,
                level,
                ..Block::default()
            };
        }
        if line.trim().is_empty() {
            lead.push_str(line);
        } else {
            section.text.push_str(&std::mem::take(&mut lead));
            section.text.push_str(line);
        }
    }
    section.text.push_str(&lead);
    blocks.push(section);
    if blocks.first().is_some_and(|first| first.text.is_empty()) {
        blocks.remove(0);
    }
    number(&mut blocks);
    Some(Block {
        children: Some(blocks),
        ..Block::default()
    })
}
