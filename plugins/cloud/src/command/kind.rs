//! The kinds of secrets backends, with their profiles and the functions that open them.

mod external;

use bot_cli_engine::discovery::Standing;
use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_sdk::session::Session;
use bot_cli_secrets::Store;
use bot_cli_secrets::messages::{Ability, OrganizationInfo};
use bot_cli_vault::Vault;
use bot_cli_vault::files::first_time;

use super::context::CommandContext;
use super::token::{self, Access};
use crate::backend::Profile;
use crate::backend::hosted::http::Client;
use crate::backend::hosted::{Hosted, Tenant, access};
use crate::domain::{BUILT_IN, BackendName, Organization, TokenKind};
use crate::environment::Environment;
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
            Self::Local => Profile::vault(),
            Self::Hosted => Profile::service(),
            Self::Installed(installed) => Profile::installed(&installed.name),
        }
    }

    /// Opens the backend and records its organization and location in the scope.
    pub fn open<'a>(
        &self,
        context: CommandContext<'a>,
        scope: &mut Scope,
    ) -> Result<Box<dyn Store + 'a>, Failure> {
        Ok(match self {
            Self::Local => {
                let folder = context.environment.vault_folder.as_ref();
                let mark = folder.map(|folder| folder.with_file_name("vault-noted"));
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
        let store: Box<dyn Store> = match self {
            Self::Local => Box::new(vault(context, scope)?),
            Self::Hosted => return Ok((organizations_hosted(context, scope)?, true)),
            Self::Installed(installed) => Box::new(installed.open(context, scope)?),
        };
        let profile = self.profile().opened(store.opened().clone());
        let can_list = profile.can(&Ability::Organizations);
        let mut all = if can_list {
            store.organizations(context.session)?
        } else {
            Vec::new()
        };
        // The vault creates an organization with its first set, so its list is never complete.
        let is_complete = can_list && !profile.is_here();
        if !is_complete {
            let implied = profile.implied().map(|(organization, _)| organization);
            let current = scope.organization.iter().map(|one| one.value.clone());
            let names = implied.into_iter().chain(current);
            all.extend(names.map(|name| OrganizationInfo {
                name: name.to_string(),
                label: None,
            }));
            all.sort_by(|one, other| one.name.cmp(&other.name));
            all.dedup_by(|one, other| one.name == other.name);
        }
        let named = |one: OrganizationInfo| (one.name.clone(), one.label.unwrap_or(one.name));
        Ok((all.into_iter().map(named).collect(), is_complete))
    }
}

pub fn vault(context: CommandContext<'_>, scope: &mut Scope) -> Result<Vault, Failure> {
    let own = || Setting::new(Organization::of_vault(), Source::Default);
    let organization = scope.organization.get_or_insert_with(own).value.clone();
    let folder = context.environment.vault_folder()?;
    Ok(Vault::new(&folder, organization, scope.keyring.value))
}

pub fn names(environment: &Environment) -> Vec<String> {
    let mut names: Vec<String> = BUILT_IN.iter().map(ToString::to_string).collect();
    let found = external::all(environment).into_iter();
    let usable = found.filter(|found| matches!(found.standing, Standing::Used(_)));
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
        return Ok(None);
    }
    let organization = match (wanted, known) {
        (Some(wanted), _) => wanted,
        (None, Some(known)) => first_organization(&known)?,
        (None, None) => first_organization(&access::organizations(client)?)?,
    };
    scope.organization = Some(organization.clone());
    Ok(Some(organization.value))
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
