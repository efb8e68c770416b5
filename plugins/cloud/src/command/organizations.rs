//! `organizations list` and `organizations use`.

use std::path::PathBuf;

use bot_cli_protocol::failure::Failure;
use bot_cli_sdk::plugin::Reply;
use bot_cli_terminal::table;
use serde_json::json;

use super::context::CommandContext;
use super::kind::{self, Organizations, Others};
use super::open;
use crate::config::{BackendSettings, ConfigFile};
use crate::domain::{BUILT_IN, Organization};
use crate::input::wrong;
use crate::options::ScopeOptions;
use crate::scope::{Scope, Wanted};
use crate::source::Source;
use crate::text::theirs;
use crate::words::{failed, near_or};

pub(super) fn list(context: &CommandContext<'_>, options: &ScopeOptions) -> Result<Reply, Failure> {
    let (scope, Organizations { all, others }) = organizations(context, &options.wanted(None))?;
    if others == Others::Unnamed {
        let backend = &scope.backend.value;
        context.note(&format!(
            "the backend `{backend}` has no list of organizations; this is the one in use"
        ));
    }
    let current = scope
        .organization
        .as_ref()
        .map(|organization| organization.value.as_str());
    let header = ["NAME", "TITLE", ""].map(str::to_owned).to_vec();
    let rows = all.iter().map(|(name, title)| {
        let mark = if Some(name.as_str()) == current {
            "in use"
        } else {
            ""
        };
        vec![theirs(name), theirs(title), mark.to_owned()]
    });
    Ok(
        Reply::text(table(&[header].into_iter().chain(rows).collect::<Vec<_>>())).data(json!({
            "organizations": all.iter().map(|(name, title)| json!({
                "name": theirs(name),
                "title": theirs(title),
                "current": Some(name.as_str()) == current,
            })).collect::<Vec<_>>(),
            "scope": scope.json(),
        })),
    )
}

pub(super) fn choose(context: &CommandContext<'_>, name: &str) -> Result<Reply, Failure> {
    let wanted = Organization::parse(name).map_err(|problem| wrong("name", problem))?;
    let (scope, Organizations { all, others }) = organizations(context, &Wanted::default())?;
    let known = all.iter().any(|(known, _)| known == wanted.as_str());
    if !known && others == Others::Missing {
        let message = format!("you don't belong to an organization `{wanted}`");
        let failure = failed("not_found", message);
        let known = all.iter().map(|(name, _)| name.as_str());
        return Err(near_or(
            failure,
            name,
            known,
            "bot-cli cloud organizations list",
        ));
    }
    let path = keep(context, &scope, &wanted)?;
    if scope
        .organization
        .as_ref()
        .is_some_and(|organization| organization.source == Source::Environment)
    {
        context.warn("BOT_CLI_ORGANIZATION is set and wins over the configuration");
    }
    Ok(Reply::text(format!(
        "Using the organization {wanted} from now on ({})\n",
        path.display()
    ))
    .data(json!({ "organization": wanted.as_str(), "config": path })))
}

/// Keeps the choice where the backend looks for it, and returns where that is.
fn keep(
    context: &CommandContext<'_>,
    scope: &Scope,
    wanted: &Organization,
) -> Result<PathBuf, Failure> {
    let (key, value) = ("organization", Some(wanted.as_str()));
    let backend = &scope.backend.value;
    if BUILT_IN.contains(backend) {
        let mut config = ConfigFile::read(&context.environment)?;
        config.set(key, value)?;
        return Ok(config.path);
    }
    let mut settings = BackendSettings::read(&context.environment, backend)?;
    settings.set(backend, key, value)?;
    Ok(settings.path)
}

/// Every organization, with the scope in which one of them is current.
fn organizations(
    context: &CommandContext<'_>,
    wanted: &Wanted,
) -> Result<(Scope, Organizations), Failure> {
    let mut scope = open::scope(context, wanted)?;
    let kind = kind::of(&context.environment, &scope.backend)?;
    let organizations = kind.organizations(context, &mut scope)?;
    Ok((scope, organizations))
}
