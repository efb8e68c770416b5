//! The names that the project's templates may use without importing them: `project/imports.toml`.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;

use crate::embedded::IMPORTS;

/// Python names and the modules that they are imported from.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Imports {
    /// The modules that are imported whole.
    pub modules: Vec<String>,
    /// The top-level modules of Python's own library, among all that are imported.
    pub standard: Vec<String>,
    /// The modules of the project itself.
    pub own: Vec<String>,
    /// Module to names.
    pub from: BTreeMap<String, Vec<String>>,
}

impl Imports {
    /// The file, parsed once a process; empty if it can't be read, which the tests of this crate rule out.
    #[must_use]
    pub fn get() -> &'static Self {
        static FOUND: OnceLock<Imports> = OnceLock::new();
        FOUND.get_or_init(|| serde_json::from_str(IMPORTS).unwrap_or_default())
    }

    /// Every name that is imported from a module: module and name.
    pub fn names(&self) -> impl Iterator<Item = (&str, &str)> {
        self.from
            .iter()
            .flat_map(|(module, names)| names.iter().map(|name| (module.as_str(), name.as_str())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_used_by_a_template() {
        let texts: Vec<&str> = crate::project_files()
            .into_iter()
            .filter(|(path, _)| path.contains(".py"))
            .map(|(_, text)| text)
            .collect();
        let imports = Imports::get();
        let names = imports.names().map(|(_, name)| name);
        let unused: Vec<&str> = names
            .chain(imports.modules.iter().map(String::as_str))
            .filter(|name| !texts.iter().any(|text| text.contains(name)))
            .collect();
        assert_eq!(unused, Vec::<&str>::new());
        assert!(!imports.from.is_empty());
    }

    #[test]
    fn every_module_of_the_project_is_listed_as_its_own() {
        let imports = Imports::get();
        for module in imports.from.keys() {
            let is_own = crate::project_file(&format!("server/{module}.py.liquid")).is_some();
            assert_eq!(
                imports.own.contains(module),
                is_own,
                "`{module}` under `own` in templates/project/imports.toml"
            );
        }
    }
}
