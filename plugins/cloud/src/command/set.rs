//! `secrets set`.

mod plan;
mod read;

use bot_cli_sdk::failure::Failure;
use bot_cli_sdk::plugin::Reply;
use bot_cli_sdk::secret::Secret;
use serde_json::json;

use super::context::CommandContext;
use super::open::Opened;
use super::provisioning::{self, Expected};
use super::target::{target, where_to};
use super::{confirm, open};
use crate::domain::{Key, SetKind, SetName, Status};
use crate::input::given::Given;
use crate::options::Set;
use crate::scope::{BackendKind, Setting, Source};
use crate::text::count;
use crate::words::change::Deed;
use plan::Plan;
use read::{Read, ask, read};

pub(super) fn set(context: &CommandContext<'_>, options: Set) -> Result<Reply, Failure> {
    let read = read(context, options)?;
    let Read {
        options,
        name,
        region,
        mut given,
        template,
    } = read;
    for warning in &given.warnings {
        context.warn(warning);
    }
    let wanted = options.scope.wanted(options.region.region.as_deref());
    let mut scope = open::scope(context, &wanted)?;
    let said_here = |source| matches!(source, Source::Flag | Source::Environment);
    if let Some(region) = region
        && !scope
            .region
            .as_ref()
            .is_some_and(|region| said_here(region.source))
    {
        scope.region = Some(Setting {
            value: region,
            source: Source::DeployFile,
        });
    }
    let mut opened = open::open_scope(context, scope)?;
    let values: Vec<Secret> = given.entries.iter().map(|one| one.value.clone()).collect();
    opened.backend.conceal(&values);
    let existing = opened.get(&name)?;
    let warn = |line: &str| context.warn(line);
    let target = target(&mut opened, &name, SetKind::Secret, existing, &warn)?;
    let missing = missing(&template, &given, &target.known);
    if given.entries.is_empty() && given.open.is_empty() {
        // Nothing but a template: its missing keys are what this is about.
        if missing.is_empty() {
            return Ok(nothing_missing(&opened, &name));
        }
        given.open.clone_from(&missing);
    }
    let asked = ask(context, &given.open, options.dry_run)?;
    let missing: Vec<String> = missing
        .iter()
        .filter(|key| !asked.iter().any(|entry| entry.key == **key))
        .map(ToString::to_string)
        .collect();
    let plan = Plan {
        name,
        target,
        entries: [given.entries, asked].concat(),
        removed: Vec::new(),
    };
    if options.dry_run {
        return Ok(reply(&opened, &plan, None, &missing, true));
    }
    if !missing.is_empty() {
        let missing = missing.join(", ");
        context.warn(&format!("still missing in `{}`: {missing}", plan.name));
    }
    if !options.skip {
        let keys = count(plan.entries.len(), "key");
        let message = format!("Save {keys} in `{}`?", plan.name);
        confirm::yes(context, message, plan.words(&opened))?;
    }
    let status = carry_out(context, &opened, &plan, options.wait)?;
    Ok(reply(&opened, &plan, status, &missing, false))
}

/// Does what the plan says; the status that the set has then.
fn carry_out(
    context: &CommandContext<'_>,
    opened: &Opened<'_>,
    plan: &Plan,
    wait: bool,
) -> Result<Option<Status>, Failure> {
    let name = &plan.name;
    context.progress(&format!("Saving {}", count(plan.entries.len(), "key")));
    let put = opened.backend.put(name, &plan.entries, plan.target.prior());
    let confirmed = put.map_err(|error| opened.change_failure(Deed::Change, name, &error))?;
    let keys: Vec<Key> = plan.entries.iter().map(|entry| entry.key.clone()).collect();
    let expected = (&confirmed, Expected::Keys(&keys));
    provisioning::after(context, opened, name, expected, wait)
}

/// The keys of the template that nothing gives a value to.
fn missing(template: &[Key], given: &Given, known: &[String]) -> Vec<Key> {
    template
        .iter()
        .filter(|key| {
            !given.entries.iter().any(|entry| entry.key == **key)
                && !given.open.contains(key)
                && !known.iter().any(|known| known == key.as_str())
        })
        .cloned()
        .collect()
}

fn nothing_missing(opened: &Opened<'_>, name: &SetName) -> Reply {
    Reply {
        text: format!("Nothing to do: `{name}` has every key of the template\n"),
        data: json!({
            "name": name.as_str(),
            "region": opened.scope.region.as_ref().map(|region| region.value.as_str()),
            "created": [],
            "overwritten": [],
            "missing": [],
            "status": null,
            "dry_run": false,
            "scope": opened.scope.json(),
        }),
        next: Vec::new(),
    }
}

fn reply(
    opened: &Opened<'_>,
    plan: &Plan,
    status: Option<Status>,
    missing: &[String],
    dry_run: bool,
) -> Reply {
    let (created, overwritten) = plan.changes();
    let status = status.map(Status::name);
    let text = if dry_run {
        let mut text = plan.words(opened);
        if !missing.is_empty() {
            text.extend(["Still missing: ", &missing.join(", "), "\n"]);
        }
        text + "Nothing was changed\n"
    } else {
        let mut text = format!(
            "Saved {} in `{}`: {} created, {} overwritten ({}; {})\n",
            count(plan.entries.len(), "key"),
            plan.name,
            created.len(),
            overwritten.len(),
            where_to(opened, &plan.target.region),
            status.unwrap_or("status unknown"),
        );
        if plan.target.exists && opened.scope.backend.value == BackendKind::Hosted {
            text += "Agents that are running keep the old values until they are deployed again\n";
        }
        text
    };
    let next = if dry_run {
        Vec::new()
    } else {
        vec![opened.scope.command(&format!("secrets list {}", plan.name))]
    };
    Reply {
        text,
        data: json!({
            "name": plan.name.as_str(),
            "region": plan.target.region.as_str(),
            "created": created,
            "overwritten": overwritten,
            "missing": missing,
            "status": status,
            "dry_run": dry_run,
            "scope": opened.scope.json(),
        }),
        next,
    }
}
