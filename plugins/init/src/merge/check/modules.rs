//! What the Python modules of a project import from one another.

use super::{Finding, Texts};
use crate::code::Names;

/// Returns each import of a module of the project, or of a name in it, that is there `before` an update and not `after` it. Both are all
/// Python files of the project.
pub(crate) fn broken(before: &Texts, after: &Texts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, code) in after {
        let Ok(names) = Names::of(code) else {
            continue;
        };
        for import in names.imports {
            let module = sibling(path, &import.module);
            let has = |files: &Texts| {
                files.get(module.as_str()).is_some_and(|code| {
                    let name = import.name.as_deref();
                    let has_it = |name| Names::of(code).is_ok_and(|it| it.top().contains(name));
                    name.is_none_or(has_it)
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
                    line: Some(import.lines.1),
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
