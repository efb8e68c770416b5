//! JSON by its keys, as formatters write it: each member and each element on lines of its own.

use serde_json::Value;

use super::super::blocks::{Block, Format, number};
use super::super::{Merged, Part, Versions};

struct Json;

pub(super) fn merge(versions: &Versions) -> Option<Merged> {
    let unit = unit(versions.yours)?;
    let [base, new] = [versions.base, versions.new].map(|text| indented(text, unit));
    let versions = Versions {
        base: &base?,
        yours: versions.yours,
        new: &new?,
    };
    super::with(&Json, &versions, read)
}

/// Returns the white space before the first member.
fn unit(text: &str) -> Option<&str> {
    let line = text.lines().find(|line| line.starts_with([' ', '\t']))?;
    line.get(..line.len() - line.trim_start().len())
}

/// Returns the text with the indentation of another.
fn indented(text: &str, to: &str) -> Option<String> {
    let from = unit(text)?;
    let lines = text.split_inclusive('\n').map(|line| {
        let mut rest = line;
        let mut depth = 0;
        while let Some(inner) = rest.strip_prefix(from) {
            (rest, depth) = (inner, depth + 1);
        }
        to.repeat(depth) + rest
    });
    Some(lines.collect())
}

impl Format for Json {
    fn is_same(&self, one: &str, other: &str) -> bool {
        let value = |text: &str| {
            let member = serde_json::from_str::<Value>(&format!("{{{text}}}"));
            member.or_else(|_| serde_json::from_str(text)).ok()
        };
        match (value(one), value(other)) {
            (Some(one), Some(other)) => one == other,
            _ => one == other,
        }
    }

    /// Takes the new value where the user has only written the old one in another way.
    fn both(&self, _: &str, versions: &Versions) -> Option<String> {
        self.is_same(versions.base, versions.yours)
            .then(|| versions.new.to_owned())
    }

    fn is_yours(&self) -> bool {
        false
    }

    fn join(&self, _: &Block, children: &mut [Vec<Part>]) {
        let Some((_, others)) = children.split_last_mut() else {
            return;
        };
        for child in others {
            if let Some(part) = child.last_mut() {
                part.each_text(add_comma);
            }
        }
    }
}

fn add_comma(text: &mut String) {
    let end = text.trim_end().len();
    if end > 0 {
        text.insert(end, ',');
    }
}

pub(super) fn read(text: &str) -> Option<Block> {
    serde_json::from_str::<Value>(text).ok()?;
    let mut lines = Lines {
        lines: text.split_inclusive('\n').collect(),
        next: 0,
    };
    let root = lines.block("", String::new())?;
    root.children.as_ref()?;
    let rest = lines.lines.get(lines.next..)?;
    if rest.iter().any(|line| !line.trim().is_empty()) {
        return None;
    }
    Some(Block {
        children: Some(vec![root]),
        ..Block::default()
    })
}

struct Lines<'t> {
    lines: Vec<&'t str>,
    next: usize,
}

impl Lines<'_> {
    /// Reads the member or element in the next lines.
    fn block(&mut self, key: &str, lead: String) -> Option<Block> {
        let line = *self.lines.get(self.next)?;
        self.next += 1;
        let mut block = Block {
            key: key.to_owned(),
            lead,
            text: without_comma(line),
            line: self.next,
            ..Block::default()
        };
        let opened = line.trim_end();
        if !opened.ends_with(['{', '[']) {
            let value = opened.strip_suffix(',').unwrap_or(opened);
            let is_whole = serde_json::from_str::<Value>(&format!("{{{value}}}")).is_ok()
                || serde_json::from_str::<Value>(value).is_ok();
            return is_whole.then_some(block);
        }
        let mut children = Vec::new();
        let mut lead = String::new();
        let first = self.next - 1;
        loop {
            let line = *self.lines.get(self.next)?;
            let inner = line.trim();
            if inner.is_empty() {
                lead.push_str(line);
                self.next += 1;
            } else if inner.starts_with(['}', ']']) {
                // Nothing else is on that line.
                if inner.trim_end_matches(',').len() > 1 {
                    return None;
                }
                let above = self.lines.get(first..self.next)?.concat();
                block.whole = Some(above + &without_comma(line));
                block.end = lead + &without_comma(line);
                self.next += 1;
                break;
            } else {
                let mut child = self.block("", std::mem::take(&mut lead))?;
                child.key = key_of(&child);
                children.push(child);
            }
        }
        number(&mut children);
        block.children = Some(children);
        Some(block)
    }
}

fn without_comma(line: &str) -> String {
    let end = line.trim_end();
    match end.strip_suffix(',') {
        Some(rest) => format!("{rest}{}", &line[end.len()..]),
        None => line.to_owned(),
    }
}

/// The key of a member; an element is known by its text.
fn key_of(block: &Block) -> String {
    let text = block.text.trim();
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<String>();
    if let Some(Ok(key)) = values.next()
        && text[values.byte_offset()..].trim_start().starts_with(':')
    {
        return key;
    }
    block.whole().trim().to_owned()
}
