//! The import statements of Python files: what a file uses decides, so none is missing and none too many.

use std::collections::{BTreeMap, BTreeSet};

use bot_cli_templates::Imports;
use bot_cli_templates::catalogue::Avatar;
use serde::Serialize;

use super::PlanError;
use super::names;
use super::templates::Templates;
use crate::config::Config;

/// The line in place of the statements until a file is rendered. No text reaches a file with a line of its own.
pub(super) const PLACE: &str = "# imports of this file";

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

/// Puts the import statements of `code` in their place. A name that nothing binds or imports is an error.
pub(super) fn complete(
    code: String,
    path: &str,
    config: &Config,
    templates: &Templates,
) -> Result<String, PlanError> {
    let mut free = names::free(&code).map_err(|reason| PlanError::broken(path, reason))?;
    let line = format!("{PLACE}\n");
    let place = code
        .match_indices(&line)
        .map(|(at, _)| at)
        .find(|at| *at == 0 || code[..*at].ends_with('\n'));
    let statements = match place {
        Some(_) => statements(&mut free, config),
        None => Statements {
            sections: Vec::new(),
        },
    };
    if !free.is_empty() {
        let names: Vec<String> = free.iter().map(|name| format!("`{name}`")).collect();
        let reason = format!(
            "it uses {}, which nothing in it defines or imports; names that templates use are in `templates/project/imports.toml`",
            names.join(", ")
        );
        return Err(PlanError::broken(path, reason));
    }
    let Some(place) = place else { return Ok(code) };
    let values = liquid::to_object(&statements).map_err(|error| PlanError::broken(path, error))?;
    let statements = templates.render(TEMPLATE, &values)?;
    let (before, after) = (&code[..place], &code[place + line.len()..]);
    Ok([before, &statements, after].concat())
}

/// Returns the statements for those of the names that are known, and leaves the others.
fn statements<'a>(free: &mut BTreeSet<&str>, config: &'a Config<'_>) -> Statements<'a> {
    let imports = Imports::get();
    let mut used = BTreeSet::new();
    let mut sections: [Section; 3] = Default::default();
    let section = |module: &str| {
        let top = module.split('.').next().unwrap_or(module);
        let has = |modules: &[String]| modules.iter().any(|it| it == top);
        1 - usize::from(has(&imports.standard)) + usize::from(has(&imports.own))
    };
    for module in &imports.modules {
        if free.contains(module.as_str()) {
            used.insert(module.as_str());
            sections[section(module)].modules.insert(module);
        }
    }
    let mut from: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (module, name) in imports.names().chain(of_catalogue(config)) {
        if free.contains(name) {
            used.insert(name);
            from.entry(module).or_default().insert(name);
        }
    }
    for (module, names) in from {
        let mut names: Vec<&str> = names.into_iter().collect();
        names.sort_by_key(|name| (rank(name), *name));
        sections[section(module)].from.push(From { module, names });
    }
    free.retain(|name| !used.contains(name));
    let has_any = |section: &Section| !section.modules.is_empty() || !section.from.is_empty();
    Statements {
        sections: sections.into_iter().filter(has_any).collect(),
    }
}

/// The names that the services and transports of a bot bring: module and name.
fn of_catalogue<'c>(config: &'c Config<'_>) -> impl Iterator<Item = (&'c str, &'c str)> {
    let services = config.services().flat_map(|service| {
        std::iter::once((service.module.as_str(), service.class.as_str()))
            .chain(listed(&service.imports))
    });
    let transports = config.transports.iter().flat_map(|transport| {
        let of_avatar = transport.avatar.iter().flat_map(Avatar::names);
        std::iter::once((transport.module.as_str(), transport.class.as_str()))
            .chain(listed(&transport.imports))
            .chain(of_avatar.map(|(module, name)| (module.as_str(), name.as_str())))
    });
    services.chain(transports)
}

fn listed(imports: &BTreeMap<String, Vec<String>>) -> impl Iterator<Item = (&str, &str)> {
    imports
        .iter()
        .flat_map(|(module, names)| names.iter().map(|name| (module.as_str(), name.as_str())))
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
