//! The record of a project of which git merges two branches that both have changed it.

use std::cell::OnceCell;

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_terminal::shell::quoted;
use semver::Version;
use serde_json::{Map, Value};

use super::super::job::{unplanned, unrecorded};
use super::super::resolved;
use super::found::{Merged, look, members, recorded};
use crate::config::parse_file;
use crate::draft::{Draft, flag};
use crate::equivalent::directory;
use crate::plan;
use crate::record::{self, FOLDER, PROJECT, VERSION, has_markers};
use crate::target::Target;
use crate::target::compare::PathState;
use crate::update::committed::sides;

/// Makes a record again in which git has left conflicts, from the options of both branches; `None`: there are none, or git has not both.
/// Where the branches have chosen different options, those of `asked` decide.
pub(super) fn merged(target: &Target, asked: &Draft) -> Result<Option<Merged>, Failure> {
    let has_conflicts = match look(target, PROJECT)? {
        PathState::File(project) => has_markers(&project),
        PathState::Nothing | PathState::Link | PathState::Obstacle(_) => false,
    };
    let sides = has_conflicts.then(|| sides(&target.path, PROJECT));
    let Some(sides) = sides.flatten() else {
        return Ok(None);
    };
    let [ours, theirs] = [recorded(&sides.ours)?.tool, recorded(&sides.theirs)?.tool];
    if [&ours, &theirs].iter().any(|tool| **tool != VERSION) {
        return Err(other_versions(target, &ours, &theirs));
    }
    let before = (sides.before.as_deref())
        .and_then(members)
        .unwrap_or_default();
    let [ours, theirs] = [sides.ours, sides.theirs].map(|side| members(&side).unwrap_or_default());
    let config = Value::Object(options(&before, ours, &theirs, asked.clone())?).to_string();
    let read = parse_file(&config).unwrap_or_default();
    let catalogue = OnceCell::new();
    let config = resolved(&read.draft, read.problems, target, &catalogue)?;
    let generated = plan::scaffold(&config).map_err(unplanned)?;
    let [_, base, project] = record::files(&config, &generated.files).map_err(unrecorded)?;
    Ok(Some(Merged {
        project: project.bytes,
        base: base.bytes,
    }))
}

/// Merges the options of two branches. One that both have changed is the user's to choose.
fn options(
    before: &Map<String, Value>,
    ours: Map<String, Value>,
    theirs: &Map<String, Value>,
    mut asked: Draft,
) -> Result<Map<String, Value>, Failure> {
    let mut merged = ours;
    let mut failure = Failure::new(
        Exit::Failed,
        "branches_differ",
        format!("two branches have chosen different options in `{PROJECT}`"),
    )
    .hint("nothing was changed; add the options that you want to the command");
    for (key, theirs) in theirs {
        let ours = merged.entry(key).or_insert_with(|| theirs.clone());
        match both(before.get(key), ours, theirs) {
            Some(value) => *ours = value,
            None if asked.says(key) => {}
            None => {
                let problem = format!(
                    "is {} in one branch and {} in the other",
                    shown(ours),
                    shown(theirs)
                );
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

/// The value that two branches give; `None`: each has another one.
fn both(before: Option<&Value>, ours: &Value, theirs: &Value) -> Option<Value> {
    if Some(ours) == before || ours == theirs {
        return Some(theirs.clone());
    }
    if Some(theirs) == before {
        return Some(ours.clone());
    }
    match (ours, theirs) {
        (Value::Array(ours), Value::Array(theirs)) => {
            let before = before.and_then(Value::as_array);
            let was = |item: &&Value| before.is_some_and(|before| before.contains(item));
            let kept = ours
                .iter()
                .filter(|item| theirs.contains(item) || !was(item));
            let added = theirs
                .iter()
                .filter(|item| !ours.contains(item) && !was(item));
            Some(kept.chain(added).cloned().collect())
        }
        (Value::Bool(_), Value::Bool(_)) => Some(Value::Bool(true)),
        // The versions of packs are those of the packs that are found.
        (Value::Object(_), Value::Object(_)) => Some(ours.clone()),
        _ => None,
    }
}

fn shown(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| format!("`{value}`"), crate::wording::quoted)
}

fn other_versions(target: &Target, ours: &str, theirs: &str) -> Failure {
    let parsed = |tool: &str| Version::parse(tool).ok();
    let newer = if parsed(theirs) > parsed(ours) {
        "--theirs"
    } else {
        "--ours"
    };
    let [ours, theirs] = [ours, theirs].map(|tool| tool.escape_debug().to_string());
    let message = format!(
        "bot-cli-init {ours} wrote the record of one branch and {theirs} that of the other, and this is {VERSION}"
    );
    let folder = quoted(&directory(&target.shown));
    Failure::new(Exit::Failed, "other_versions", message)
        .hint(format!(
            "nothing was changed; `git -C {folder} checkout {newer} {FOLDER}` takes the newer record"
        ))
        .hint("after that, an update names the options of the other branch")
}
