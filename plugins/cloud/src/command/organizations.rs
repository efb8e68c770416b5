//! `organizations list` and `organizations use`.

use bot_cli_protocol::failure::Failure;
use bot_cli_sdk::plugin::Reply;
use serde_json::json;

use super::context::CommandContext;
use super::kind::{Kind, Organizations};
use super::list::table_of;
use super::open;
use crate::config::Settings;
use crate::domain::Organization;
use crate::input::wrong;
use crate::options::ScopeOptions;
use crate::scope::{Scope, Wanted};
use crate::source::Source;
use crate::text::theirs;
use crate::words::{failed, near_or};

pub(super) fn list(context: &CommandContext<'_>, options: &ScopeOptions) -> Result<Reply, Failure> {
    let (scope, Organizations { all, .. }) = organizations(context, &options.wanted(None))?;
    let current = scope.organization.as_ref();
    let current = current.map(|organization| organization.value.as_str());
    let rows = all.iter().map(|(name, title)| {
        let is_current = Some(name.as_str()) == current;
        let mark = if is_current { "in use" } else { "" };
        [theirs(name), theirs(title), mark.to_owned()]
    });
    let all = all.iter().map(|(name, title)| {
        json!({
            "name": theirs(name),
            "title": theirs(title),
            "current": Some(name.as_str()) == current,
        })
    });
    Ok(
        Reply::text(table_of(["NAME", "TITLE", ""], rows)).data(json!({
            "organizations": all.collect::<Vec<_>>(),
            "scope": scope.json(),
        })),
    )
}

pub(super) fn choose(context: &CommandContext<'_>, name: &str) -> Result<Reply, Failure> {
    let wanted = Organization::parse(name).map_err(|problem| wrong("name", problem))?;
    let (scope, Organizations { all, is_complete }) = organizations(context, &Wanted::default())?;
    if is_complete && all.iter().all(|(known, _)| known != wanted.as_str()) {
        let message = format!("you don't belong to an organization `{wanted}`");
        let known = all.iter().map(|(name, _)| name.as_str());
        let list = "bot-cli cloud organizations list";
        return Err(near_or(failed("not_found", message), name, known, list));
    }
    let mut settings = Settings::of(&context.environment, &scope.backend.value)?;
    settings.set("organization", Some(wanted.as_str()))?;
    let source = scope.organization.map(|organization| organization.source);
    if source == Some(Source::Environment) {
        context.warn("BOT_CLI_ORGANIZATION is set and wins over the configuration");
    }
    let path = settings.path;
    let shown = path.display();
    let text = format!("Using the organization {wanted} from now on ({shown})\n");
    Ok(Reply::text(text).data(json!({ "organization": wanted.as_str(), "config": path })))
}

/// Returns every organization, with the scope in which one of them is current.
fn organizations(
    context: &CommandContext<'_>,
    wanted: &Wanted,
) -> Result<(Scope, Organizations), Failure> {
    let mut scope = open::scope(context, wanted)?;
    let kind = Kind::of(&context.environment, &scope.backend)?;
    let organizations = kind.organizations(context, &mut scope)?;
    Ok((scope, organizations))
}
