//! The items of a Python file: its statements, and the entries of calls, lists and dictionaries, by whole lines.

use std::ops::Range;

use tree_sitter::Node;

use super::source::Source;

/// A statement or an entry with the comments above it.
#[derive(Debug, Clone)]
pub(super) struct Item<'s> {
    /// The name of what it defines or sets; its words if it has none.
    pub key: String,
    pub kind: Kind,
    pub node: Node<'s>,
    /// The empty lines and comments above.
    pub lead: Range<usize>,
    pub core: Range<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Import,
    Function,
    /// A class, a variable, a keyword argument, an entry of a dictionary.
    Named,
    Other,
}

impl Item<'_> {
    pub fn rows(&self) -> Range<usize> {
        self.lead.start..self.core.end
    }
}

/// The items of a module, a body or a container.
#[derive(Debug, Clone)]
pub(super) struct Block<'s> {
    pub items: Vec<Item<'s>>,
    /// The empty lines and comments below the last.
    pub tail: Range<usize>,
}

/// Whether the order of items matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Matters,
    Free,
}

/// An item that consists of items.
#[derive(Debug, Clone)]
pub(super) struct Compound<'s> {
    pub head: Range<usize>,
    pub block: Block<'s>,
    pub foot: Range<usize>,
    pub order: Order,
    pub kind: CompoundKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CompoundKind {
    /// A function, class or other statement with a body.
    Body,
    /// A call, list or dictionary.
    Container { all_end_with_comma: bool },
}

/// Returns the statements of the file.
pub(super) fn module<'s>(source: &'s Source) -> Option<Block<'s>> {
    block(
        source,
        source.tree.root_node(),
        0..source.line_count(),
        key_in_module,
    )
}

/// Returns the parts of an item.
pub(super) fn compound<'s>(source: &'s Source, item: &Item<'s>) -> Option<Compound<'s>> {
    body(source, item).or_else(|| container(source, item))
}

fn body<'s>(source: &'s Source, item: &Item<'s>) -> Option<Compound<'s>> {
    let definition = match item.node.kind() {
        "decorated_definition" => item.node.child_by_field_name("definition")?,
        _ => item.node,
    };
    let body = definition
        .child_by_field_name("body")
        .or_else(|| definition.child_by_field_name("consequence"))?;
    let is_last = definition.child(last_of(definition)?) == Some(body);
    if body.kind() != "block" || !is_last {
        return None;
    }
    let colon = body.prev_sibling()?;
    let colon = std::iter::successors(Some(colon), Node::prev_sibling)
        .find(|node| node.kind() != "comment")?;
    let start = colon.end_position().row + 1;
    let is_class = definition.kind() == "class_definition";
    Some(Compound {
        head: item.core.start..start,
        block: block(source, body, start..item.core.end, key_in_body)?,
        foot: item.core.end..item.core.end,
        order: if is_class {
            Order::Free
        } else {
            Order::Matters
        },
        kind: CompoundKind::Body,
    })
}

/// Splits the nodes in these rows; `None` if two share a row.
fn block<'s>(
    source: &'s Source,
    node: Node<'s>,
    rows: Range<usize>,
    key: impl Fn(&Source, Node, usize) -> (Kind, String),
) -> Option<Block<'s>> {
    let mut items: Vec<Item> = Vec::new();
    let mut end = rows.start;
    let mut cursor = node.walk();
    let nodes: Vec<Node> = node
        .named_children(&mut cursor)
        .filter(|node| node.kind() != "comment")
        .collect();
    for (number, node) in nodes.iter().enumerate() {
        let at = node.start_position();
        if at.row < end || !source.begins_its_row(*node) {
            return None;
        }
        let next = nodes.get(number + 1);
        let limit = next.map_or(rows.end, |next| next.start_position().row);
        let last = source.end_of_code(&(at.row..limit.min(node.end_position().row + 1)));
        let core = at.row..source.end_of_deeper(&(last..limit), at.column);
        let (kind, key) = key(source, *node, number);
        items.push(Item {
            key,
            kind,
            node: *node,
            lead: end..at.row,
            core: core.clone(),
        });
        end = core.end;
    }
    (end <= rows.end).then_some(Block {
        items,
        tail: end..rows.end,
    })
}

