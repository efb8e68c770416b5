//! From options to a backend that can be used, and what every command does with one.

use bot_cli_sdk::failure::{Exit, Failure};

use super::context::CommandContext;
use super::token::{self, Access};
use crate::auth::credentials::TokenKind;
use crate::backend::hosted::http::Client;
use crate::backend::hosted::{Hosted, Tenant, access};
use crate::backend::local::{ORGANIZATION, Vault};
use crate::backend::{ChangeError, Details, SecretsBackend, Summary};
use crate::config::{Config, nearest};
use crate::domain::{Organization, Region, SetName};
use crate::files::first_time;
use crate::scope::{BackendKind, Scope, Setting, Source, Wanted};
use crate::text::theirs;
use crate::words;
use crate::words::change::{self, Deed};

/// A backend, and how it was come by.
pub struct Opened<'a> {
    /// The backend.
    pub backend: Box<dyn SecretsBackend + 'a>,
    /// Where it acts.
    pub scope: Scope,
}

/// Where options, environment, configuration and sign-in say to act.
pub fn scope(context: &CommandContext<'_>, wanted: &Wanted) -> Result<Scope, Failure> {
    let config = Config::read(&context.environment)?;
    // Whoever has no place for a sign-in may have a token.
    let signed_in = context.credentials().is_ok_and(|place| place.exists());
    Scope::resolve(wanted, &context.environment, &config, signed_in)
}

/// The scope of the vault, whatever keeps secrets otherwise.
pub fn vault_scope(
    context: &CommandContext<'_>,
    organization: Option<&str>,
) -> Result<Scope, Failure> {
    let wanted = Wanted {
        organization: organization.map(str::to_owned),
        region: None,
        backend: Some(BackendKind::Local.to_string()),
    };
    scope(context, &wanted)
}

/// The backend that `wanted` stands for.
pub fn open<'a>(context: &'a CommandContext<'_>, wanted: &Wanted) -> Result<Opened<'a>, Failure> {
    open_scope(context, scope(context, wanted)?)
}

/// The backend of a scope.
pub fn open_scope<'a>(
    context: &'a CommandContext<'_>,
    mut scope: Scope,
) -> Result<Opened<'a>, Failure> {
    let backend: Box<dyn SecretsBackend + 'a> = match scope.backend.value {
        BackendKind::Local => {
            if scope.backend.source == Source::Default {
                note_vault(context);
            }
            Box::new(vault(context, &mut scope)?)
        }
        BackendKind::Hosted => {
            let access = token::access(context, &scope)?;
            let client = client(context, &scope, &access)?;
            let tenant = tenant(context, &mut scope, &client, &access)?;
            Box::new(Hosted::new(client, tenant))
        }
    };
    context.tell(&format!("using {}", scope.words()));
    Ok(Opened { backend, scope })
}

/// Says once a machine that it is the vault that is used. Where that can't be remembered, it is said again.
fn note_vault(context: &CommandContext<'_>) {
    if let Some(folder) = &context.environment.data_folder
        && !first_time(&folder.join("vault-noted"))
    {
        return;
    }
    context.note("not signed in: using this machine's vault (`bot-cli cloud config set backend local` makes that lasting, `bot-cli cloud auth login` signs in)");
}

/// The vault of this machine.
pub fn vault<'a>(context: &'a CommandContext<'_>, scope: &mut Scope) -> Result<Vault<'a>, Failure> {
    let organization = if let Some(organization) = &scope.organization {
        organization.value.clone()
    } else {
        let local = Organization::parse(ORGANIZATION).map_err(|problem| internal(&problem))?;
        scope.organization = Some(Setting {
            value: local.clone(),
            source: Source::Default,
        });
        local
    };
    Ok(Vault::new(
        &context.vault_folder()?,
        organization,
        scope.keyring.value,
        context,
    ))
}

