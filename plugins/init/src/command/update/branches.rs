//! Resolves git conflicts in the record when two branches are merged.

use std::cell::OnceCell;

use bot_cli_protocol::failure::{Exit, Failure};
use serde_json::{Map, Value};

use super::found::recorded;
use crate::command::job::{unplanned, unrecorded};
use crate::command::origins::Origins;
use crate::command::resolved;
use crate::config::parse_file;
use crate::draft::{Draft, flag};
use crate::plan;
use crate::record::{self, PROJECT, RecordFile, VERSION, has_markers};
use crate::resolve::invalid_input;
use crate::target::Target;
use crate::target::compare::{PathState, find};
use crate::update::committed::sides;
use crate::update::differences::shown;

/// Rebuilds a record that has git conflicts by combining the options from both branches. If the branches have conflicting values for an
/// option, `asked` must set that option.
///
/// Returns `None` if the record has no conflicts, if git doesn't contain both sides, or if another version of this program wrote either
/// side.
pub(super) fn merged(
    target: &Target,
    asked: &Draft,
    origins: &mut Origins,
) -> Result<Option<[RecordFile; 3]>, Failure> {
    let sides = match find(&target.path, PROJECT)? {
        PathState::File(project) if has_markers(&project) => sides(&target.path, PROJECT),
        PathState::Nothing | PathState::File(_) | PathState::Obstacle(_) => None,
    };
    let Some([before, Some(ours), Some(theirs)]) = sides else {
        return Ok(None);
    };
    let (ours, theirs) = (recorded(&ours)?, recorded(&theirs)?);
    if ours.tool != VERSION || theirs.tool != VERSION {
        return Ok(None);
    }
    let before = before.and_then(|before| record::read(&before).ok());
    let before = before.map(|before| before.members).unwrap_or_default();
    let options = options(&before, ours.members, &theirs.members, asked.clone())?;
    let read = parse_file(&Value::Object(options).to_string()).unwrap_or_default();
    if !read.problems.is_empty() {
        return Err(invalid_input(read.problems));
    }
    let catalogue = OnceCell::new();
    let config = resolved(&read.draft, origins, target, &catalogue)?;
    let generated = plan::scaffold(&config).map_err(unplanned)?;
    let record = record::files(&config, &generated.files);
    record.map(Some).map_err(unrecorded)
}

/// Merges the options from two branches. Returns an error if the branches have conflicting values for an option that `asked` does not set.
fn options(
    before: &Map<String, Value>,
    ours: Map<String, Value>,
    theirs: &Map<String, Value>,
    mut asked: Draft,
) -> Result<Map<String, Value>, Failure> {
    let mut merged = ours;
    let message = format!("two branches have chosen different options in `{PROJECT}`");
    let mut failure = Failure::new(Exit::Failed, "branches_differ", message)
        .hint("nothing was changed; add the options that you want to the command");
    for (key, theirs) in theirs {
        let ours = merged.entry(key).or_insert_with(|| theirs.clone());
        match both(before.get(key), ours, theirs) {
            Some(value) => *ours = value,
            None if asked.says(key) => {}
            None => {
                let [ours, theirs] = [&*ours, theirs].map(shown);
                let problem = format!("is `{ours}` in one branch and `{theirs}` in the other");
                failure = failure.field(key, flag(key), problem);
            }
        }
    }
    if failure.fields.is_empty() {
        Ok(merged)
    } else {
        Err(failure)
    }
}

/// Merges an option's values from two branches. Returns `None` if the user must choose.
fn both(before: Option<&Value>, ours: &Value, theirs: &Value) -> Option<Value> {
    if Some(ours) == before || ours == theirs {
        return Some(theirs.clone());
    }
    if Some(theirs) == before {
        return Some(ours.clone());
    }
    match (ours, theirs) {
        (Value::Array(ours), Value::Array(theirs)) => {
            let was = |item: &&Value| {
                (before.and_then(Value::as_array)).is_some_and(|before| before.contains(item))
            };
            let kept = ours
                .iter()
                .filter(|item| theirs.contains(item) || !was(item));
            let added = theirs
                .iter()
                .filter(|item| !ours.contains(item) && !was(item));
            Some(kept.chain(added).cloned().collect())
        }
        (Value::Bool(_), Value::Bool(_)) => Some(Value::Bool(true)),
        // The update records the versions of the packs it finds, so either value works.
        (Value::Object(_), Value::Object(_)) => Some(ours.clone()),
        _ => None,
    }
}
