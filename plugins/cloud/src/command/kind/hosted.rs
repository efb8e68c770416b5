//! The hosting service.

use bot_cli_protocol::failure::{Exit, Failure};

use super::{Kind, Organizations, Others};
use crate::backend::hosted::http::Client;
use crate::backend::hosted::{self, Hosted, Tenant, access};
use crate::backend::local::regions;
use crate::backend::{Profile, SecretsBackend};
use crate::command::context::CommandContext;
use crate::command::token::{self, Access};
use crate::domain::Organization;
use crate::domain::TokenKind;
use crate::scope::{Scope, Setting};
use crate::source::Source;
use crate::words::failed;

/// The service as a kind of backend.
pub struct Service;

impl Kind for Service {
    fn profile(&self) -> Profile {
        hosted::profile()
    }

    fn open<'a>(
        &self,
        context: &'a CommandContext<'_>,
        scope: &mut Scope,
    ) -> Result<Box<dyn SecretsBackend + 'a>, Failure> {
        note_address(scope);
        let access = token::access(context, scope)?;
        let client = client(context, scope, &access)?;
        let tenant = tenant(context, scope, &client, &access)?;
        Ok(Box::new(Hosted::new(client, tenant)))
    }

    fn organizations(
        &self,
        context: &CommandContext<'_>,
        scope: &mut Scope,
    ) -> Result<Organizations, Failure> {
        note_address(scope);
        let access = token::access(context, scope)?;
        if access.kind == Some(TokenKind::ApiKey) {
            return Err(failed(
                "api_key",
                "a private API key belongs to one organization and can't list others",
            )
            .hint("a personal access token or `bot-cli cloud auth login` can"));
        }
        let client = client(context, scope, &access)?;
        let all = access::organizations(&client)?;
        settle_organization(scope, &access, &all);
        Ok(Organizations {
            all,
            others: Others::Missing,
        })
    }

    fn regions(&self) -> Vec<(String, String)> {
        regions()
    }
}

fn note_address(scope: &mut Scope) {
    scope.address = Some(Setting::new(scope.shown_url(), scope.api_url.source));
}

/// A client of the service with a token, which is renewed where the service no longer accepts it.
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
    let mut known = None;
    let kind = if let Some(kind) = access.kind {
        kind
    } else {
        let probed = access::probe(client)?;
        known = probed.organizations;
        probed.kind
    };
    if kind == TokenKind::ApiKey {
        if let Some(organization) = scope.organization.take() {
            let message = format!(
                "a private API key works for its own organization only; `{}` is ignored",
                organization.value
            );
            if organization.source == Source::Flag {
                context.warn(&message);
            } else {
                context.tell(&message);
            }
        }
        return Ok(Tenant::ApiKey);
    }
    if scope.organization.is_none() {
        let all = || match known {
            Some(known) => Ok(known),
            None => access::organizations(client).map_err(Failure::from),
        };
        scope.organization = match chosen(access) {
            Some(chosen) => Some(chosen),
            None => Some(first(&all()?)?),
        };
    }
    match &scope.organization {
        Some(organization) => Ok(Tenant::User(organization.value.clone())),
        None => Err(internal("no organization was chosen")),
    }
}

/// The organization that was chosen when signing in.
fn chosen(access: &Access) -> Option<Setting<Organization>> {
    let value = Organization::parse(access.organization.as_deref()?).ok()?;
    Some(Setting::new(value, Source::Config))
}

/// Notes which of a person's organizations is used when nothing says otherwise.
pub fn settle_organization(scope: &mut Scope, access: &Access, all: &[(String, String)]) {
    if scope.organization.is_none() {
        scope.organization = chosen(access).or_else(|| first(all).ok());
    }
}

/// The first of a person's organizations, which is the service's default.
fn first(all: &[(String, String)]) -> Result<Setting<Organization>, Failure> {
    let Some((name, _)) = all.first() else {
        return Err(Failure::new(
            Exit::NotAllowed,
            "not_allowed",
            "you belong to no organization",
        ));
    };
    let value = Organization::parse(name)
        .map_err(|_| internal("the service names an organization that can't be one"))?;
    Ok(Setting::new(value, Source::Service))
}

fn internal(problem: &str) -> Failure {
    failed("internal", problem)
}
