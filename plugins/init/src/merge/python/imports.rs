//! Merges the import statements of a module as a set of names.

use std::collections::{BTreeMap, BTreeSet};

use bot_cli_templates::Imports;
use tree_sitter::Node;

use super::super::{Conflict, Part};
use super::declarations::{BASE, NEW, YOURS};
use super::items::{Block, Item, Kind};
use super::source::Source;

/// The longest line into which a statement is written.
const WIDTH: usize = 88;

/// The import statements of the user's module that change.
#[derive(Debug, Default)]
pub(super) struct ImportEdits {
    /// What takes the place of an item, by its number.
    pub items: BTreeMap<usize, Vec<Part>>,
    /// Statements for a module that has none.
    pub at_start: String,
}

impl ImportEdits {
    /// Takes every import statement away.
    pub fn without(yours: &Block) -> Self {
        let imports = yours.items.iter().enumerate();
        let imports = imports.filter(|(_, item)| item.kind == Kind::Import);
        Self {
            items: imports.map(|(number, _)| (number, Vec::new())).collect(),
            at_start: String::new(),
        }
    }
}

/// A name that is imported.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    module: String,
    /// `None` if the module itself is imported.
    name: Option<String>,
    alias: Option<String>,
}

impl Entry {
    /// The name that it has in the file.
    fn binding(&self) -> &str {
        let first = || self.module.split('.').next().unwrap_or_default();
        let name = self.alias.as_deref().or(self.name.as_deref());
        name.unwrap_or_else(first)
    }

    /// Its text within a statement.
    fn text(&self) -> String {
        let name = self.name.as_deref().unwrap_or(&self.module);
        match &self.alias {
            Some(alias) => format!("{name} as {alias}"),
            None => name.to_owned(),
        }
    }

    fn is_own(&self) -> bool {
        let top = self.module.split('.').next().unwrap_or_default();
        Imports::get().own.iter().any(|own| own == top)
    }
}

/// An import statement.
struct Statement<'s> {
    /// The place of its item.
    number: usize,
    item: &'s Item<'s>,
    entries: Vec<Entry>,
    /// The statements without an empty line between them.
    group: usize,
}

impl Statement<'_> {
    /// Its beginning: statements with the same can take each other's names.
    fn head(&self) -> String {
        match self.entries.first() {
            Some(Entry {
                module,
                name: Some(_),
                ..
            }) => format!("from {module} import "),
            Some(entry) => format!("import {}", entry.text()),
            None => String::new(),
        }
    }
}

fn statements<'s>(source: &Source, module: &'s Block<'s>) -> Vec<Statement<'s>> {
    let mut group = 0;
    let items = module.items.iter().enumerate();
    let imports = items.filter(|(_, item)| item.kind == Kind::Import);
    imports
        .map(|(number, item)| {
            if source.blank_rows(&item.lead) > 0 {
                group += 1;
            }
            Statement {
                number,
                item,
                entries: entries(source, item.node),
                group,
            }
        })
        .collect()
}

fn entries(source: &Source, node: Node) -> Vec<Entry> {
    let text = |node: Node| source.text_of(node).to_owned();
    let module = match node.kind() {
        "future_import_statement" => Some("__future__".to_owned()),
        _ => node.child_by_field_name("module_name").map(text),
    };
    let entry = |name: String, alias: Option<String>| match &module {
        Some(module) => Entry {
            module: module.clone(),
            name: Some(name),
            alias,
        },
        None => Entry {
            module: name,
            name: None,
            alias,
        },
    };
    let mut cursor = node.walk();
    let mut entries: Vec<Entry> = node
        .children_by_field_name("name", &mut cursor)
        .map(|name| {
            let alias = name.child_by_field_name("alias").map(text);
            entry(
                text(name.child_by_field_name("name").unwrap_or(name)),
                alias,
            )
        })
        .collect();
    if entries.is_empty() {
        entries.push(entry("*".to_owned(), None));
    }
    entries
}

/// Returns the names that the module's import statements bind.
pub(super) fn bindings(source: &Source, module: &Block) -> BTreeSet<String> {
    let statements = statements(source, module);
    let entries = statements.iter().flat_map(|statement| &statement.entries);
    entries.map(|entry| entry.binding().to_owned()).collect()
}

