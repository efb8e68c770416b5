//! Python code as a tree: what it does follows from the kinds of its nodes and its names.

use bot_cli_init::Config;
use bot_cli_templates::pack::{Arg, Literal};
use tree_sitter::{Node, Parser, Tree};

/// Returns where the code does something else than its twin.
pub(super) fn difference(code: &str, twin: &str) -> Option<String> {
    let (Some(tree), Some(twin_tree)) = (parse(code), parse(twin)) else {
        return Some("can't be parsed".to_owned());
    };
    let (found, expected) = (
        outline(tree.root_node(), code),
        outline(twin_tree.root_node(), twin),
    );
    let at = (0..found.len().max(expected.len())).find(|at| found.get(*at) != expected.get(*at))?;
    Some(format!(
        "node {at} is {:?}, not {:?}",
        found.get(at),
        expected.get(at)
    ))
}

/// A text that the services have as a value and the code does not have as a literal.
pub(super) fn missing_text(code: &str, config: &Config) -> Option<String> {
    let tree = parse(code)?;
    let mut literals = Vec::new();
    walk(tree.root_node(), &mut |node| {
        if node.kind() == "string" {
            literals.push(unescaped(code.get(node.byte_range()).unwrap_or_default()));
        }
    });
    let mut texts = Vec::new();
    for arg in arguments(config) {
        if let (Some(default), "Str" | "Choice") =
            (&arg.default, format!("{:?}", arg.r#type).as_str())
        {
            texts.push(default.clone());
        }
        if let Some(value) = &arg.value {
            collect(value, &mut texts);
        }
    }
    texts
        .into_iter()
        .find(|text| !literals.contains(text))
        .map(|text| format!("no literal is {text:?}"))
}

/// The arguments of the services of packs, those of calls included.
pub(super) fn arguments<'c>(config: &Config<'c>) -> Vec<&'c Arg> {
    fn add<'c>(args: &'c [Arg], found: &mut Vec<&'c Arg>) {
        for arg in args {
            found.push(arg);
            add(&arg.args, found);
        }
    }
    let mut found = Vec::new();
    for service in config.services() {
        if config.catalogue.pack_of(service).is_some() {
            add(&service.args, &mut found);
        }
    }
    found
}

fn collect(value: &Literal, texts: &mut Vec<String>) {
    match value {
        Literal::Text(text) => texts.push(text.clone()),
        Literal::List(items) => items.iter().for_each(|item| collect(item, texts)),
        Literal::Boolean(_) | Literal::Integer(_) | Literal::Float(_) => {}
    }
}

fn parse(code: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter_python::LANGUAGE.into())
        .ok()?;
    parser.parse(code, None)
}

/// The nodes in order: kind, depth, and the text of all but strings and comments. Parentheses that only break a line are
/// left out.
fn outline(root: Node, code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![(root, 0)];
    while let Some((node, depth)) = open.pop() {
        let kind = node.kind();
        let mut inside = depth + 1;
        if kind == "parenthesized_expression" {
            inside = depth;
        } else if node.is_error() || node.is_missing() {
            found.push(format!("{depth} broken"));
        } else {
            let text = code.get(node.byte_range()).unwrap_or_default();
            found.push(match kind {
                "string" => format!("{depth} string {}", interpolations(node)),
                _ if node.child_count() == 0 && kind != "comment" => {
                    format!("{depth} {kind} {text}")
                }
                _ => format!("{depth} {kind}"),
            });
        }
        if kind == "string" || kind == "comment" {
            continue;
        }
        let mut cursor = node.walk();
        let mut children: Vec<Node> = node.named_children(&mut cursor).collect();
        children.reverse();
        open.extend(children.into_iter().map(|child| (child, inside)));
    }
    found
}

/// Returns how much of a string is code.
fn interpolations(string: Node) -> usize {
    let mut count = 0;
    walk(string, &mut |node| {
        count += usize::from(node.kind() == "interpolation");
    });
    count
}

fn walk<'t>(root: Node<'t>, visit: &mut impl FnMut(Node<'t>)) {
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        visit(node);
        let mut cursor = node.walk();
        open.extend(node.children(&mut cursor));
    }
}

/// Returns what a literal of one line stands for.
fn unescaped(literal: &str) -> String {
    let inner = literal
        .strip_prefix(['"', '\''])
        .and_then(|rest| rest.strip_suffix(['"', '\'']))
        .unwrap_or_default();
    let mut text = String::new();
    let mut letters = inner.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            text.push(letter);
            continue;
        }
        match letters.next() {
            Some('n') => text.push('\n'),
            Some('r') => text.push('\r'),
            Some('t') => text.push('\t'),
            Some('u') => {
                let digits: String = letters.by_ref().take(4).collect();
                let code = u32::from_str_radix(&digits, 16)
                    .ok()
                    .and_then(char::from_u32);
                text.extend(code);
            }
            Some(other) => text.push(other),
            None => {}
        }
    }
    text
}
