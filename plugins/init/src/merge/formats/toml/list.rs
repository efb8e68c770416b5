//! Lists in TOML.

use toml::Value;

use super::super::super::blocks::{Block, number, order};
use super::super::requirement;
use super::{element, value_end};

/// Opens a statement whose value is a list with an element on each line; others stay as they are.
pub(super) fn opened(statement: Block, table: &str) -> Block {
    let is_open = statement
        .text
        .lines()
        .next()
        .is_some_and(|line| line.trim_end().ends_with('['));
    let elements = is_open.then(|| elements(&statement, table)).flatten();
    elements.unwrap_or(statement)
}

fn elements(statement: &Block, table: &str) -> Option<Block> {
    let has_requirements = ["[dependency-groups]", "[project.optional-dependencies]"]
        .contains(&table)
        || ["dependencies", "requires"].contains(&statement.key.as_str());
    let lines: Vec<&str> = statement.text.split_inclusive('\n').collect();
    let (first, rest) = lines.split_first()?;
    let (last, inner) = rest.split_last()?;
    let mut opened = Block {
        text: (*first).to_owned(),
        whole: Some(statement.text.clone()),
        ..statement.clone()
    };
    if last.trim() != "]" {
        return None;
    }
    let mut children: Vec<Block> = Vec::new();
    let mut lead = String::new();
    for (index, line) in inner.iter().enumerate() {
        if line.trim().is_empty() || line.trim_start().starts_with('#') {
            lead.push_str(line);
            continue;
        }
        let value = element(line)?;
        let end = value_end(line);
        let after = &line[end..];
        opened.is_closed = after.starts_with(',');
        let text = value.as_str().unwrap_or_default();
        let key = has_requirements.then(|| requirement::name(text)).flatten();
        children.push(Block {
            key: key.unwrap_or_else(|| line[..end].trim().to_owned()),
            lead: std::mem::take(&mut lead),
            text: format!(
                "{}{}",
                &line[..end],
                after.strip_prefix(',').unwrap_or(after)
            ),
            line: statement.line + index + 1,
            ..Block::default()
        });
    }
    number(&mut children);
    opened.children = Some(children);
    opened.end = lead + last;
    Some(opened)
}

/// Merges lists of texts, requirements by their names; `None` if one has anything else.
pub(super) fn merge(base: &[Value], yours: &[Value], new: &[Value]) -> Option<Vec<String>> {
    let blocks = |list: &[Value]| -> Option<Vec<Block>> {
        let texts = list.iter().map(|value| {
            let text = value.as_str()?.to_owned();
            // What has bounds or extras is a requirement.
            let is_requirement = text.contains(['<', '>', '=', '[', '~']);
            let name = is_requirement.then(|| requirement::name(&text)).flatten();
            let key = name.unwrap_or_else(|| text.clone());
            Some(Block {
                key,
                text,
                ..Block::default()
            })
        });
        let mut blocks: Vec<Block> = texts.collect::<Option<_>>()?;
        number(&mut blocks);
        Some(blocks)
    };
    let (base, yours, new) = (blocks(base)?, blocks(yours)?, blocks(new)?);
    let find = |blocks: &[Block], key: &str| {
        let found = blocks.iter().find(|block| block.key == key);
        found.map(|block| block.text.clone())
    };
    let mut merged = Vec::new();
    for key in order::of(&base, &yours, &new) {
        match (find(&base, key), find(&yours, key), find(&new, key)) {
            (None, Some(text), None) | (None, None, Some(text)) => merged.push(text),
            (base, Some(yours), Some(new)) => {
                let text = requirement::merge(&base.unwrap_or_default(), &yours, &new);
                merged.push(text?);
            }
            (Some(base), Some(yours), None) if base != yours => merged.push(yours),
            _ => {}
        }
    }
    Some(merged)
}

/// Writes a list in place of the one in a statement; `None` if there is a comment in it.
pub(super) fn written(statement: &str, list: &[String]) -> Option<String> {
    let (key, value) = statement.split_once('=')?;
    if value.contains('#') {
        return None;
    }
    let texts = list
        .iter()
        .map(|text| Value::from(text.as_str()).to_string());
    let value = if value.trim_end().contains('\n') {
        let lines: Vec<String> = texts.map(|text| format!("    {text},\n")).collect();
        format!("[\n{}]\n", lines.concat())
    } else {
        format!("[{}]\n", texts.collect::<Vec<_>>().join(", "))
    };
    Some(format!("{key}= {value}"))
}