/// Returns the edits that give the user's module the names of the new version, as far as `used` asks for them.
pub(super) fn edits(
    sources: &[Source; 3],
    modules: &[Block; 3],
    used: &BTreeSet<String>,
) -> ImportEdits {
    let [base, yours, new] =
        [BASE, YOURS, NEW].map(|side| statements(&sources[side], &modules[side]));
    let set = |statements: &[Statement]| -> BTreeSet<Entry> {
        statements
            .iter()
            .flat_map(|it| it.entries.clone())
            .collect()
    };
    let (of_base, of_yours, of_new) = (set(&base), set(&yours), set(&new));
    let is_rebound = |entry: &Entry| of_new.iter().any(|new| new.binding() == entry.binding());
    let is_mentioned = |name: &str| {
        used.contains(name) || sources[YOURS].strings_with(name) > sources[BASE].strings_with(name)
    };
    let is_unused = |entry: &Entry| !is_mentioned(entry.binding()) || is_rebound(entry);
    let is_gone = |entry: &Entry| of_base.contains(entry) && !of_new.contains(entry);
    let is_dropped = |entry: &Entry| is_gone(entry) && is_unused(entry);

    let mut plans: Vec<Plan> = yours.iter().map(|_| Plan::default()).collect();
    let mut at_start = String::new();
    for (plan, statement) in plans.iter_mut().zip(&yours) {
        let head = statement.head();
        plan.new = new.iter().position(|it| it.head() == head);
        plan.dropped = statement
            .entries
            .iter()
            .filter(|entry| is_dropped(entry))
            .cloned()
            .collect();
        // The file that it is from is no longer generated.
        plan.is_conflict = statement
            .entries
            .iter()
            .any(|entry| is_gone(entry) && !is_dropped(entry) && entry.is_own());
    }
    let is_defined = |name: &str| {
        let mut items = modules[YOURS].items.iter();
        items.any(|item| item.kind != Kind::Import && item.kind != Kind::Other && item.key == name)
    };
    for (number, statement) in new.iter().enumerate() {
        let mut added = Vec::new();
        for entry in &statement.entries {
            let other = yours.iter().position(|it| {
                let mut left = it.entries.iter().filter(|entry| !is_dropped(entry));
                left.any(|other| other.binding() == entry.binding())
            });
            let is_taken = other.is_some() || is_defined(entry.binding());
            let all = Entry {
                name: Some("*".to_owned()),
                alias: None,
                ..entry.clone()
            };
            if of_yours.contains(entry)
                || of_yours.contains(&all)
                || !used.contains(entry.binding())
                || is_taken && of_base.contains(entry)
            {
                continue;
            }
            // Another thing of the user's has the name.
            match other {
                Some(other) => plans[other].clashes.push(entry.clone()),
                None => added.push(entry.clone()),
            }
        }
        if added.is_empty() {
            continue;
        }
        let head = statement.head();
        let has_names = statement
            .entries
            .iter()
            .all(|entry| entry.name.as_deref().is_some_and(|name| name != "*"));
        let same = yours.iter().position(|it| {
            it.head() == head
                && has_names
                && it.entries.iter().all(|it| it.name.as_deref() != Some("*"))
        });
        if let Some(same) = same {
            plans[same].added.extend(added);
            continue;
        }
        let text = if added == statement.entries {
            sources[NEW].rows(&statement.item.core).to_owned()
        } else {
            rendered(&head, &added.iter().map(Entry::text).collect::<Vec<_>>())
        };
        place(&yours, &new, number, text, &mut plans, &mut at_start);
    }
    let mut edits = ImportEdits {
        items: BTreeMap::new(),
        at_start,
    };
    let mut blank = 0;
    for (plan, statement) in plans.iter().zip(&yours) {
        let new = plan.new.and_then(|number| new.get(number));
        let own_blank = sources[YOURS].blank_rows(&statement.item.lead);
        let lacks = blank > own_blank;
        if plan.is_empty() && !lacks {
            blank = 0;
            continue;
        }
        let writer = Writer {
            sources,
            statement,
            new,
            plan,
        };
        let (parts, is_left) = writer.parts(if lacks { blank } else { own_blank });
        blank = if is_left { 0 } else { blank.max(own_blank) };
        edits.items.insert(statement.number, parts);
    }
    edits
}

/// The changes of a statement and its surroundings.
#[derive(Default)]
struct Plan {
    dropped: Vec<Entry>,
    added: Vec<Entry>,
    /// The place of the new version's statement for the same module.
    new: Option<usize>,
    clashes: Vec<Entry>,
    is_conflict: bool,
    before: Vec<String>,
    after: Vec<String>,
}

impl Plan {
    fn is_empty(&self) -> bool {
        let edits = [&self.dropped, &self.added, &self.clashes];
        let around = [&self.before, &self.after];
        edits.iter().all(|it| it.is_empty())
            && around.iter().all(|it| it.is_empty())
            && !self.is_conflict
    }
}

/// Puts a new statement beside one of its neighbours in the new version.
fn place(
    yours: &[Statement],
    new: &[Statement],
    number: usize,
    text: String,
    plans: &mut [Plan],
    at_start: &mut String,
) {
    let group = new.get(number).map(|it| it.group);
    let find = |other: &Statement| {
        let head = other.head();
        yours.iter().position(|it| it.head() == head)
    };
    let is_near = |it: &&Statement| Some(it.group) == group;
    let earlier = new.get(..number).unwrap_or_default();
    let later = new.get(number + 1..).unwrap_or_default();
    if let Some(mut at) = earlier.iter().rev().filter(is_near).find_map(find) {
        // The user's block is in alphabetical order as well, as far as it goes.
        let head = new.get(number).map(Statement::head);
        let is_next =
            |one: &Statement, next: &Statement| one.group == next.group && Some(next.head()) < head;
        while let (Some(one), Some(next)) = (yours.get(at), yours.get(at + 1))
            && is_next(one, next)
        {
            at += 1;
        }
        plans[at].after.push(text);
    } else if let Some(at) = later.iter().filter(is_near).find_map(find) {
        plans[at].before.push(text);
    } else if let Some(at) = earlier.iter().rev().find_map(find) {
        plans[at].after.push(format!("\n{text}"));
    } else if let Some(at) = later.iter().find_map(find) {
        plans[at].before.push(format!("{text}\n"));
    } else {
        at_start.push_str(&text);
    }
}

struct Writer<'w, 's> {
    sources: &'w [Source<'s>; 3],
    statement: &'w Statement<'w>,
    new: Option<&'w Statement<'w>>,
    plan: &'w Plan,
}

impl Writer<'_, '_> {
    /// Returns what takes the place of the statement, and whether something of it is left.
    fn parts(&self, blank: usize) -> (Vec<Part>, bool) {
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

fn rendered(head: &str, names: &[String]) -> String {
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