fn key_in_module(source: &Source, node: Node, number: usize) -> (Kind, String) {
    match node.kind() {
        "import_statement" | "import_from_statement" | "future_import_statement" => {
            return (Kind::Import, format!("import {number}"));
        }
        "expression_statement" => {}
        _ => return key_in_body(source, node, number),
    }
    // Calls such as `load_dotenv()` and `required("KEY")`.
    if let Some(call) = node.named_child(0)
        && call.kind() == "call"
        && let Some(function) = call.child_by_field_name("function")
        && let Some(arguments) = call.child_by_field_name("arguments")
    {
        let first = arguments.named_child(0);
        let first = first.filter(|first| first.kind() == "string");
        let first = first.map_or("", |first| source.text_of(first));
        return (
            Kind::Other,
            format!("{}({first})", source.text_of(function)),
        );
    }
    key_in_body(source, node, number)
}

fn key_in_body(source: &Source, node: Node, number: usize) -> (Kind, String) {
    let field = |node: Node, name: &str| {
        node.child_by_field_name(name)
            .map_or_else(String::new, |node| source.words(node))
    };
    match node.kind() {
        "decorated_definition" => match node.child_by_field_name("definition") {
            Some(definition) => key_in_body(source, definition, number),
            None => (Kind::Other, source.words(node)),
        },
        "function_definition" => (Kind::Function, field(node, "name")),
        "class_definition" => (Kind::Named, field(node, "name")),
        "expression_statement" => match node.named_child(0) {
            Some(assignment) if assignment.kind() == "assignment" => {
                (Kind::Named, field(assignment, "left"))
            }
            Some(text) if text.kind() == "string" && number == 0 => {
                (Kind::Named, "docstring".to_owned())
            }
            _ => (Kind::Other, source.words(node)),
        },
        "return_statement" => (Kind::Other, "return".to_owned()),
        "if_statement" => (Kind::Other, format!("if {}", field(node, "condition"))),
        "for_statement" => (Kind::Other, format!("for {}", field(node, "left"))),
        "with_statement" => {
            let clause = node.named_child(0).map(|clause| source.words(clause));
            (Kind::Other, format!("with {}", clause.unwrap_or_default()))
        }
        "try_statement" => (Kind::Other, format!("try {}", field(node, "body"))),
        _ => (Kind::Other, source.words(node)),
    }
}

/// The outermost call, list or dictionary that is the value of an item.
fn container_node(item: Node) -> Option<Node> {
    let mut node = item;
    loop {
        node = match node.kind() {
            "argument_list" | "list" | "dictionary" | "set" => return Some(node),
            "expression_statement" | "return_statement" | "await" => node.named_child(0)?,
            "assignment" => node.child_by_field_name("right")?,
            "call" => node.child_by_field_name("arguments")?,
            "keyword_argument" | "pair" => node.child_by_field_name("value")?,
            "lambda" => node.child_by_field_name("body")?,
            _ => return None,
        };
    }
}

fn container<'s>(source: &'s Source, item: &Item<'s>) -> Option<Compound<'s>> {
    let node = container_node(item.node)?;
    let (open, close) = (node.start_position().row, node.end_position().row);
    if open == close || !source.begins_its_row(node.child(last_of(node)?)?) {
        return None;
    }
    let block = block(source, node, open + 1..close, key_of_entry)?;
    let ends_with_comma = |item: &Item| {
        let after = std::iter::successors(item.node.next_sibling(), Node::next_sibling)
            .find(|node| node.kind() != "comment");
        after.is_some_and(|after| after.kind() == ",")
    };
    let is_keyed = |item: &Item| item.kind == Kind::Named;
    let order = if node.kind() != "list" && block.items.iter().all(is_keyed) {
        Order::Free
    } else {
        Order::Matters
    };
    Some(Compound {
        head: item.core.start..open + 1,
        foot: close..item.core.end,
        order,
        kind: CompoundKind::Container {
            all_end_with_comma: block.items.iter().all(ends_with_comma),
        },
        block,
    })
}

fn last_of(node: Node) -> Option<u32> {
    node.child_count().checked_sub(1)
}

fn key_of_entry(source: &Source, node: Node, number: usize) -> (Kind, String) {
    let key = match node.kind() {
        // What is in it may change: `Pipeline([…])`.
        "list" | "dictionary" | "set" => return (Kind::Other, format!("[{number}]")),
        "keyword_argument" => node.child_by_field_name("name"),
        "pair" => node.child_by_field_name("key"),
        _ => None,
    };
    match key {
        Some(key) => (Kind::Named, source.words(key)),
        None => (Kind::Other, source.words(node)),
    }
}
