//! The `builds` commands, which show the service's image builds and their logs.

use bot_cli_protocol::failure::Failure;
use bot_cli_sdk::plugin::Reply;
use bot_cli_terminal::shell::quoted;
use serde_json::{Value, json};

use super::context::CommandContext;
use super::list::{Column, listing};
use super::open;
use crate::backend::hosted::ServiceError;
use crate::input::checked_id;
use crate::options::{Account, BuildId, BuildsCommand};
use crate::scope::Scope;
use crate::service::{BuildLog, Service};
use crate::text::theirs;
use crate::words::failed;

/// The maximum number of builds to list.
const LATEST: &str = "50";

/// The maximum number of log lines to show.
const LINES: &str = "10000";

pub(super) fn run(context: &CommandContext<'_>, command: &BuildsCommand) -> Result<Reply, Failure> {
    match command {
        BuildsCommand::List(account) => list(context, account),
        BuildsCommand::Status(build) => status(context, build),
        BuildsCommand::Logs(build) => logs(context, build),
    }
}

const COLUMNS: &[Column] = &[
    ("BUILD", "id", "/id"),
    ("STATUS", "status", "/status"),
    ("REGION", "region", "/region"),
    ("SECONDS", "seconds", "/buildDurationSeconds"),
    ("CREATED", "created", "/createdAt"),
    ("", "error", "/errorMessage"),
];

fn list(context: &CommandContext<'_>, account: &Account) -> Result<Reply, Failure> {
    let (service, _) = open::service(context, account.organization.as_deref())?;
    let limit = [("limit", Some(LATEST.to_owned()))];
    Ok(listing(
        "builds",
        COLUMNS,
        &service.rows(&["builds"], "builds", &limit)?,
    ))
}

/// Returns a resource of a build. Fails with a hint if the build doesn't exist.
fn found<T: serde::de::DeserializeOwned>(
    service: &Service<'_>,
    scope: &Scope,
    parts: &[&str],
    query: &[(&str, Option<String>)],
) -> Result<T, Failure> {
    match service.get(parts, query) {
        Err(ServiceError::NotFound(_)) => {
            let message = format!("there is no build `{}`", theirs(parts[1]));
            Err(failed("not_found", message).hint(scope.command("builds list")))
        }
        found => Ok(found?),
    }
}

fn status(context: &CommandContext<'_>, options: &BuildId) -> Result<Reply, Failure> {
    let id = checked_id("id", &options.id)?;
    let (service, scope) = open::service(context, options.account.organization.as_deref())?;
    let found: Value = found(&service, &scope, &["builds", id], &[])?;
    let build = &found["build"];
    let mut reply = listing("builds", COLUMNS, std::slice::from_ref(build));
    reply.data = reply.data["builds"][0].take();
    if let Some(error) = build["errorMessage"].as_str() {
        reply.text.extend(["\n", &theirs(error), "\n"]);
    }
    let id = quoted(id);
    let next = if build["status"] == "success" {
        format!("deploy --build-id {id}")
    } else {
        format!("builds logs {id}")
    };
    Ok(reply.next(scope.command(&next)))
}

fn logs(context: &CommandContext<'_>, options: &BuildId) -> Result<Reply, Failure> {
    let id = checked_id("id", &options.id)?;
    let (service, scope) = open::service(context, options.account.organization.as_deref())?;
    let limit = [("limit", Some(LINES.to_owned()))];
    let log: BuildLog = found(&service, &scope, &["builds", id, "logs"], &limit)?;
    let lines: Vec<String> = log.lines().iter().map(|line| theirs(line)).collect();
    if lines.is_empty() {
        context.note("there are no lines yet");
    }
    let text: String = lines.iter().flat_map(|line| [line, "\n"]).collect();
    Ok(Reply::text(text).data(json!({ "lines": lines })))
}
