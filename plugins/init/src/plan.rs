//! Renders a configuration to files in memory. Nothing is read from or written to disk.

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::{iter, thread};

use thiserror::Error;

use crate::config::Config;
use templates::Templates;
use variables::VariableGroup;

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
    /// The files, sorted by path.
    pub files: Vec<PlannedFile>,
}

/// A file to generate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedFile {
    /// The path relative to the target, with `/` as the separator.
    pub path: String,
    /// The contents: UTF-8 with LF line endings and a final newline.
    pub text: String,
    /// The action to take if the file already exists with different contents.
    pub existing: Existing,
}

/// The action to take if a file already exists with different contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// Report a conflict, because the existing file belongs to the user.
    Conflict,
    /// Replace the file, because it is part of the record that this program wrote for the project.
    Replace,
    AddLines,
    /// Keep or replace a coding-agent guide, depending on its stamp.
    Guide,
    /// Treat the file like a [`Guide`](Self::Guide), but don't create a missing guide.
    GuideIfThere,
}

/// An error in a template or in the catalogue, which usually indicates a bug in this program.
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
    let view = view::of_project(config)?;
    let values = Templates::variables(&view)?;
    let render = |entry: manifest::File| {
        let text = match &entry.environment {
            Some(environment) => {
                let view = view::of_agent(view.clone(), config, Some(environment));
                templates.render(&entry.template, &Templates::variables(&view)?)?
            }
            None => templates.render(&entry.template, &values)?,
        };
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
    };
    // Rendering is most of the work: two threads take turns.
    let entries = Mutex::new(manifest::files_of(config).into_iter().enumerate());
    let next = || {
        entries
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .next()
    };
    let rendered = || {
        let files = iter::from_fn(next).map(|(number, entry)| Ok((number, render(entry)?)));
        files.collect::<Result<BTreeMap<_, _>, PlanError>>()
    };
    let files = thread::scope(|scope| {
        let other = thread::Builder::new().spawn_scoped(scope, rendered);
        let mut files = rendered()?;
        // Where no thread can be started, this one has rendered everything.
        if let Ok(other) = other {
            let other = other.join().unwrap_or_else(|panic| resume_unwind(panic));
            files.append(&mut other?);
        }
        Ok(files)
    })?;
    let files = files.into_values().collect();
    Ok(Plan { files })
}

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
