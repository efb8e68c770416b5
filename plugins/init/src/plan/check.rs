//! Checks of every plan.

use std::error::Error;
use std::path::Path;

use bot_cli_templates::pack::OWN_MODULES;
use saphyr::{LoadableYamlNode, Yaml};

use super::{PlanError, PlannedFile};
use crate::config::Config;

/// Files that a build may copy although nobody generates them.
const MADE_LATER: &[&str] = &["uv.lock"];

/// Checks a file by itself.
pub(super) fn file(file: &PlannedFile, config: &Config) -> Result<(), PlanError> {
    text(file, config).map_err(|reason| PlanError::broken(&file.path, reason))?;
    syntax(file).map_err(|error| PlanError::broken(&file.path, error))
}

/// Checks what files say of one another.
pub(super) fn together(files: &[PlannedFile]) -> Result<(), PlanError> {
    let mut python = files.iter().filter(|file| {
        Path::new(&file.path)
            .extension()
            .is_some_and(|it| it == "py")
    });
    python.try_for_each(|file| {
        modules(file, files).map_err(|reason| PlanError::broken(&file.path, reason))
    })?;
    let mut builds = files
        .iter()
        .filter(|file| file.path.ends_with("Dockerfile"));
    builds.try_for_each(|file| {
        copies(file, files).map_err(|reason| PlanError::broken(&file.path, reason))
    })
}

/// The modules of the project that a file imports are files of the project.
fn modules(file: &PlannedFile, files: &[PlannedFile]) -> Result<(), String> {
    let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    for line in file.text.lines() {
        let module = line.strip_prefix("from ").and_then(|it| it.split_once(' '));
        let Some((module, _)) = module.filter(|(module, _)| OWN_MODULES.contains(module)) else {
            continue;
        };
        let path = format!("{folder}/{module}.py");
        if !files.iter().any(|file| file.path == path) {
            return Err(format!(
                "it imports `{module}`, but `{path}` is no file of this project; its files are in `plugins/init/src/plan/manifest.rs`"
            ));
        }
    }
    Ok(())
}

fn text(file: &PlannedFile, config: &Config) -> Result<(), String> {
    if !file.text.ends_with('\n') || file.text.ends_with("\n\n") {
        return Err("it does not end with exactly one newline".to_owned());
    }
    if file.text.contains('\r') {
        return Err("it has a carriage return".to_owned());
    }
    for marker in ["{{", "{%"] {
        if file.text.contains(marker) && !may_hold(config, marker) {
            return Err(format!("`{marker}` was left unrendered"));
        }
    }
    Ok(())
}

/// Whether the user, or a pack, has written this.
fn may_hold(config: &Config, marker: &str) -> bool {
    let of_packs = || {
        config
            .services()
            .filter(|service| config.catalogue.pack_of(service).is_some())
            .filter_map(|service| config.catalogue.provider_of(service))
            .any(|provider| format!("{provider:?}").contains(marker))
    };
    config.project_name.contains(marker) || of_packs()
}

/// Python is checked by the tests that run it.
fn syntax(file: &PlannedFile) -> Result<(), Box<dyn Error + Send + Sync>> {
    let extension = Path::new(&file.path)
        .extension()
        .and_then(|extension| extension.to_str());
    match extension {
        Some("toml") => drop(toml::from_str::<toml::Table>(&file.text)?),
        Some("json") => drop(serde_json::from_str::<serde_json::Value>(&file.text)?),
        Some("yaml" | "yml") => drop(Yaml::load_from_str(&file.text)?),
        _ => {}
    }
    Ok(())
}

/// Every source of a `COPY` is a file of the plan, beside the build file or below it.
fn copies(build: &PlannedFile, files: &[PlannedFile]) -> Result<(), String> {
    let folder = build.path.strip_suffix("Dockerfile").unwrap_or_default();
    for line in build.text.lines() {
        let Some(arguments) = line.strip_prefix("COPY ") else {
            continue;
        };
        let mut sources: Vec<&str> = arguments
            .split_whitespace()
            .filter(|word| !word.starts_with("--"))
            .collect();
        sources.pop();
        for source in sources {
            let name = source.trim_start_matches("./").trim_end_matches('*');
            let planned = |file: &PlannedFile| {
                let path = file.path.strip_prefix(folder);
                path.is_some_and(|path| match name.strip_prefix('*') {
                    Some(suffix) => path.ends_with(suffix) && !path.contains('/'),
                    None => path == name || path.starts_with(&format!("{name}/")),
                })
            };
            let optional = source.ends_with('*') && MADE_LATER.contains(&name);
            if !optional && !files.iter().any(planned) {
                return Err(format!("it copies `{source}`, which is not generated"));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::Existing;
    use super::*;

    fn planned(path: &str, text: &str) -> PlannedFile {
        PlannedFile {
            path: path.to_owned(),
            text: text.to_owned(),
            existing: Existing::Conflict,
        }
    }

    #[test]
    fn broken_syntax_is_found_in_every_language_of_data() {
        for (path, good, bad) in [
            ("a.toml", "x = 1\n", "x = \n"),
            ("a.json", "{\"x\": 1}\n", "{x: 1}\n"),
            ("a.yaml", "x: [1]\n", "x: [1\n"),
        ] {
            syntax(&planned(path, good)).unwrap();
            assert!(syntax(&planned(path, bad)).is_err(), "{path}");
        }
    }

    #[test]
    fn a_copied_file_has_to_be_planned_beside_the_build_file() {
        let build = |line: &str| planned("server/Dockerfile", &format!("{line}\n"));
        let files = [
            planned("server/bot.py", ""),
            planned("server/evals/text.yaml", ""),
            planned("other.py", ""),
        ];
        for line in [
            "COPY bot.py ./",
            "COPY *.py ./",
            "COPY ./bot.py uv.lock* ./",
            "COPY --chown=1 evals ./evals",
        ] {
            assert_eq!(copies(&build(line), &files), Ok(()), "{line}");
        }
        for line in [
            "COPY other.py ./",
            "COPY *.yaml ./",
            "COPY uv.lock ./",
            "COPY bot.py server.py ./",
        ] {
            assert!(copies(&build(line), &files).is_err(), "{line}");
        }
    }
}
