//! The `secrets diff` command.

use std::collections::BTreeSet;

use bot_cli_protocol::failure::Failure;
use bot_cli_sdk::plugin::Reply;
use serde_json::json;

use super::context::CommandContext;
use super::{open, project};
use crate::domain::{BackendName, SetName};
use crate::options::Diff;
use crate::scope::Wanted;
use crate::text::theirs;
use crate::words::failed;

/// Compares the keys of a set in the vault with those at the hosting service, which never returns values.
pub(super) fn diff(context: CommandContext<'_>, options: &Diff) -> Result<Reply, Failure> {
    let name = options.name.as_ref();
    let name = project::set(
        context.session,
        name,
        &options.of,
        SetName::parse_existing,
        "diff",
    )?
    .name;
    let organization = options.account.organization.as_deref();
    let there = Wanted::of(BackendName::HOSTED.as_str(), organization);
    let there = open::open(context, &there)?;
    let here = open::open(context, &Wanted::of(BackendName::LOCAL.as_str(), None))?;
    let found = [here.get(&name)?, there.get(&name)?];
    if found.iter().all(Option::is_none) {
        return Err(there.not_found(&name));
    }
    let keys = found.map(|found| found.map(|found| found.keys));
    let [Some(mine), Some(other)] = keys.map(|keys| keys.unwrap_or(Some(BTreeSet::new()))) else {
        let message = format!("the keys of `{name}` are not shown, so they can't be compared");
        return Err(failed("wrong_type", message));
    };
    let without = |keys: &BTreeSet<String>, others| -> Vec<String> {
        keys.difference(others).map(|key| theirs(key)).collect()
    };
    let (only_mine, only_its) = (without(&mine, &other), without(&other, &mine));
    let both = mine.len() - only_mine.len();
    let sides = [("in the vault", &only_mine), ("at the service", &only_its)];
    let sides = sides.into_iter().filter(|(_, keys)| !keys.is_empty());
    let sides = sides.map(|(place, keys)| format!("  only {place:14}  {}\n", keys.join(", ")));
    let text = format!("`{name}`: {both} in both (values can't be compared)\n");
    let text = text + &sides.collect::<String>();
    let reply = Reply::text(text).data(json!({
        "name": name.as_str(),
        "only_in_vault": only_mine,
        "only_at_service": only_its,
        "in_both": both,
    }));
    if only_mine.is_empty() || organization.is_some() {
        return Ok(reply);
    }
    Ok(reply.next(format!("bot-cli cloud secrets copy {name}")))
}
