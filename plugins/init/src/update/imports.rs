//! Finds imports that an update breaks.

use super::walk::Files;
use super::{About, Note};
use crate::code::Names;

/// Returns a note for each import that the update breaks: its module or imported name exists in `before` but not in `after`.
pub(super) fn broken(before: &Files, after: &Files) -> Vec<Note> {
    let mut broken = Vec::new();
    for (path, code) in after {
        let imports = Names::of(code).map(|names| names.imports);
        for import in imports.unwrap_or_default() {
            let folder = path.rfind('/').map_or("", |end| &path[..=end]);
            let module = format!("{folder}{}.py", import.module.replace('.', "/"));
            let has = |files: &Files| {
                files.get(&module).is_some_and(|code| {
                    let has_it = |name| Names::of(code).is_ok_and(|it| it.top.contains(name));
                    import.name.as_deref().is_none_or(has_it)
                })
            };
            if has(before) && !has(after) {
                let text = match &import.name {
                    Some(name) if after.contains_key(&module) => {
                        format!("it imports `{name}`, which `{module}` no longer defines")
                    }
                    _ => format!("it imports `{}`, which the update removes", import.module),
                };
                broken.push(Note {
                    about: About::Obstacle,
                    path: Some(path.clone()),
                    line: Some(import.lines.1),
                    text,
                });
            }
        }
    }
    broken
}
