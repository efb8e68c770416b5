//! `organizations list` and `organizations use`.

use bot_cli_sdk::failure::{Exit, Failure};
use bot_cli_sdk::plugin::Reply;
use bot_cli_sdk::terminal::table;
use serde_json::json;

use super::desk::Desk;
use super::open;
use crate::auth::credentials::TokenKind;
use crate::backend::hosted::access;
use crate::backend::local::ORGANIZATION;
use crate::config::{Config, nearest};
use crate::domain::Organization;
use crate::input::invalid;
use crate::options::ScopeOptions;
use crate::scope::{BackendKind, Scope, Source, Wanted};
use crate::words::{self, theirs};

pub(super) async fn list(desk: &Desk<'_>, options: &ScopeOptions) -> Result<Reply, Failure> {
    let (scope, all) = organizations(desk, &options.wanted(None)).await?;
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
    Ok(Reply {
        text: table(&[header].into_iter().chain(rows).collect::<Vec<_>>()),
        data: json!({
            "organizations": all.iter().map(|(name, title)| json!({
                "name": theirs(name),
                "title": theirs(title),
                "current": Some(name.as_str()) == current,
            })).collect::<Vec<_>>(),
            "scope": scope.json(),
        }),
        next: Vec::new(),
    })
}

pub(super) async fn choose(desk: &Desk<'_>, name: &str) -> Result<Reply, Failure> {
    let wanted = Organization::parse(name)
        .map_err(|problem| invalid(vec![("name".to_owned(), None, problem)]))?;
    let (scope, all) = organizations(desk, &Wanted::default()).await?;
    // The vault takes any name: its organizations come into being with their first set.
    let known = all.iter().any(|(known, _)| known == wanted.as_str());
    if !known && scope.backend.value == BackendKind::Hosted {
        let failure = Failure::new(
            Exit::Failed,
            "not_found",
            format!("you don't belong to an organization `{wanted}`"),
        );
        return Err(
            match nearest(name, all.iter().map(|(name, _)| name.as_str())) {
                Some(near) => failure.hint(format!("did you mean `{}`?", theirs(near))),
                None => failure.hint("bot-cli cloud organizations list"),
            },
        );
    }
    let mut config = Config::read(&desk.environment)?;
    config.set("organization", Some(wanted.as_str()))?;
    if scope
        .organization
        .as_ref()
        .is_some_and(|organization| organization.source == Source::Environment)
    {
        desk.warn("BOT_CLI_ORGANIZATION is set and wins over the configuration");
    }
    Ok(Reply {
        text: format!(
            "Using the organization {wanted} from now on ({})\n",
            config.path.display()
        ),
        data: json!({ "organization": wanted.as_str(), "config": config.path }),
        next: Vec::new(),
    })
}

/// Every organization, with the scope in which one of them is current.
async fn organizations(
    desk: &Desk<'_>,
    wanted: &Wanted,
) -> Result<(Scope, Vec<(String, String)>), Failure> {
    let mut scope = open::scope(desk, wanted)?;
    match scope.backend.value {
        BackendKind::Local => {
            let vault = open::vault(desk, &mut scope)?;
            let mut names = vault
                .organizations()
                .map_err(|error| words::failure(&error.into()))?;
            let current = scope
                .organization
                .as_ref()
                .map(|organization| organization.value.to_string());
            names.extend(current.into_iter().chain([ORGANIZATION.to_owned()]));
            names.sort();
            names.dedup();
            Ok((
                scope,
                names.into_iter().map(|name| (name.clone(), name)).collect(),
            ))
        }
        BackendKind::Hosted => {
            let access = open::access(desk, &scope).await?;
            if access.kind == Some(TokenKind::ApiKey) {
                return Err(Failure::new(
                    Exit::Failed,
                    "api_key",
                    "a private API key belongs to one organization and can't list others",
                )
                .hint("a personal access token or `bot-cli cloud auth login` can"));
            }
            let client = open::client(desk, &scope, &access.token)?;
            let all = access::organizations(&client)
                .await
                .map_err(|error| words::failure(&error))?;
            open::settle_organization(&mut scope, &access, &all);
            Ok((scope, all))
        }
    }
}
