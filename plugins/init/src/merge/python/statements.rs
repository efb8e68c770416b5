//! The statements of a Python file that are in no other one, by its lines: brackets, strings, comments and indentation.

use std::collections::{BTreeMap, BTreeSet};

use super::super::blocks::{Block, number};
use super::super::{Versions, lines::words};

/// Reads a file as its statements, each with the comments and blank lines above it; `None` if it has no end of a bracket or a string.
pub(super) fn read(text: &str) -> Option<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut lead = String::new();
    let mut scan = Scan::default();
    let mut is_decorated = false;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let is_inner = scan.is_open() || line.starts_with([' ', '\t']);
        let is_empty =
            !scan.is_open() && (line.trim().is_empty() || line.trim_start().starts_with('#'));
        scan.line(line)?;
        let first = words(line).next().unwrap_or_default();
        let goes_on = ["elif", "else", "except", "finally"].contains(&first);
        match blocks.last_mut() {
            _ if is_empty => lead.push_str(line),
            Some(last) if is_inner || goes_on || is_decorated => {
                last.text.push_str(&std::mem::take(&mut lead));
                last.text.push_str(line);
                if !is_inner && !goes_on {
                    last.key = key(line);
                    is_decorated = line.starts_with('@');
                }
            }
            None if is_inner => return None,
            _ => {
                is_decorated = line.starts_with('@');
                let is_docstring = blocks.is_empty() && line.starts_with(['"', '\'']);
                blocks.push(Block {
                    key: if is_docstring {
                        "docstring".to_owned()
                    } else {
                        key(line)
                    },
                    lead: std::mem::take(&mut lead),
                    text: line.to_owned(),
                    line: index + 1,
                    ..Block::default()
                });
            }
        }
    }
    if scan.is_open() {
        return None;
    }
    if !lead.is_empty() {
        blocks.push(Block {
            key: "#".to_owned(),
            text: lead,
            ..Block::default()
        });
    }
    number(&mut blocks);
    Some(Block {
        children: Some(blocks),
        ..Block::default()
    })
}

/// What a statement is known by: the name that it defines, the module that it imports from, or its first line.
fn key(line: &str) -> String {
    let mut words = words(line);
    let first = words.next().unwrap_or_default();
    match first {
        "from" => {
            line.split_once(" import")
                .map_or(line, |(from, _)| from)
                .to_owned()
                + " import"
        }
        "def" | "class" => words.next().unwrap_or_default().to_owned(),
        "async" => words.nth(1).unwrap_or_default().to_owned(),
        _ => match assigned(line) {
            Some(name) => name.to_owned(),
            None => line.trim_end().to_owned(),
        },
    }
}

/// The name to which a line assigns something.
fn assigned(line: &str) -> Option<&str> {
    let end = line.find(|c: char| !c.is_alphanumeric() && c != '_')?;
    let rest = line[end..].trim_start();
    let is_value = rest.starts_with('=') && !rest.starts_with("==");
    let is_typed = rest.starts_with(':') && rest.contains('=');
    (end > 0 && (is_value || is_typed)).then(|| &line[..end])
}

/// The state between two lines.
#[derive(Default)]
struct Scan {
    brackets: Vec<char>,
    /// The quotes that end a string of several lines.
    string: Option<&'static str>,
    /// Whether the line ends with a backslash.
    is_continued: bool,
}

impl Scan {
    fn is_open(&self) -> bool {
        !self.brackets.is_empty() || self.string.is_some() || self.is_continued
    }

    /// Reads a line; `None`: a bracket is closed that is not open, or a string has no end.
    fn line(&mut self, line: &str) -> Option<()> {
        self.is_continued = false;
        let mut rest = line.trim_end_matches(['\n', '\r']);
        while let Some(c) = rest.chars().next() {
            if let Some(quotes) = self.string {
                if c == '\\' {
                    let escaped = rest.chars().nth(1).map_or(0, char::len_utf8);
                    if escaped == 0 && quotes.len() == 1 {
                        return None;
                    }
                    rest = &rest[1 + escaped..];
                } else if let Some(after) = rest.strip_prefix(quotes) {
                    self.string = None;
                    rest = after;
                } else {
                    rest = &rest[c.len_utf8()..];
                }
                continue;
            }
            let quotes = ["\"\"\"", "'''", "\"", "'"];
            if let Some(quotes) = quotes.into_iter().find(|quotes| rest.starts_with(quotes)) {
                self.string = Some(quotes);
                rest = &rest[quotes.len()..];
                continue;
            }
            match c {
                '#' => break,
                '(' | '[' | '{' => self.brackets.push(c),
                ')' | ']' | '}' => {
                    let open = self.brackets.pop()?;
                    if !["()", "[]", "{}"].contains(&format!("{open}{c}").as_str()) {
                        return None;
                    }
                }
                '\\' if rest.len() == 1 => self.is_continued = true,
                _ => {}
            }
            rest = &rest[c.len_utf8()..];
        }
        self.string
            .is_none_or(|quotes| quotes.len() == 3)
            .then_some(())
    }
}

/// The definitions of a file, each name with its places.
fn definitions(text: &str) -> Vec<(String, bool)> {
    let blocks = read(text)
        .and_then(|root| root.children)
        .unwrap_or_default();
    let named = blocks.into_iter().filter_map(|block| {
        let name = block.key.split(' ').next()?.to_owned();
        let is_function = words(&block.text).any(|word| word == "def" || word == "class");
        (is_function || assigned(&block.text).is_some()).then_some((name, is_function))
    });
    named.collect()
}

/// Finds a function or class that is defined more often than on either side.
pub(in crate::merge) fn twice(versions: &Versions, text: &str) -> Option<String> {
    let count = |text: &str| {
        let mut count: BTreeMap<String, usize> = BTreeMap::new();
        for (name, is_function) in definitions(text) {
            *count.entry(name).or_default() += usize::from(is_function);
        }
        count
    };
    let sides = [versions.yours, versions.new].map(count);
    let of = |name: &str| sides.iter().filter_map(|side| side.get(name)).max();
    let mut merged = count(text).into_iter();
    let found = merged.find(|(name, times)| *times > of(name).copied().unwrap_or(0).max(1));
    found.map(|(name, _)| name)
}

/// Whether a merged file uses a name above its definition, and no version did: a module runs from top to bottom.
pub(super) fn is_misplaced(text: &str, versions: &Versions) -> bool {
    let known = [versions.yours, versions.new].map(misplaced);
    let mut merged = misplaced(text).into_iter();
    merged.any(|pair| known.iter().all(|known| !known.contains(&pair)))
}

/// Statements that use a name at once which is defined below them.
fn misplaced(text: &str) -> BTreeSet<(String, String)> {
    let blocks = read(text)
        .and_then(|root| root.children)
        .unwrap_or_default();
    let mut misplaced = BTreeSet::new();
    for (at, block) in blocks.iter().enumerate() {
        let is_later = |line: &&str| {
            let body = line.starts_with([' ', '\t']) && !line.trim_start().starts_with("class ");
            !(body && block.text.contains("def "))
        };
        let at_once = block.text.lines().filter(is_later).flat_map(words);
        for name in at_once {
            let is_here = |other: &Block| other.key == name && !other.key.contains(' ');
            if !blocks[..=at].iter().any(is_here) && blocks[at..].iter().any(is_here) {
                misplaced.insert((block.key.clone(), name.to_owned()));
            }
        }
    }
    misplaced
}