/// A client of the service with a token, which is renewed where the service no longer accepts it.
pub fn client<'a>(
    context: &'a CommandContext<'_>,
    scope: &Scope,
    access: &Access,
) -> Result<Client<'a>, Failure> {
    let client = Client::new(&scope.api_url.value, &access.token, scope.pace, context)
        .map_err(|error| words::failure(&error))?;
    if access.from_environment {
        return Ok(client);
    }
    let scope = scope.clone();
    Ok(client.renewing(Box::new(move |refused| {
        token::replacement(context, &scope, refused)
    })))
}

/// Whom requests with this token are for.
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
        let probed = access::probe(client).map_err(|error| words::failure(&error))?;
        known = probed.organizations;
        probed.kind
    };
    if kind == TokenKind::ApiKey {
        if let Some(organization) = scope.organization.take() {
            let message = format!(
                "a private API key works for its own organization only; `{}` is ignored",
                organization.value
            );
            match organization.source {
                Source::Flag => context.warn(&message),
                Source::Environment
                | Source::Config
                | Source::DeployFile
                | Source::Service
                | Source::Existing
                | Source::Default => {
                    context.tell(&message);
                }
            }
        }
        return Ok(Tenant::ApiKey);
    }
    if scope.organization.is_none() {
        let all = || match known {
            Some(known) => Ok(known),
            None => access::organizations(client).map_err(|error| words::failure(&error)),
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
    Some(Setting {
        value,
        source: Source::Config,
    })
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
    Ok(Setting {
        value,
        source: Source::Service,
    })
}

fn internal(problem: &str) -> Failure {
    Failure::new(Exit::Failed, "internal", problem)
}

impl Opened<'_> {
    /// A set; whatever goes wrong is worded.
    pub fn get(&self, name: &SetName) -> Result<Option<Details>, Failure> {
        let got = self.backend.get(name);
        got.map_err(|error| words::failure(&error))
    }

    /// Every set of every region.
    pub fn all(&self) -> Result<Vec<Summary>, Failure> {
        let all = self.backend.list(None);
        all.map_err(|error| words::failure(&error))
    }

    /// A set that must be there.
    pub fn existing(&self, name: &SetName) -> Result<Details, Failure> {
        match self.get(name)? {
            Some(details) => Ok(details),
            None => Err(self.not_found(name)),
        }
    }

    /// There is no such set; perhaps a near one. The listing must agree: what could not be seen is not called missing.
    pub fn not_found(&self, name: &SetName) -> Failure {
        let sets = match self.all() {
            Ok(sets) => sets,
            Err(failure) => return failure,
        };
        if sets.iter().any(|set| set.name == name.as_str()) {
            return Failure::new(
                Exit::Failed,
                "invalid_response",
                format!("the service lists `{name}`, and says that there is no such set"),
            )
            .hint("try again: somebody else may be changing it");
        }
        let failure = Failure::new(
            Exit::Failed,
            "not_found",
            format!("there is no set `{name}` in {}", self.place()),
        );
        let near = nearest(name.as_str(), sets.iter().map(|set| set.name.as_str()));
        match near {
            Some(near) => failure.hint(format!("did you mean `{}`?", theirs(near))),
            None => failure.hint(self.scope.command("secrets list")),
        }
    }

    /// Notes the region of a set that is there.
    pub fn found(&mut self, set: &Summary) {
        if let Ok(value) = Region::parse(&set.region) {
            self.scope.region = Some(Setting {
                value,
                source: Source::Existing,
            });
        }
    }

    /// Where it is, in a sentence: "organization acme".
    pub fn place(&self) -> String {
        match &self.scope.organization {
            Some(organization) => format!("organization {}", organization.value),
            None => "the organization of the API key".to_owned(),
        }
    }

    /// What a change could not do, and what became of it.
    pub fn change_failure(&self, deed: Deed, name: &SetName, error: &ChangeError) -> Failure {
        let look = match deed {
            Deed::Change => format!("secrets list {name}"),
            Deed::Delete => "secrets list".to_owned(),
        };
        change::failure(deed, name, error, &self.scope.command(&look))
    }
}
