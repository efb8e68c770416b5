//! Compares Python code by syntax tree. The node kinds and the names determine what the code does.

use bot_cli_init::Config;
use bot_cli_templates::pack::{self, Arg};
use tree_sitter::{Node, Parser, Tree};

/// Returns the first place where the code and its twin differ in meaning.
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

/// Returns the arguments of all pack services, including those of nested calls.
pub(super) fn arguments<'c>(config: &Config<'c>) -> Vec<&'c Arg> {
    let services = config.services();
    let brought = services.filter(|service| config.catalogue.pack_of(service).is_some());
    brought.flat_map(pack::arguments).collect()
}

fn parse(code: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter_python::LANGUAGE.into())
        .ok()?;
    parser.parse(code, None)
}

/// Lists the nodes in order, with depth, kind and text. Omits the text of strings and comments, and parentheses that only allow line
/// breaks.
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

/// Counts the interpolated expressions in a string.
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
