//! The names in Python code, by its scopes.

use std::collections::{BTreeSet, HashSet};

use bot_cli_sdk::pack::BUILTINS;
use tree_sitter::{Node, Parser};

/// The most levels of syntax.
const DEEPEST: u32 = 250;

/// Returns the names that `code` looks up and nothing in it binds; those of Python itself are not among them.
pub(crate) fn free(code: &str) -> Result<BTreeSet<&str>, String> {
    Ok(Names::of(code)?.free())
}

/// The names in a piece of code.
pub(crate) struct Scopes<'t> {
    /// Those that it binds anywhere.
    pub bound: BTreeSet<&'t str>,
    /// Those that it binds or looks up.
    pub all: BTreeSet<&'t str>,
}

/// Returns the names that `code` has.
pub(crate) fn scopes(code: &str) -> Result<Scopes<'_>, String> {
    let names = Names::of(code)?;
    let bound = names.scopes.iter().flat_map(|scope| &scope.bound);
    let bound: BTreeSet<&str> = bound.copied().collect();
    let used = names.used.iter().map(|(name, _)| *name);
    let all = bound.iter().copied().chain(used).collect();
    Ok(Scopes { bound, all })
}

/// Returns the names that `code` binds outside its classes and functions.
pub(crate) fn top(code: &str) -> Result<BTreeSet<&str>, String> {
    let names = Names::of(code)?;
    let module = names.scopes.first();
    Ok(module
        .into_iter()
        .flat_map(|scope| scope.bound.iter().copied())
        .collect())
}

/// A module, class, function or comprehension.
#[derive(Default)]
struct Scope<'t> {
    parent: Option<usize>,
    is_class: bool,
    bound: HashSet<&'t str>,
}

struct Names<'t> {
    code: &'t str,
    scopes: Vec<Scope<'t>>,
    /// Each with the scope it is in.
    used: Vec<(&'t str, usize)>,
}

/// The role of an identifier.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Use,
    Bind,
}

impl<'t> Names<'t> {
    fn of(code: &'t str) -> Result<Self, String> {
        let mut parser = Parser::new();
        parser
            .set_language(&tree_sitter_python::LANGUAGE.into())
            .map_err(|error| error.to_string())?;
        let tree = parser.parse(code, None).ok_or("it can't be parsed")?;
        let root = tree.root_node();
        if let Some(line) = first_error(root) {
            return Err(format!("it has a syntax error in line {line}"));
        }
        if is_too_deep(root) {
            return Err("it is nested too deeply".to_owned());
        }
        let mut names = Self {
            code,
            scopes: vec![Scope::default()],
            used: Vec::new(),
        };
        names.visit(root, 0, Role::Use);
        Ok(names)
    }

    fn free(&self) -> BTreeSet<&'t str> {
        let is_pythons = |name: &str| name.starts_with("__") || BUILTINS.contains(&name);
        self.used
            .iter()
            .filter(|(name, scope)| !self.is_bound(name, *scope) && !is_pythons(name))
            .map(|(name, _)| *name)
            .collect()
    }

    /// Functions within a class do not see its names.
    fn is_bound(&self, name: &str, scope: usize) -> bool {
        let mut at = Some(scope);
        while let Some(found) = at.and_then(|index| self.scopes.get(index)) {
            let is_seen = !found.is_class || at == Some(scope);
            if is_seen && found.bound.contains(name) {
                return true;
            }
            at = found.parent;
        }
        false
    }

    fn visit(&mut self, node: Node, scope: usize, role: Role) {
        match node.kind() {
            "identifier" => self.identifier(node, scope, role),
            "function_definition" | "class_definition" => {
                if let Some(name) = node.child_by_field_name("name") {
                    self.identifier(name, scope, Role::Bind);
                }
                let inner = self.open(scope, node.kind() == "class_definition");
                self.children(node, |field| match field {
                    Some("name") => None,
                    Some("superclasses" | "return_type") => Some((scope, Role::Use)),
                    Some("parameters") => Some((inner, Role::Bind)),
                    _ => Some((inner, Role::Use)),
                });
            }
            "lambda" => {
                let inner = self.open(scope, false);
                self.children(node, |field| match field {
                    Some("parameters") => Some((inner, Role::Bind)),
                    _ => Some((inner, Role::Use)),
                });
            }
            "list_comprehension"
            | "set_comprehension"
            | "dictionary_comprehension"
            | "generator_expression" => {
                let inner = self.open(scope, false);
                self.children(node, |_| Some((inner, Role::Use)));
            }
            "assignment" | "for_statement" | "for_in_clause" => {
                self.children(node, |field| match field {
                    Some("left") => Some((scope, Role::Bind)),
                    _ => Some((scope, Role::Use)),
                });
            }
            "named_expression" => self.children(node, |field| match field {
                Some("name") => Some((scope, Role::Bind)),
                _ => Some((scope, Role::Use)),
            }),
            "as_pattern_target" | "case_pattern" => {
                self.children(node, |_| Some((scope, Role::Bind)));
            }
            // Only the object of `object.attribute` and the value of `keyword=value` are looked up.
            "attribute" => self.children(node, |field| match field {
                Some("object") => Some((scope, Role::Use)),
                _ => None,
            }),
            "keyword_argument" => self.children(node, |field| match field {
                Some("value") => Some((scope, Role::Use)),
                _ => None,
            }),
            "subscript" | "type" => self.children(node, |_| Some((scope, Role::Use))),
            "import_statement" | "import_from_statement" | "aliased_import" => {
                self.imported(node, scope);
            }
            "global_statement" | "nonlocal_statement" => {}
            // Parameters, and patterns of assignments: `def f(a, b: int = c)`, `a, *b = …`.
            _ => self.children(node, |field| match field {
                Some("value" | "type") => Some((scope, Role::Use)),
                _ => Some((scope, role)),
            }),
        }
    }

    fn children(&mut self, node: Node, place: impl Fn(Option<&str>) -> Option<(usize, Role)>) {
        let mut cursor = node.walk();
        let mut more = cursor.goto_first_child();
        while more {
            let child = cursor.node();
            if child.is_named()
                && let Some((scope, role)) = place(cursor.field_name())
            {
                self.visit(child, scope, role);
            }
            more = cursor.goto_next_sibling();
        }
    }

    fn identifier(&mut self, node: Node, scope: usize, role: Role) {
        let name = self.code.get(node.byte_range()).unwrap_or_default();
        match role {
            Role::Use => self.used.push((name, scope)),
            Role::Bind => {
                if let Some(scope) = self.scopes.get_mut(scope) {
                    scope.bound.insert(name);
                }
            }
        }
    }

    /// `import a.b` binds `a`, `from m import b` binds `b`, and `… as c` binds `c`.
    fn imported(&mut self, node: Node, scope: usize) {
        if let Some(alias) = node.child_by_field_name("alias") {
            return self.identifier(alias, scope, Role::Bind);
        }
        let mut cursor = node.walk();
        for name in node.children_by_field_name("name", &mut cursor) {
            match name.named_child(0) {
                _ if name.kind() == "aliased_import" => self.imported(name, scope),
                Some(first) => self.identifier(first, scope, Role::Bind),
                None => {}
            }
        }
    }

    fn open(&mut self, parent: usize, is_class: bool) -> usize {
        self.scopes.push(Scope {
            parent: Some(parent),
            is_class,
            bound: HashSet::new(),
        });
        self.scopes.len() - 1
    }
}

