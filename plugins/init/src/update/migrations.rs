//! Finds the lines of a project that use names of an older framework. Nobody's code is rewritten.

use std::collections::{BTreeMap, BTreeSet};

use bot_cli_templates::{FRAMEWORK, Migration};
use semver::Version;
use tree_sitter::{Node, Parser};

/// A line that uses an old name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Use {
    pub path: String,
    /// Counted from 1.
    pub line: usize,
    pub old: String,
    /// `None`: there is no such name any more.
    pub new: Option<String>,
    /// What else there is to know, as a sentence without a full stop.
    pub note: Option<String>,
}

/// Finds the old names in the Python code of `files`, each with its path, for a project that was made for the range `recorded` of
/// releases and is now made for that of this version. A range that can't be read is older than everything.
pub(crate) fn uses(recorded: &str, files: &[(&str, &str)]) -> Vec<Use> {
    let Ok(new) = Version::parse(FRAMEWORK.release) else {
        return Vec::new();
    };
    between(&oldest(recorded), &new, Migration::all(), files)
}

/// The oldest release of a range such as `>=1.14.0,<2`.
fn oldest(range: &str) -> Version {
    range
        .split(',')
        .filter_map(|bound| bound.trim().strip_prefix(">="))
        .find_map(|release| release_of(release.trim()))
        .unwrap_or(Version::new(0, 0, 0))
}

/// A release with one to three numbers.
fn release_of(text: &str) -> Option<Version> {
    let mut numbers = [0; 3];
    let mut parts = text.split('.');
    for (number, part) in numbers.iter_mut().zip(&mut parts) {
        *number = part.parse().ok()?;
    }
    let [major, minor, patch] = numbers;
    parts
        .next()
        .is_none()
        .then(|| Version::new(major, minor, patch))
}

fn between(
    recorded: &Version,
    new: &Version,
    migrations: &[Migration],
    files: &[(&str, &str)],
) -> Vec<Use> {
    let is_passed = |release: &str| {
        release_of(release).is_some_and(|release| *recorded < release && release <= *new)
    };
    let mut names = BTreeMap::new();
    for migration in migrations {
        if is_passed(&migration.from) || is_passed(&migration.to) {
            for (old, new) in &migration.names {
                names.insert(old.as_str(), (new.as_str(), migration.note.as_deref()));
            }
        }
    }
    let mut parser = Parser::new();
    let language = tree_sitter_python::LANGUAGE.into();
    if names.is_empty() || parser.set_language(&language).is_err() {
        return Vec::new();
    }
    let mut uses = Vec::new();
    for (path, code) in files {
        let Some(tree) = parser.parse(code, None) else {
            continue;
        };
        let mut found = Found {
            code,
            names: &names,
            lines: BTreeSet::new(),
        };
        found.visit(tree.root_node());
        let own = defined(tree.root_node(), code);
        for (line, old) in found.lines {
            if own.contains(old) {
                continue;
            }
            let (new, note) = names[old];
            uses.push(Use {
                path: (*path).to_owned(),
                line,
                old: old.to_owned(),
                new: Some(new).filter(|new| !new.is_empty()).map(str::to_owned),
                note: note.map(str::to_owned),
            });
        }
    }
    uses
}

/// The old names in a file.
struct Found<'a, 'n> {
    code: &'a str,
    names: &'a BTreeMap<&'n str, (&'n str, Option<&'n str>)>,
    /// With the lines that they are in.
    lines: BTreeSet<(usize, &'n str)>,
}

impl<'a> Found<'a, '_> {
    fn visit(&mut self, node: Node) {
        match node.kind() {
            "identifier" => self.look(node, self.text(node)),
            "import_from_statement" => self.look_at_modules(node),
            "call" => self.look_at_event(node),
            "dotted_name" => self.look_at_module(node, self.text(node)),
            _ => {}
        }
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            self.visit(child);
        }
    }

    fn look(&mut self, node: Node, name: &str) {
        if let Some((old, _)) = self.names.get_key_value(name) {
            self.lines.insert((node.start_position().row + 1, old));
        }
    }

    /// A module is old if a package that it is in is.
    fn look_at_module(&mut self, node: Node, module: &str) {
        let ends = module.match_indices('.').map(|(end, _)| end);
        for end in ends.chain([module.len()]) {
            if module[..end].contains('.') {
                self.look(node, &module[..end]);
            }
        }
    }

    /// `from package import module` imports `package.module`.
    fn look_at_modules(&mut self, node: Node) {
        let Some(package) = node.child_by_field_name("module_name") else {
            return;
        };
        let mut cursor = node.walk();
        for name in node.children_by_field_name("name", &mut cursor) {
            let inner = name.child_by_field_name("name").unwrap_or(name);
            let module = format!("{}.{}", self.text(package), self.text(inner));
            self.look(name, &module);
        }
    }

    /// Handlers of events name them: `@processor.event_handler("on_…")`.
    fn look_at_event(&mut self, node: Node) {
        let function = node
            .child_by_field_name("function")
            .and_then(|function| function.child_by_field_name("attribute"));
        if !function.is_some_and(|it| self.text(it).ends_with("event_handler")) {
            return;
        }
        let arguments = node.child_by_field_name("arguments");
        if let Some(event) = arguments.and_then(|it| it.named_child(0))
            && event.kind() == "string"
        {
            let name = self.text(event).trim_matches(['"', '\'']);
            self.look(event, name);
        }
    }

    fn text(&self, node: Node) -> &'a str {
        self.code.get(node.byte_range()).unwrap_or_default()
    }
}

/// The names of the classes and functions at the top of a file, which are the user's own whatever they are called.
fn defined<'c>(root: Node, code: &'c str) -> BTreeSet<&'c str> {
    let mut cursor = root.walk();
    root.named_children(&mut cursor)
        .map(|node| node.child_by_field_name("definition").unwrap_or(node))
        .filter(|node| matches!(node.kind(), "class_definition" | "function_definition"))
        .filter_map(|node| code.get(node.child_by_field_name("name")?.byte_range()))
        .collect()
}

#[cfg(test)]
mod tests;
