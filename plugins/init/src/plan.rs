//! Renders a configuration to files, as paths and contents in memory. Nothing is read from or written to disk.

use std::path::Path;

use minijinja::value::{Serde, Value};
use thiserror::Error;

use crate::config::Config;
use templates::Templates;
use variables::VariableGroup;

pub(crate) use python::python_version;

mod arguments;
mod bot;
mod imports;
mod manifest;
mod python;
mod quote;
mod templates;
pub(crate) mod variables;
mod view;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Sorted by path.
    pub files: Vec<PlannedFile>,
}

/// A file of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedFile {
    /// The path relative to the target, with `/` as the separator.
    pub path: String,
    /// The contents: UTF-8 with LF line endings and a final newline.
    pub text: String,
    /// The action for an existing file.
    pub existing: Existing,
}

/// The action for an existing file with different contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// Report a conflict, because the file is the user's.
    Conflict,
    /// Replace the file, which is the project record from this or an older version.
    Replace,
    /// Append the missing lines.
    AddLines,
    /// Decide by the stamp of the coding-agent guide.
    Guide,
    /// Decide by the stamp, and don't create a missing guide.
    GuideIfThere,
}

/// A defect in a template or in the catalogue, which is a bug in this program.
#[derive(Debug, Clone, Error)]
#[error("`{path}` can't be generated: {reason}")]
pub struct PlanError {
    path: String,
    reason: String,
}

impl PlanError {
    fn broken(path: &str, reason: &impl ToString) -> Self {
        Self {
            path: path.to_owned(),
            reason: reason.to_string(),
        }
    }

    /// Returns the reason without the path.
    pub(crate) fn reason(self) -> String {
        self.reason
    }
}

/// Renders the project for `config`, without the guides.
pub fn scaffold(config: &Config) -> Result<Plan, PlanError> {
    scaffold_from(Templates::get()?, config)
}

fn scaffold_from(templates: &Templates, config: &Config) -> Result<Plan, PlanError> {
    let values = Value::from(Serde(view::of_project(config)?));
    let files = manifest::files_of(config).into_iter().map(|entry| {
        let text = templates.render(&entry.template, &values)?;
        Ok(PlannedFile {
            text: if Path::new(&entry.template).extension() == Some("py".as_ref()) {
                imports::arranged(&text)
            } else {
                text
            },
            existing: match entry.path.as_str() {
                ".gitignore" => Existing::AddLines,
                _ => Existing::Conflict,
            },
            path: entry.path,
        })
    });
    let files = files.collect::<Result<Vec<_>, _>>()?;
    Ok(Plan { files })
}

/// Returns the environment variables of the project, in groups.
pub(crate) fn needed(config: &Config) -> Result<Vec<VariableGroup>, PlanError> {
    let services: Vec<_> = config.services().collect();
    variables::groups(config, &variables::readings(&services)?)
}

#[cfg(test)]
mod layout;
#[cfg(test)]
mod made_up;
#[cfg(test)]
mod page;
#[cfg(test)]
mod reserved;
#[cfg(test)]
mod tests;
