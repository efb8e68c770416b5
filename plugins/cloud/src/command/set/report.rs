//! The report of `set` and `copy`.

use bot_cli_protocol::wording::count;
use bot_cli_sdk::plugin::Reply;
use serde_json::{Value, json};

use super::plan::{Plan, names};
use crate::backend::Ability;
use crate::command::context::CommandContext;
use crate::command::open::Opened;
use crate::command::project;
use crate::domain::{BackendName, Key, Region, SetName, Status};
use crate::text::theirs;

/// The progress of a plan.
#[derive(Clone, Copy)]
pub enum Progress {
    /// It was only shown.
    Shown,
    /// It is carried out; the status of the set, where it is known.
    Done(Option<Status>),
}

/// Reports on a plan.
pub fn reply(
    context: &CommandContext<'_>,
    opened: &Opened<'_>,
    plan: &Plan,
    progress: Progress,
) -> Reply {
    let (created, overwritten) = plan.changes();
    let (text, status, next) = match progress {
        Progress::Shown => (
            plan.words(opened) + "Nothing was changed\n",
            None,
            Vec::new(),
        ),
        Progress::Done(status) => {
            let status = status.map(Status::name);
            (
                done(opened, plan, status),
                status,
                vec![next(context, opened, plan)],
            )
        }
    };
    Reply::text(text)
        .data(json!({
            "name": plan.name.as_str(),
            "region": plan.target.region.as_ref().map(Region::as_str),
            "created": created,
            "overwritten": overwritten,
            "removed": list(plan.gone()),
            "skipped": list(&plan.skipped),
            "missing": list(&plan.missing),
            "status": status,
            "dry_run": matches!(progress, Progress::Shown),
            "scope": opened.scope.json(),
        }))
        .next_all(next)
}

/// Starts the bot of a project, which has its keys from the vault; elsewhere, looks at the set.
fn next(context: &CommandContext<'_>, opened: &Opened<'_>, plan: &Plan) -> String {
    let is_vault = opened.scope.backend.value == BackendName::LOCAL;
    if is_vault && project::is_generated(&context.cwd()) {
        return "bot-cli dev".to_owned();
    }
    let look = format!("secrets list {}", plan.name);
    opened.scope.command(&look)
}

fn done(opened: &Opened<'_>, plan: &Plan, status: Option<&str>) -> String {
    let (created, overwritten) = plan.changes();
    let removed = match plan.gone().len() {
        0 => String::new(),
        removed => format!(", {removed} removed"),
    };
    let mut text = format!(
        "Saved {} in `{}`: {} created, {} overwritten{removed} ({}; {})\n",
        count(plan.entries.len(), "key"),
        plan.name,
        created.len(),
        overwritten.len(),
        opened.whereabouts(plan.target.region.as_ref().map(Region::as_str)),
        status.unwrap_or("status unknown"),
    );
    if !plan.skipped.is_empty() {
        text.extend(["Left out, without a value: ", &names(&plan.skipped), "\n"]);
    }
    if plan.target.exists && opened.profile().can(Ability::Agents) {
        text += "Agents that are running keep the old values until they are deployed again\n";
    }
    text
}

fn list(keys: &[Key]) -> Value {
    keys.iter().map(|key| theirs(key.as_str())).collect()
}

/// Reports that a set has every key of a template.
pub fn nothing_missing(opened: &Opened<'_>, name: &SetName) -> Reply {
    Reply::text(format!(
        "Nothing to do: `{name}` has every key of the template\n"
    ))
    .data(json!({
        "name": name.as_str(),
        "region": opened.scope.region.as_ref().map(|region| region.value.as_str()),
        "created": [],
        "overwritten": [],
        "removed": [],
        "skipped": [],
        "missing": [],
        "status": null,
        "dry_run": false,
        "scope": opened.scope.json(),
    }))
}
