//! TOML by its tables and keys; lists with an element on each line by these elements, requirements by their names.

mod list;

use ::toml::{Table, Value};

use super::super::blocks::{Block, Format, number};
use super::super::{Part, Versions};
use super::leads::Leads;
use super::requirement;

pub(super) struct Toml;

impl Format for Toml {
    fn is_same(&self, one: &str, other: &str) -> bool {
        match (value(one), value(other)) {
            (Some(one), Some(other)) => one == other,
            _ => one == other,
        }
    }

    fn both(&self, _: &str, versions: &Versions) -> Option<String> {
        let Versions { base, yours, new } = *versions;
        if self.is_same(base, yours) {
            // A comment of the user's stays where it is.
            let [old, value] =
                [base, new].map(|text| text.split_once('=').map(|(_, value)| value.trim()));
            return match (old, value) {
                _ if !yours.contains('#') => Some(new.to_owned()),
                (Some(old), Some(value)) if yours.matches(old).count() == 1 => {
                    Some(yours.replacen(old, value, 1))
                }
                _ => None,
            };
        }
        let [of_base, of_yours, of_new] = [base, yours, new].map(value);
        match (of_yours?, of_new?) {
            (Value::String(text), Value::String(new)) => {
                let base = of_base.as_ref().and_then(Value::as_str).unwrap_or_default();
                let merged = requirement::merge(base, &text, &new)?;
                (requirement::name(&text) == requirement::name(&new) && is_element(yours))
                    .then(|| yours.replacen(&text, &merged, 1))
            }
            (Value::Array(text), Value::Array(new)) => {
                let base = of_base.as_ref().and_then(Value::as_array);
                list::merge(base.map_or(&[][..], Vec::as_slice), &text, &new)
                    .and_then(|merged| list::written(yours, &merged))
            }
            _ => None,
        }
    }

    fn is_yours(&self) -> bool {
        false
    }

    fn join(&self, parent: &Block, children: &mut [Vec<Part>]) {
        if !parent.text.trim_end().ends_with('[') || parent.end.is_empty() {
            return;
        }
        let count = children.len();
        for (index, child) in children.iter_mut().enumerate() {
            if index + 1 == count && !parent.is_closed {
                continue;
            }
            if let Some(part) = child.last_mut() {
                part.each_text(add_comma);
            }
        }
    }

    fn fitted(&self, block: &Block, beside: &[Block]) -> Block {
        let mut block = block.clone();
        let indentation = |text: &str| text.len() - text.trim_start().len();
        if let Some(first) = beside.first()
            && is_element(&block.text)
            && is_element(&first.text)
        {
            let indentation = &first.text[..indentation(&first.text)];
            block.text = format!("{indentation}{}", block.text.trim_start());
        }
        block
    }
}

/// The value of a statement or an element.
fn value(text: &str) -> Option<Value> {
    if is_element(text) {
        return element(text);
    }
    let mut table: Table = text.parse().ok()?;
    let only = table.keys().next().cloned();
    match only {
        Some(key) if table.len() == 1 => table.remove(&key),
        _ => (!table.is_empty()).then_some(Value::Table(table)),
    }
}

fn is_element(text: &str) -> bool {
    text.trim_start().starts_with(['"', '\'']) && element(text).is_some()
}

fn element(text: &str) -> Option<Value> {
    let mut table: Table = format!("x = [\n{text}\n]").parse().ok()?;
    match table.remove("x") {
        Some(Value::Array(mut list)) if list.len() == 1 => list.pop(),
        _ => None,
    }
}

/// Puts a comma behind the element in the last line.
fn add_comma(text: &mut String) {
    let start = text.trim_end().rfind('\n').map_or(0, |end| end + 1);
    let end = start + value_end(&text[start..]);
    if end > start {
        text.insert(end, ',');
    }
}

/// Where the element of a line ends: before the comma behind it, a comment or white space.
fn value_end(line: &str) -> usize {
    let mut end = 0;
    let mut depth = 0_usize;
    let mut quote = None;
    let mut is_escaped = false;
    for (at, c) in line.char_indices() {
        let is_first = !std::mem::take(&mut is_escaped);
        match (quote, c) {
            (Some('"'), '\\') if is_first => is_escaped = true,
            (Some(open), _) => {
                if c == open && is_first {
                    quote = None;
                }
            }
            (None, '"' | '\'') => quote = Some(c),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth = depth.saturating_sub(1),
            (None, '#') => break,
            (None, ',') if depth == 0 => break,
            (None, _) => {}
        }
        if !c.is_whitespace() {
            end = at + c.len_utf8();
        }
    }
    end
}

pub(super) fn read(text: &str) -> Option<Block> {
    text.parse::<Table>().ok()?;
    // Statements above the first table are of none.
    let mut tables = vec![Block::default()];
    let mut leads = Leads::default();
    let mut lines = text.split_inclusive('\n').enumerate();
    while let Some((index, line)) = lines.next() {
        let content = line.trim();
        let start = content.chars().next();
        if start == Some('[') {
            let key = content.split('#').next().unwrap_or_default().trim();
            tables.push(Block {
                key: key.to_owned(),
                lead: leads.take(key),
                text: line.to_owned(),
                line: index + 1,
                ..Block::default()
            });
            continue;
        }
        let table = tables.last_mut()?;
        let inside = table.children.get_or_insert_default();
        if start.is_none_or(|start| start == '#') {
            inside.extend(leads.push(line, index + 1));
            continue;
        }
        let mut text = line.to_owned();
        while text.parse::<Table>().is_err() {
            text.push_str(lines.next()?.1);
        }
        let key = content.split('=').next().unwrap_or_default().trim();
        let statement = Block {
            key: key.to_owned(),
            lead: leads.take(key),
            text,
            line: index + 1,
            ..Block::default()
        };
        inside.push(list::opened(statement, &table.key));
    }
    let inside = tables.last_mut()?.children.get_or_insert_default();
    inside.extend(leads.finish());
    for table in &mut tables {
        number(table.children.get_or_insert_default());
    }
    let mut blocks = tables.remove(0).children.unwrap_or_default();
    blocks.extend(tables);
    number(&mut blocks);
    Some(Block {
        children: Some(blocks),
        ..Block::default()
    })
}
