//! The `builds` commands.

use bot_cli_protocol::failure::Failure;
use bot_cli_sdk::plugin::Reply;
use serde_json::json;

use super::context::CommandContext;
use super::list::{Column, listing};
use super::open;
use crate::backend::hosted::ServiceError;
use crate::input::checked_id;
use crate::options::{Account, BuildsCommand};
use crate::text::theirs;
use crate::words::failed;

/// The maximum number of builds to list.
const LATEST: &str = "50";

pub(super) fn run(context: CommandContext<'_>, command: &BuildsCommand) -> Result<Reply, Failure> {
    match command {
        BuildsCommand::List(account) => list(context, account),
        BuildsCommand::Logs { id, account } => logs(context, id, account),
    }
}

const COLUMNS: &[Column] = &[
    ("BUILD", "id", "/id"),
    ("STATUS", "status", "/status"),
    ("REGION", "region", "/region"),
    ("SECONDS", "seconds", "/buildDurationSeconds"),
    ("CREATED", "created", "/createdAt"),
    ("ERROR", "error", "/errorMessage"),
];

fn list(context: CommandContext<'_>, account: &Account) -> Result<Reply, Failure> {
    let ((), service) = open::service(context, account, Ok(()))?;
    let limit = [("limit", Some(LATEST.to_owned()))];
    let builds = service.rows(&["builds"], "builds", &limit)?;
    Ok(listing("builds", COLUMNS, &builds))
}

fn logs(context: CommandContext<'_>, id: &str, account: &Account) -> Result<Reply, Failure> {
    let session = context.session;
    let (id, service) = open::service(context, account, checked_id("id", id))?;
    let (lines, has_more) = match service.build_log(id) {
        Err(ServiceError::NotFound(_)) => {
            let message = format!("there is no build `{}`", theirs(id));
            let list = service.scope.command("builds list");
            return Err(failed("not_found", message).hint(list));
        }
        found => found?,
    };
    if has_more {
        session.warn("the log is longer: these are its first lines");
    }
    if lines.is_empty() {
        session.note("there are no lines yet");
    }
    let text: String = lines.iter().flat_map(|line| [line, "\n"]).collect();
    Ok(Reply::text(text).data(json!({ "lines": lines, "has_more": has_more })))
}
