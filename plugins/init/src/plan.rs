//! A configuration becomes files: every path and its bytes, in memory, with nothing read from or written to disk.

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

/// The files of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// In the order of their paths.
    pub files: Vec<PlannedFile>,
}

/// A file of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedFile {
    /// Relative to the target, with `/`.
    pub path: String,
    /// UTF-8, LF, ends with a newline.
    pub text: String,
    /// The treatment of an existing file.
    pub existing: Existing,
}

/// The treatment of an existing file with other contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// It is the user's: a conflict.
    Conflict,
    /// It is the record of a project of this version or an older one, which gives way.
    Replace,
    /// Lines that it lacks are added at its end.
    AddLines,
    /// It is a coding-agent guide: its stamp decides.
    Guide,
    /// The same, for a guide that is not written where it is missing.
    GuideIfThere,
}

/// A template or the catalogue is broken, which is a defect of this program.
#[derive(Debug, Clone, Error)]
#[error("`{path}` can't be generated: {reason}")]
pub struct PlanError {
    /// The file that could not be rendered.
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

    /// Returns the reason, without the file.
    pub(crate) fn reason(self) -> String {
        self.reason
    }
}

/// Renders the project of `config`, without the guides.
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

/// Returns the environment variables of the project of `config`, without which it does not do what it is for among them.
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
