//! Edits that users make, for the tests of merging.

mod by_hand;

use serde::Deserialize;

use super::Files;

#[derive(Deserialize)]
pub(super) struct Edit {
    pub name: String,
    #[serde(default)]
    step: Vec<Step>,
    /// The names of other edits to apply as well.
    #[serde(default)]
    together: Vec<String>,
    #[serde(skip)]
    by_hand: Option<fn(&mut Files) -> Option<()>>,
}

/// A replacement of the first occurrence of `old` in a file.
#[derive(Debug, Deserialize)]
pub(super) struct Step {
    file: String,
    old: String,
    new: String,
}

impl Step {
    /// Applies the replacement. Returns `None` if the file or the text is missing.
    pub(super) fn apply(&self, files: &mut Files) -> Option<()> {
        let file = files.get_mut(&self.file)?;
        let at = file.find(&self.old)?;
        file.replace_range(at..at + self.old.len(), &self.new);
        Some(())
    }
}

impl Edit {
    pub(super) fn apply(&self, all: &[Self], project: &Files) -> Option<Files> {
        let mut edited = project.clone();
        (self.step.iter()).try_for_each(|step| step.apply(&mut edited))?;
        if let Some(work) = self.by_hand {
            work(&mut edited)?;
        }
        for name in &self.together {
            let edit = all.iter().find(|edit| edit.name == *name).unwrap();
            // Some edits do not apply to every project.
            if let Some(further) = edit.apply(all, &edited) {
                edited = further;
            }
        }
        (edited != *project).then_some(edited)
    }
}

#[derive(Deserialize)]
struct Table {
    edit: Vec<Edit>,
}

pub(super) fn all() -> Vec<Edit> {
    let table: Table = toml::from_str(include_str!("edits.toml")).unwrap();
    let by_hand = by_hand::EDITS.iter().map(|(name, work)| Edit {
        name: (*name).to_owned(),
        step: Vec::new(),
        together: Vec::new(),
        by_hand: Some(*work),
    });
    table.edit.into_iter().chain(by_hand).collect()
}
