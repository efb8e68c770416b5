//! A plan as it is carried out: what is put, then what is removed.

use bot_cli_protocol::failure::Failure;
use bot_cli_protocol::wording::count;

use super::plan::Plan;
use crate::command::context::CommandContext;
use crate::command::open::Opened;
use crate::command::provisioning::{self, Expected};
use crate::domain::{Key, Status};
use crate::words::change::Deed;

/// Does what the plan says; returns the status that the set has then.
pub fn carry_out(
    context: &CommandContext<'_>,
    opened: &Opened<'_>,
    plan: &Plan,
    wait: bool,
) -> Result<Option<Status>, Failure> {
    let name = &plan.name;
    let keys: Vec<Key> = plan.entries.iter().map(|entry| entry.key.clone()).collect();
    context.progress(&match plan.gone().len() {
        0 => format!("Saving {}", count(keys.len(), "key")),
        gone => format!("Saving {}, removing {gone}", count(keys.len(), "key")),
    });
    let prior = plan.target.prior();
    let confirmed = match &plan.removed {
        None => opened.backend.put(name, &plan.entries, prior),
        Some(removed) => opened.backend.replace(name, &plan.entries, removed, prior),
    };
    let confirmed = confirmed.map_err(|error| opened.change_failure(Deed::Change, name, &error))?;
    let expected = (&confirmed, Expected::Keys(&keys, plan.gone()));
    provisioning::after(
        context,
        opened,
        (name, plan.target.region.as_ref()),
        expected,
        wait,
    )
}
