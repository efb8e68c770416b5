//! Merges the import statements of a module as a set of names.

mod writer;

use std::collections::{BTreeMap, BTreeSet};

use bot_cli_templates::Imports;
use tree_sitter::Node;

use self::writer::{Writer, rendered};
use super::super::Part;
use super::items::{Block, Item, Kind};
use super::source::{BASE, NEW, Source, YOURS};

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
    let statements = [BASE, YOURS, NEW].map(|side| statements(&sources[side], &modules[side]));
    let (plans, at_start) = plans(sources, &modules[YOURS], &statements, used);
    let [_, yours, new] = &statements;
    let mut edits = ImportEdits {
        items: BTreeMap::new(),
        at_start,
    };
    let mut blank = 0;
    for (plan, statement) in plans.iter().zip(yours) {
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

/// Returns the changes of the user's statements, in their order, and statements that have no neighbour.
fn plans(
    sources: &[Source; 3],
    module: &Block,
    [base, yours, new]: &[Vec<Statement>; 3],
    used: &BTreeSet<String>,
) -> (Vec<Plan>, String) {
    let set = |statements: &[Statement]| -> BTreeSet<Entry> {
        statements
            .iter()
            .flat_map(|it| it.entries.clone())
            .collect()
    };
    let (of_base, of_yours, of_new) = (set(base), set(yours), set(new));
    let is_rebound = |entry: &Entry| of_new.iter().any(|new| new.binding() == entry.binding());
    let is_mentioned = |name: &str| {
        used.contains(name) || sources[YOURS].strings_with(name) > sources[BASE].strings_with(name)
    };
    let is_unused = |entry: &Entry| !is_mentioned(entry.binding()) || is_rebound(entry);
    let is_gone = |entry: &Entry| of_base.contains(entry) && !of_new.contains(entry);
    let is_dropped = |entry: &Entry| is_gone(entry) && is_unused(entry);

    let mut plans: Vec<Plan> = yours.iter().map(|_| Plan::default()).collect();
    let mut at_start = String::new();
    for (plan, statement) in plans.iter_mut().zip(yours) {
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
        let mut items = module.items.iter();
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
        place(yours, new, number, text, &mut plans, &mut at_start);
    }
    (plans, at_start)
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
