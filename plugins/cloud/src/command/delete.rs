//! `secrets delete`.

use bot_cli_protocol::failure::Failure;
use bot_cli_sdk::plugin::Reply;

use super::change::target::Target;
use super::change::{Change, Manner, Work};
use super::context::CommandContext;
use super::open;
use crate::domain::SetName;
use crate::input::wrong;
use crate::options::Delete;

pub(super) fn delete(context: &CommandContext<'_>, options: &Delete) -> Result<Reply, Failure> {
    let name = SetName::parse_existing(&options.name);
    let name = name.map_err(|problem| wrong("name", problem))?;
    let mut opened = open::open(context, &options.scope.wanted(None))?;
    let details = opened.existing(&name)?;
    opened.found(&details.summary);
    let kind = details.summary.kind;
    let change = Change {
        name,
        target: Target::existing(details),
        work: Work::Delete(kind),
    };
    change.make(context, &opened, Manner::unless_skipped(options.skip))
}
