//! Merges and sorts the import statements that the templates and the catalogue contribute to a Python file.

use std::collections::{BTreeMap, BTreeSet};

use bot_cli_templates::pack::{is_own_module, is_standard_module};

/// The maximum line length of generated Python.
const WIDTH: usize = 100;

/// The imports in one section: whole modules, and imported names by module. Each name has its sort rank.
type Section<'a> = (
    BTreeSet<&'a str>,
    BTreeMap<&'a str, BTreeSet<(u8, &'a str)>>,
);

pub(super) fn line(module: &str, name: &str) -> String {
    format!("from {module} import {name}")
}

/// Merges and sorts the first block of import statements in `code`. Each statement must be on one line.
pub(super) fn arranged(code: &str) -> String {
    let lines: Vec<&str> = code.split_inclusive('\n').collect();
    let is_import = |line: &&str| line.starts_with("import ") || line.starts_with("from ");
    let Some(start) = lines.iter().position(is_import) else {
        return code.to_owned();
    };
    let block = lines[start..].iter();
    let block = block.take_while(|line| line.trim().is_empty() || is_import(line));
    let block: Vec<&str> = block.copied().collect();
    let end = block.iter().rposition(is_import).unwrap_or_default() + 1;
    [
        lines[..start].concat(),
        united(&block[..end]),
        lines[start + end..].concat(),
    ]
    .concat()
}

/// Merges import lines into three sections: standard library, installed packages and project modules.
fn united<'l>(lines: &[&'l str]) -> String {
    let mut sections: [Section; 3] = Default::default();
    let mut known = BTreeMap::new();
    let mut section = |module: &'l str| {
        let top = module.split('.').next().unwrap_or(module);
        *known.entry(top).or_insert_with(|| section(top))
    };
    for line in lines.iter().map(|line| line.trim_end()) {
        let names = line.strip_prefix("from ");
        if let Some((module, names)) = names.and_then(|it| it.split_once(" import ")) {
            let known = sections[section(module)].1.entry(module).or_default();
            known.extend(names.split(", ").map(|name| (rank(name), name)));
        } else if let Some(module) = line.strip_prefix("import ") {
            sections[section(module)].0.insert(module);
        }
    }
    let texts = sections.iter().map(|(modules, from)| {
        let modules = modules.iter().map(|module| format!("import {module}\n"));
        modules
            .chain(from.iter().map(|(module, names)| statement(module, names)))
            .collect::<String>()
    });
    let texts: Vec<String> = texts.filter(|text| !text.is_empty()).collect();
    texts.join("\n")
}

fn section(top: &str) -> usize {
    1 - usize::from(is_standard_module(top)) + usize::from(is_own_module(top))
}

fn statement(module: &str, names: &BTreeSet<(u8, &str)>) -> String {
    let names: Vec<&str> = names.iter().map(|(_, name)| *name).collect();
    let line = line(module, &names.join(", "));
    if line.len() <= WIDTH {
        return line + "\n";
    }
    format!(
        "from {module} import (\n    {},\n)\n",
        names.join(",\n    ")
    )
}

/// Returns a name's rank in isort's order: constants, classes, others.
fn rank(name: &str) -> u8 {
    if name.len() > 1 && !name.chars().any(|c| c.is_ascii_lowercase()) {
        0
    } else if name.starts_with(|c: char| c.is_ascii_uppercase()) {
        1
    } else {
        2
    }
}

#[cfg(test)]
mod tests {
    use super::arranged;

    #[test]
    fn lines_are_united_and_in_order() {
        let code = "\"\"\"A bot.\"\"\"\n\nimport os\nfrom acme.b import split, B\n\nimport aiohttp\nfrom acme import A\n\
                    from settings import c\nfrom acme.b import NOT, B\nimport os\n\nX = 1\nimport late\n";
        assert_eq!(
            arranged(code),
            "\"\"\"A bot.\"\"\"\n\nimport os\n\nimport aiohttp\nfrom acme import A\nfrom acme.b import NOT, B, split\n\n\
             from settings import c\n\nX = 1\nimport late\n"
        );
        assert_eq!(arranged("X = 1\n"), "X = 1\n");
    }
}