/// Whether the nodes are nested more than anybody writes, and more than the stack may bear.
fn is_too_deep(root: Node) -> bool {
    let mut cursor = root.walk();
    loop {
        if cursor.depth() > DEEPEST {
            return true;
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return false;
            }
        }
    }
}

/// The line of the first syntax error.
fn first_error(root: Node) -> Option<usize> {
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        if node.is_error() || node.is_missing() {
            return Some(node.start_position().row + 1);
        }
        let mut cursor = node.walk();
        open.extend(node.children(&mut cursor).filter(Node::has_error));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn free_in(code: &str) -> Vec<String> {
        free(code).unwrap().into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn what_nothing_binds_is_free() {
        for (code, expected) in [
            ("x = timedelta(seconds=2)", &["timedelta"][..]),
            (
                "def f(a, *b, c=D, **e) -> G:\n    return a, b, c, e, h",
                &["D", "G", "h"],
            ),
            ("def f(a: A, b: B | None = C): ...", &["A", "B", "C"]),
            ("def f():\n    x = 1\n\n\ndef g():\n    return x", &["x"]),
            (
                "class A(B):\n    c = 1\n\n    def f(self):\n        return c",
                &["B", "c"],
            ),
            ("a = [b for b in c if b.d]\nb", &["b", "c"]),
            ("f = lambda x: x + y", &["y"]),
            (
                "with open(p) as f, g() as (h, i):\n    print(f, h, i)",
                &["g", "p"],
            ),
            (
                "try:\n    pass\nexcept E as error:\n    raise F from error",
                &["E", "F"],
            ),
            (
                "import a.b\nfrom c import d as e, f\na, e, f, d, c",
                &["c", "d"],
            ),
            ("a.b = c.d(e=f)\ng[h] = 1", &["a", "c", "f", "g", "h"]),
            (
                "x: dict[str, A] = {}\nfor i, (j, *k) in x:\n    print(f'{i}{j}{k}{l}')",
                &["A", "l"],
            ),
            ("if (n := m):\n    n += o", &["m", "o"]),
            ("@app.get('/x')\nasync def f(): await g", &["app", "g"]),
            (
                "if __name__ == '__main__':\n    _p = 'timedelta'  # timedelta",
                &[],
            ),
        ] {
            assert_eq!(free_in(code), expected, "{code}");
        }
    }

    #[test]
    fn hostile_nesting_is_an_error() {
        let deep = format!("x = {}1{}", "(".repeat(5000), ")".repeat(5000));
        assert_eq!(free(&deep).unwrap_err(), "it is nested too deeply");
        let chain = format!("x = y{}", " + y".repeat(5000));
        assert!(free(&chain).is_err());
    }

    #[test]
    fn a_syntax_error_has_its_line() {
        let error = free("x = 1\ndef f(:\n    pass\n").unwrap_err();
        assert_eq!(error, "it has a syntax error in line 2");
    }
}
