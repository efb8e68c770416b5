//! Writes import statements.

use tree_sitter::Node;

use super::super::super::{Conflict, Part};
use super::super::source::{NEW, Source, YOURS};
use super::{Entry, Plan, Statement};

/// The longest line into which a statement is written.
const WIDTH: usize = 88;

/// An import statement that changes, with what changes.
pub(super) struct Writer<'w, 's> {
    pub sources: &'w [Source<'s>; 3],
    pub statement: &'w Statement<'w>,
    pub new: Option<&'w Statement<'w>>,
    pub plan: &'w Plan,
}

impl Writer<'_, '_> {
    /// Returns what takes the place of the statement, and whether something of it is left.
    pub fn parts(&self, blank: usize) -> (Vec<Part>, bool) {
        let Plan { before, after, .. } = self.plan;
        let yours = &self.sources[YOURS];
        let item = self.statement.item;
        let own_blank = yours.blank_rows(&item.lead);
        let comments = yours.rows(&(item.lead.start + own_blank..item.lead.end));
        let mut text = "\n".repeat(blank) + &before.concat() + comments;
        let statement = self.statement();
        let is_left = statement.as_ref().is_none_or(|it| !it.is_empty())
            || !before.is_empty()
            || !after.is_empty()
            || !comments.is_empty();
        let mut parts = Vec::new();
        if let Some(statement) = statement {
            text.push_str(&statement);
            text.push_str(&after.concat());
            if is_left {
                parts.push(Part::Text(text));
            }
        } else {
            parts.push(Part::Text(text));
            parts.push(Part::Conflict(self.conflict()));
            parts.push(Part::Text(after.concat()));
        }
        parts.retain(|part| *part != Part::Text(String::new()));
        (parts, is_left)
    }

    fn conflict(&self) -> Conflict {
        let head = self.statement.head();
        let of = |entries: &[Entry]| {
            let names: Vec<String> = entries.iter().map(Entry::text).collect();
            if names.is_empty() {
                String::new()
            } else {
                rendered(&head, &names)
            }
        };
        let Plan {
            dropped,
            added,
            clashes,
            ..
        } = self.plan;
        let gone: Vec<Entry> = self
            .statement
            .entries
            .iter()
            .filter(|entry| self.plan.is_conflict && !dropped.contains(entry))
            .cloned()
            .collect();
        let clashing: Vec<String> = clashes
            .iter()
            .map(|entry| match &entry.name {
                Some(_) => rendered(&format!("from {} import ", entry.module), &[entry.text()]),
                None => format!("import {}\n", entry.text()),
            })
            .collect();
        Conflict {
            declaration: Some("import".to_owned()),
            line: self.statement.item.core.start + 1,
            base: of(&[dropped.clone(), gone].concat()),
            yours: self.sources[YOURS]
                .rows(&self.statement.item.core)
                .to_owned(),
            new: of(added) + &clashing.concat(),
        }
    }

    /// Returns the statement as it is then; `None` if it is in conflict.
    fn statement(&self) -> Option<String> {
        let Plan {
            dropped,
            added,
            clashes,
            is_conflict,
            ..
        } = self.plan;
        let yours = &self.sources[YOURS];
        let rows = &self.statement.item.core;
        if *is_conflict || !clashes.is_empty() {
            return None;
        }
        if dropped.is_empty() && added.is_empty() {
            return Some(yours.rows(rows).to_owned());
        }
        if yours.has_comment(rows) {
            return self.by_rows();
        }
        let mut left: Vec<Entry> = self
            .statement
            .entries
            .iter()
            .filter(|entry| !dropped.contains(entry))
            .cloned()
            .collect();
        let order = self
            .new
            .map(|new| new.entries.as_slice())
            .unwrap_or_default();
        for entry in added {
            left.insert(place_of(entry, order, &left), entry.clone());
        }
        if left.is_empty() {
            return Some(String::new());
        }
        // The statement of the new version, formatted as it is generated.
        if let Some(new) = self.new
            && new.entries == left
        {
            return Some(self.sources[NEW].rows(&new.item.core).to_owned());
        }
        let names: Vec<String> = left.iter().map(Entry::text).collect();
        let head = self.statement.head();
        if names.len() > 1 && rows.len() > names.len() {
            return Some(in_rows(&head, &names));
        }
        Some(match left.first() {
            Some(Entry { name: None, .. }) => format!("import {}\n", names.join(", ")),
            _ => rendered(&head, &names),
        })
    }

    /// Adds names to a statement that has each in a row of its own, and comments beside them.
    fn by_rows(&self) -> Option<String> {
        let yours = &self.sources[YOURS];
        let item = self.statement.item;
        let mut cursor = item.node.walk();
        let names: Vec<Node> = item
            .node
            .children_by_field_name("name", &mut cursor)
            .collect();
        let has_rows = names.iter().all(|name| {
            yours.begins_its_row(*name) && name.start_position().row == name.end_position().row
        });
        if !has_rows || names.len() != self.statement.entries.len() {
            return None;
        }
        let order = self
            .new
            .map(|new| new.entries.as_slice())
            .unwrap_or_default();
        let mut text = String::new();
        let mut row = item.core.start;
        let first = names.first()?.start_position();
        let indent = " ".repeat(first.column);
        let places: Vec<usize> = self
            .plan
            .added
            .iter()
            .map(|entry| place_of(entry, order, &self.statement.entries))
            .collect();
        for number in 0..=names.len() {
            let at = match names.get(number) {
                Some(name) => name.start_position().row,
                None => names.last()?.end_position().row + 1,
            };
            text.push_str(yours.rows(&(row..at)));
            row = at;
            for (entry, place) in self.plan.added.iter().zip(&places) {
                if *place == number {
                    if number > 0 && !text.contains(',') {
                        return None;
                    }
                    text.extend([&indent, &entry.text(), ",\n"].map(String::from));
                }
            }
            if self
                .statement
                .entries
                .get(number)
                .is_some_and(|entry| self.plan.dropped.contains(entry))
            {
                if yours.has_comment(&(at..at + 1)) {
                    return None;
                }
                row = at + 1;
            }
        }
        let left = self.statement.entries.len() + self.plan.added.len() > self.plan.dropped.len();
        text.push_str(yours.rows(&(row..item.core.end)));
        left.then_some(text)
    }
}

/// The place of a name: behind the one that it follows in the new version.
fn place_of(entry: &Entry, order: &[Entry], among: &[Entry]) -> usize {
    let earlier = order.iter().take_while(|it| *it != entry);
    let places = earlier.filter_map(|it| among.iter().position(|other| other == it));
    places.last().map_or(0, |at| at + 1)
}

pub(super) fn rendered(head: &str, names: &[String]) -> String {
    let line = format!("{head}{}\n", names.join(", "));
    if line.len() <= WIDTH + 1 {
        line
    } else {
        in_rows(head, names)
    }
}

fn in_rows(head: &str, names: &[String]) -> String {
    format!("{head}(\n    {},\n)\n", names.join(",\n    "))
}
