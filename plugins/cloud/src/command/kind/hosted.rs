//! The hosting service.

use bot_cli_protocol::failure::{Exit, Failure};

use super::Organizations;
use crate::backend::hosted::http::Client;
use crate::backend::hosted::{Hosted, Tenant, access};
use crate::command::context::CommandContext;
use crate::command::token::{self, Access};
use crate::domain::{Organization, TokenKind};
use crate::scope::{Scope, Setting};
use crate::source::Source;
use crate::words::failed;

pub fn open<'a>(context: &'a CommandContext<'_>, scope: &mut Scope) -> Result<Hosted<'a>, Failure> {
    note_address(scope);
    let access = token::access(context, scope)?;
    let client = client(context, scope, &access)?;
    let tenant = tenant(context, scope, &client, &access)?;
    Ok(Hosted::new(client, tenant))
}

pub fn organizations(
    context: &CommandContext<'_>,
    scope: &mut Scope,
) -> Result<Organizations, Failure> {
    note_address(scope);
    let access = token::access(context, scope)?;
    if access.kind == Some(TokenKind::ApiKey) {
        let message = "a private API key belongs to one organization and can't list others";
        return Err(failed("api_key", message)
            .hint("a personal access token or `bot-cli cloud auth login` can"));
    }
    let client = client(context, scope, &access)?;
    let all = access::organizations(&client)?;
    if scope.organization.is_none() {
        scope.organization = first(&all).ok();
    }
    Ok(Organizations {
        all,
        is_complete: true,
    })
}

fn note_address(scope: &mut Scope) {
    scope.address = Some(Setting::new(scope.shown_url(), scope.api_url.source));
}

/// Returns a client with a token, which is renewed when the service no longer accepts it.
pub fn client<'a>(
    context: &'a CommandContext<'_>,
    scope: &Scope,
    access: &Access,
) -> Result<Client<'a>, Failure> {
    let client = Client::new(&scope.api_url.value, &access.token, scope.pace, context)?;
    if access.from_environment {
        return Ok(client);
    }
    let scope = scope.clone();
    Ok(client.renewing(Box::new(move |refused| {
        token::replacement(context, &scope, refused)
    })))
}

/// Returns the account that requests with this token are for.
fn tenant(
    context: &CommandContext<'_>,
    scope: &mut Scope,
    client: &Client<'_>,
    access: &Access,
) -> Result<Tenant, Failure> {
    let (kind, known) = if let Some(kind) = access.kind {
        (kind, None)
    } else {
        let probed = access::probe(client)?;
        (probed.kind, probed.organizations)
    };
    let wanted = scope.organization.take();
    if kind == TokenKind::ApiKey {
        if let Some(Setting { value, source }) = wanted {
            let message = format!(
                "a private API key works for its own organization only; `{value}` is ignored"
            );
            if source == Source::Flag {
                context.warn(&message);
            } else {
                context.tell(&message);
            }
        }
        return Ok(Tenant::ApiKey);
    }
    let organization = match (wanted, known) {
        (Some(wanted), _) => wanted,
        (None, Some(known)) => first(&known)?,
        (None, None) => first(&access::organizations(client)?)?,
    };
    let value = organization.value.clone();
    scope.organization = Some(organization);
    Ok(Tenant::User(value))
}

/// Returns the first of a person's organizations, which is the service's default.
pub fn first(all: &[(String, String)]) -> Result<Setting<Organization>, Failure> {
    let Some((name, _)) = all.first() else {
        let message = "you belong to no organization";
        return Err(Failure::new(Exit::NotAllowed, "not_allowed", message));
    };
    let value = Organization::parse(name).map_err(|_| {
        let message = "the service names an organization that can't be one";
        failed("invalid_response", message)
    })?;
    Ok(Setting::new(value, Source::Service))
}
