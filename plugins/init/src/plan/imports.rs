//! The import statements of Python files: templates and the catalogue give lines, here they are united and put in order.

use std::collections::{BTreeMap, BTreeSet};

use bot_cli_templates::pack::{OWN_MODULES, is_standard_module};
use serde::Serialize;

use super::PlanError;
use super::templates::Templates;

/// The template of the statements.
const TEMPLATE: &str = "partials/imports.py.liquid";

/// The statements of a file.
#[derive(Serialize)]
struct Statements<'a> {
    /// Those for Python's own library, those for what is installed, then those for the project itself.
    sections: Vec<Section<'a>>,
}

#[derive(Default, Serialize)]
struct Section<'a> {
    /// Modules that are imported whole.
    modules: BTreeSet<&'a str>,
    /// Modules of which names are imported.
    from: Vec<From<'a>>,
}

#[derive(Serialize)]
struct From<'a> {
    module: &'a str,
    names: Vec<&'a str>,
}

/// A statement on one line.
enum Line<'a> {
    Module(&'a str),
    Names(&'a str, &'a str),
}

/// Returns the line with which a name is imported.
pub(super) fn line(module: &str, name: &str) -> String {
    format!("from {module} import {name}")
}

/// Unites the first import statements of `code`, each on a line, and puts them in order.
pub(super) fn arranged(code: &str, templates: &Templates) -> Result<String, PlanError> {
    let Some(start) = code.lines().position(|line| statement(line).is_some()) else {
        return Ok(code.to_owned());
    };
    let block = code.lines().skip(start);
    let block = block.take_while(|line| line.is_empty() || statement(line).is_some());
    let block: Vec<Option<Line>> = block.map(statement).collect();
    let length = block
        .iter()
        .rposition(Option::is_some)
        .map_or(0, |last| last + 1);
    let statements = statements(block.into_iter().flatten());
    let values =
        liquid::to_object(&statements).map_err(|error| PlanError::broken(TEMPLATE, error))?;
    let lines = |from, count| {
        code.split_inclusive('\n')
            .skip(from)
            .take(count)
            .collect::<String>()
    };
    Ok([
        lines(0, start),
        templates.render(TEMPLATE, &values)?,
        lines(start + length, usize::MAX),
    ]
    .concat())
}

fn statement(line: &str) -> Option<Line<'_>> {
    match line.strip_prefix("from ") {
        Some(rest) => rest
            .split_once(" import ")
            .map(|(module, names)| Line::Names(module, names)),
        None => line.strip_prefix("import ").map(Line::Module),
    }
}

fn statements<'a>(lines: impl Iterator<Item = Line<'a>>) -> Statements<'a> {
    let mut sections: [Section; 3] = Default::default();
    let section = |module: &str| {
        let top = module.split('.').next().unwrap_or(module);
        1 - usize::from(is_standard_module(top)) + usize::from(OWN_MODULES.contains(top))
    };
    let mut from: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for line in lines {
        match line {
            Line::Module(module) => drop(sections[section(module)].modules.insert(module)),
            Line::Names(module, names) => from.entry(module).or_default().extend(names.split(", ")),
        }
    }
    for (module, names) in from {
        let mut names: Vec<&str> = names.into_iter().collect();
        names.sort_by_key(|name| (rank(name), *name));
        sections[section(module)].from.push(From { module, names });
    }
    let has_any = |section: &Section| !section.modules.is_empty() || !section.from.is_empty();
    Statements {
        sections: sections.into_iter().filter(has_any).collect(),
    }
}

/// Constants, classes, others: the order of isort.
fn rank(name: &str) -> u8 {
    let is_upper = |c: char| c.is_ascii_uppercase();
    if name.len() > 1 && !name.chars().any(|c| c.is_ascii_lowercase()) {
        0
    } else if name.starts_with(is_upper) {
        1
    } else {
        2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_united_and_in_order() {
        let code = "\"\"\"A bot.\"\"\"\n\nimport os\nfrom acme.b import split, B\n\nimport aiohttp\nfrom acme import A\n\
                    from settings import c\nfrom acme.b import NOT, B\nimport os\n\nX = 1\nimport late\n";
        assert_eq!(
            arranged(code, Templates::get().unwrap()).unwrap(),
            "\"\"\"A bot.\"\"\"\n\nimport os\n\nimport aiohttp\nfrom acme import A\nfrom acme.b import NOT, B, split\n\n\
             from settings import c\n\nX = 1\nimport late\n"
        );
        assert_eq!(
            arranged("X = 1\n", Templates::get().unwrap()).unwrap(),
            "X = 1\n"
        );
    }
}
