//! Looks at the project as a whole, as it would be after an update: what every file for itself does not show.

use std::collections::BTreeMap;
use std::path::Path;

use bot_cli_protocol::failure::Failure;

use super::{Base, Obstacle, Review, Update, migrations, walk};
use crate::merge::check::{Texts, meaning, modules};
use crate::plan::PlannedFile;
use crate::target::compare::unreadable;

/// Adds to `update` what its files mean together. The project was made for the range `framework` of releases.
pub(super) fn all(
    update: &mut Update,
    target: &Path,
    base: &Base,
    new: &[PlannedFile],
    framework: &str,
) -> Result<(), Failure> {
    if update.changes.is_empty() {
        return Ok(());
    }
    let walked = walk::python(target).map_err(|error| unreadable(target, error))?;
    let before: Texts = (walked.iter())
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    let changes = update.changes.clone();
    let mut after = before.clone();
    let is_in_conflict =
        |path: &str| (update.conflicts.iter()).any(|conflict| conflict.path == path);
    for change in &changes {
        match change.bytes.as_deref().map(str::from_utf8) {
            // Markers are no code.
            _ if is_in_conflict(&change.path) => {}
            Some(Ok(text)) if walk::ending(&change.path) == "py" => {
                after.insert(&change.path, text);
            }
            Some(_) => {}
            None => {
                after.remove(change.path.as_str());
            }
        }
    }
    for found in modules::broken(&before, &after) {
        update.obstacles.push(Obstacle {
            path: found.path.unwrap_or_default(),
            line: found.line,
            reason: found.note,
        });
    }
    let texts: Texts = borrowed(&base.texts);
    let new: Texts = (new.iter())
        .map(|file| (file.path.as_str(), file.text.as_str()))
        .collect();
    for found in meaning::findings(&texts, &before, &new) {
        let path = found.path;
        let line = match (path.as_deref(), found.line) {
            (Some(path), Some(line)) => place(line, before.get(path), after.get(path)),
            _ => found.line,
        };
        update.review.push(Review {
            path,
            line,
            note: found.note,
        });
    }
    let files: Vec<(&str, &str)> = after.into_iter().collect();
    for found in migrations::uses(framework, &files) {
        let instead = found.new.map(|new| format!("; it is `{new}` now"));
        let note = found.note.map(|note| format!("; {note}"));
        update.review.push(Review {
            note: format!(
                "the framework no longer has `{}`{}{}",
                found.old,
                instead.unwrap_or_default(),
                note.unwrap_or_default()
            ),
            path: Some(found.path),
            line: Some(found.line),
        });
    }
    Ok(())
}

fn borrowed(texts: &BTreeMap<String, String>) -> Texts<'_> {
    texts
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect()
}

/// Returns the place of a line after the update; if it is not there as it was, there is none.
fn place(line: usize, before: Option<&&str>, after: Option<&&str>) -> Option<usize> {
    let index = line.checked_sub(1)?;
    let text = before?.lines().nth(index)?;
    let places = after?.lines().enumerate().filter(|(_, it)| *it == text);
    let nearest = places.min_by_key(|(place, _)| place.abs_diff(index))?;
    Some(nearest.0 + 1)
}
