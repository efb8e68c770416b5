//! The kinds of secrets backends, with their profiles and the functions that open them.

mod external;

use bot_cli_engine::discovery::BackendStanding;
use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_sdk::session::Session;

use super::context::CommandContext;
use super::token::{self, Access};
use crate::backend::hosted::http::Client;
use crate::backend::hosted::{self, Hosted, Tenant, access};
use crate::backend::local::{self, Vault};
use crate::backend::{Profile, SecretsBackend};
use crate::domain::{BUILT_IN, BackendName, Organization, TokenKind};
use crate::environment::Environment;
use crate::files::first_time;
use crate::scope::{Scope, Setting};
use crate::source::Source;
use crate::words::failed;
pub use external::{Installed, no_setting, uses};

pub enum Kind {
    Local,
    Hosted,
    Installed(Installed),
}

/// An organization's name and display name.
pub type Named = (String, String);

impl Kind {
    pub fn of(environment: &Environment, name: &Setting<BackendName>) -> Result<Self, Failure> {
        if name.value == BackendName::LOCAL {
            Ok(Self::Local)
        } else if name.value == BackendName::HOSTED {
            Ok(Self::Hosted)
        } else {
            Installed::find(environment, name).map(Self::Installed)
        }
    }

    /// Returns the backend's profile, as far as it is known before the backend is opened.
    pub fn profile(&self) -> Profile {
        match self {
            Self::Local => local::profile(),
            Self::Hosted => hosted::profile(),
            Self::Installed(installed) => installed.profile(),
        }
    }

    /// Opens the backend and records its organization and location in the scope.
    pub fn open<'a>(
        &self,
        context: CommandContext<'a>,
        scope: &mut Scope,
    ) -> Result<Box<dyn SecretsBackend + 'a>, Failure> {
        Ok(match self {
            Self::Local => {
                let folder = context.environment.data_folder.as_ref();
                let mark = folder.map(|folder| folder.join("vault-noted"));
                // Shown once per machine, or every time if the mark can't be stored.
                if scope.backend.source == Source::Default
                    && mark.is_none_or(|mark| first_time(&mark))
                {
                    context.session.note("not signed in: using this machine's vault (`bot-cli cloud config set backend local` makes that lasting, `bot-cli cloud auth login` signs in)");
                }
                Box::new(vault(context, scope)?)
            }
            Self::Hosted => {
                let (client, tenant) = connect(context, scope)?;
                Box::new(Hosted::new(client, tenant))
            }
            Self::Installed(installed) => Box::new(installed.open(context, scope)?),
        })
    }

    /// Returns the known organizations and whether the list is complete. Records the current organization in the scope.
    pub fn organizations(
        &self,
        context: CommandContext<'_>,
        scope: &mut Scope,
    ) -> Result<(Vec<Named>, bool), Failure> {
        let all = match self {
            Self::Local => {
                let mut names = vault(context, scope)?.organizations()?;
                names.push(Organization::of_vault().to_string());
                names.extend(scope.organization.iter().map(|one| one.value.to_string()));
                names.sort();
                names.dedup();
                let all = names.into_iter().map(|name| (name.clone(), name));
                // The vault creates an organization with its first set, so the list is never complete.
                return Ok((all.collect(), false));
            }
            Self::Hosted => Some(organizations_hosted(context, scope)?),
            Self::Installed(installed) => installed.open(context, scope)?.organizations()?,
        };
        let current = scope.organization.iter();
        let current = current.map(|one| (one.value.to_string(), one.value.to_string()));
        Ok((
            all.clone().unwrap_or_else(|| current.collect()),
            all.is_some(),
        ))
    }
}

pub fn vault<'a>(context: CommandContext<'a>, scope: &mut Scope) -> Result<Vault<'a>, Failure> {
    let own = || Setting::new(Organization::of_vault(), Source::Default);
    let organization = scope.organization.get_or_insert_with(own).value.clone();
    let folder = context.environment.vault_folder()?;
    Ok(Vault::new(
        &folder,
        organization,
        scope.keyring.value,
        context.session,
    ))
}

pub fn names(environment: &Environment) -> Vec<String> {
    let mut names: Vec<String> = BUILT_IN.iter().map(ToString::to_string).collect();
    let found = external::all(environment).into_iter();
    let usable = found.filter(|found| matches!(found.standing, BackendStanding::Usable(..)));
    names.extend(usable.map(|found| found.name));
    names
}

/// Connects to the hosting service and returns the client together with the account.
pub fn connect<'a>(
    context: CommandContext<'a>,
    scope: &mut Scope,
) -> Result<(Client<'a>, Tenant), Failure> {
    let access = token::access(context, scope)?;
    let client = client(context, scope, &access)?;
    let tenant = tenant(context.session, scope, &client, &access)?;
    Ok((client, tenant))
}

fn organizations_hosted(
    context: CommandContext<'_>,
    scope: &mut Scope,
) -> Result<Vec<Named>, Failure> {
    let access = token::access(context, scope)?;
    if access.kind == Some(TokenKind::ApiKey) {
        let message = "a private API key belongs to one organization and can't list others";
        return Err(failed("api_key", message)
            .hint("a personal access token or `bot-cli cloud auth login` can"));
    }
    let all = access::organizations(&client(context, scope, &access)?)?;
    if scope.organization.is_none() {
        scope.organization = first_organization(&all).ok();
    }
    Ok(all)
}

/// Returns a client for the token. If the service rejects the token of a stored sign-in, the client renews the sign-in.
pub fn client<'a>(
    context: CommandContext<'a>,
    scope: &Scope,
    access: &Access,
) -> Result<Client<'a>, Failure> {
    let client = Client::new(
        &scope.api_url.value,
        &access.token,
        scope.pace,
        context.session,
    )?;
    if access.from_environment {
        return Ok(client);
    }
    let scope = scope.clone();
    Ok(client.renewing(Box::new(move |refused| {
        token::replacement(context, &scope, refused)
    })))
}

/// Determines the account that the token belongs to. Records the account's organization in the scope.
fn tenant(
    session: &Session,
    scope: &mut Scope,
    client: &Client<'_>,
    access: &Access,
) -> Result<Tenant, Failure> {
    let (kind, known) = match access.kind {
        Some(kind) => (kind, None),
        None => access::probe(client)?,
    };
    let wanted = scope.organization.take();
    if kind == TokenKind::ApiKey {
        if let Some(Setting { value, source }) = wanted {
            let own = "a private API key works for its own organization only";
            let message = format!("{own}; `{value}` is ignored");
            if source == Source::Flag {
                session.warn(&message);
            } else {
                session.info(&message);
            }
        }
        return Ok(Tenant::ApiKey);
    }
    let organization = match (wanted, known) {
        (Some(wanted), _) => wanted,
        (None, Some(known)) => first_organization(&known)?,
        (None, None) => first_organization(&access::organizations(client)?)?,
    };
    scope.organization = Some(organization.clone());
    Ok(Tenant::User(organization.value))
}

/// Returns the first of the user's organizations, which is the service's default.
pub fn first_organization(all: &[Named]) -> Result<Setting<Organization>, Failure> {
    let Some((name, _)) = all.first() else {
        let message = "you belong to no organization";
        return Err(Failure::new(Exit::NotAllowed, "not_allowed", message));
    };
    let value = Organization::parse(name).map_err(|problem| {
        let message = format!("the name of an organization of the service {problem}");
        failed("invalid_response", message)
    })?;
    Ok(Setting::new(value, Source::Service))
}
