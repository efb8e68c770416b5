//! What the Python modules of a project import from one another.

use std::collections::BTreeSet;

use tree_sitter::{Node, Parser};

use super::{Finding, Texts};
use crate::plan::names;

/// Returns each import of a module of the project, or of a name in it, that is there `before` an update and not `after` it. Both are all
/// Python files of the project.
pub(crate) fn broken(before: &Texts, after: &Texts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, code) in after {
        for import in imports(code) {
            let module = sibling(path, &import.module);
            let has = |files: &Texts| {
                files.get(module.as_str()).is_some_and(|code| {
                    let name = import.name.as_deref();
                    name.is_none_or(|name| at_top(code).contains(name))
                })
            };
            if has(before) && !has(after) {
                let gone = match &import.name {
                    Some(name) if after.contains_key(module.as_str()) => {
                        format!("`{name}`, which `{module}` no longer defines")
                    }
                    _ => format!("`{}`, which the update removes", import.module),
                };
                findings.push(Finding {
                    path: Some((*path).to_owned()),
                    line: Some(import.line),
                    note: format!("it imports {gone}"),
                });
            }
        }
    }
    findings
}

/// The path of a module beside a file.
fn sibling(path: &str, module: &str) -> String {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let slash = if folder.is_empty() { "" } else { "/" };
    format!("{folder}{slash}{}.py", module.replace('.', "/"))
}

/// The names at the top level of a module.
fn at_top(code: &str) -> BTreeSet<&str> {
    names::top(code).unwrap_or_default()
}

struct Import {
    module: String,
    /// `None`: the module as a whole.
    name: Option<String>,
    line: usize,
}

fn imports(code: &str) -> Vec<Import> {
    let mut parser = Parser::new();
    let is_set = parser.set_language(&tree_sitter_python::LANGUAGE.into());
    let Some(tree) = is_set.ok().and_then(|()| parser.parse(code, None)) else {
        return Vec::new();
    };
    let text = |node: Node| code[node.byte_range()].to_owned();
    let mut imports = Vec::new();
    let mut open = vec![tree.root_node()];
    while let Some(node) = open.pop() {
        let names = |node: Node| -> Vec<(String, usize)> {
            let mut cursor = node.walk();
            let names = node.children_by_field_name("name", &mut cursor);
            let names = names.map(|name| {
                let line = name.start_position().row + 1;
                (text(name.child_by_field_name("name").unwrap_or(name)), line)
            });
            names.collect()
        };
        match node.kind() {
            "import_statement" => {
                imports.extend(names(node).into_iter().map(|(module, line)| Import {
                    module,
                    name: None,
                    line,
                }));
            }
            "import_from_statement" => {
                let Some(module) = node.child_by_field_name("module_name") else {
                    continue;
                };
                imports.extend(names(node).into_iter().map(|(name, line)| Import {
                    module: text(module),
                    name: Some(name),
                    line,
                }));
            }
            _ => open.extend(node.named_children(&mut node.walk())),
        }
    }
    imports.sort_by_key(|import| import.line);
    imports
}
