//! From options to a backend that can be used.

use bot_cli_sdk::failure::{Exit, Failure};
use bot_cli_sdk::secret::Secret;

use super::desk::Desk;
use crate::auth::credentials::{self, Credentials, Found, TokenKind};
use crate::auth::issuer::{self, Issuer};
use crate::backend::hosted::http::Client;
use crate::backend::hosted::{Hosted, Tenant, access};
use crate::backend::local::{ORGANIZATION, Vault};
use crate::backend::{BackendError, Details, SecretsBackend};
use crate::config::{Config, nearest};
use crate::domain::{Organization, Region, SetName};
use crate::scope::{BackendKind, Scope, Setting, Source, Wanted};
use crate::secret_file::SecretFile;
use crate::words;

/// A token that runs out in so many seconds is replaced.
const MARGIN: u64 = 60;

/// A backend, and how it was come by.
pub struct Opened<'a> {
    /// The backend.
    pub backend: Box<dyn SecretsBackend + 'a>,
    /// Where it acts.
    pub scope: Scope,
}

/// A token, and what is known of it.
pub struct Access {
    /// The token.
    pub token: Secret,
    /// What it is good for, if that is known.
    pub kind: Option<TokenKind>,
    /// The organization that was chosen with it.
    pub organization: Option<String>,
    /// Whether it is that of the environment.
    pub from_environment: bool,
}

/// Where options, environment, configuration and sign-in say to act.
pub fn scope(desk: &Desk<'_>, wanted: &Wanted) -> Result<Scope, Failure> {
    let config = Config::read(&desk.environment)?;
    // Whoever has no place for a sign-in may have a token.
    let signed_in = desk.credentials().is_ok_and(|place| place.exists());
    Scope::resolve(wanted, &desk.environment, &config, signed_in)
}

/// The backend that `wanted` stands for.
pub async fn open<'a>(desk: &'a Desk<'_>, wanted: &Wanted) -> Result<Opened<'a>, Failure> {
    open_scope(desk, scope(desk, wanted)?).await
}

/// The backend of a scope.
pub async fn open_scope<'a>(desk: &'a Desk<'_>, mut scope: Scope) -> Result<Opened<'a>, Failure> {
    let backend: Box<dyn SecretsBackend + 'a> = match scope.backend.value {
        BackendKind::Local => {
            if scope.backend.source == Source::Default {
                desk.warn("you are not signed in, so the vault of this machine is used (`--backend local` means it, `bot-cli cloud auth login` signs in)");
            }
            Box::new(vault(desk, &mut scope)?)
        }
        BackendKind::Hosted => {
            let access = access(desk, &scope).await?;
            let client = client(desk, &scope, &access.token)?;
            let tenant = tenant(desk, &mut scope, &client, &access).await?;
            Box::new(Hosted::new(client, tenant))
        }
    };
    desk.tell(&format!("using {}", scope.words()));
    Ok(Opened { backend, scope })
}

/// The vault of this machine.
pub fn vault<'a>(desk: &'a Desk<'_>, scope: &mut Scope) -> Result<Vault<'a>, Failure> {
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
        &desk.vault_folder()?,
        organization,
        scope.keyring.value,
        desk,
    ))
}

/// A client of the service with a token.
pub fn client<'a>(
    desk: &'a Desk<'_>,
    scope: &Scope,
    token: &Secret,
) -> Result<Client<'a>, Failure> {
    Client::new(&scope.api_url.value, token.clone(), scope.timeout, desk)
        .map_err(|error| words::failure(&error))
}

/// The token of the environment, or that of the sign-in, made new where it is about to run out.
pub async fn access(desk: &Desk<'_>, scope: &Scope) -> Result<Access, Failure> {
    if let Some(token) = &desk.environment.token {
        refuse_public(token)?;
        return Ok(Access {
            token: token.clone(),
            kind: access::kind_of(token),
            organization: None,
            from_environment: true,
        });
    }
    let place = desk.credentials()?;
    match credentials::find(&place) {
        Found::Nothing => Err(not_signed_in("you are not signed in")),
        Found::Broken(why) => Err(credentials::broken(place.path(), &why)),
        Found::Usable(credentials) if credentials.api_url != scope.shown_url() => {
            Err(not_signed_in(&format!(
                "you are signed in to {}, not to {}",
                credentials.api_url,
                scope.shown_url()
            )))
        }
        Found::Usable(credentials) => {
            let credentials = fresh(desk, scope, &place, credentials).await?;
            Ok(Access {
                token: credentials.token,
                kind: Some(credentials.kind),
                organization: credentials.organization,
                from_environment: false,
            })
        }
    }
}

/// The sign-in that is kept, and holds for a while: one that is about to run out is renewed.
async fn fresh(
    desk: &Desk<'_>,
    scope: &Scope,
    place: &SecretFile<'_>,
    credentials: Credentials,
) -> Result<Credentials, Failure> {
    if !runs_out(&credentials) {
        return Ok(credentials);
    }
    // A refresh token is good for one use, so one process uses it and the others take what it got.
    let _lock = credentials::lock(place.path())?;
    let credentials = match credentials::find(place) {
        Found::Usable(newer) if newer.api_url == credentials.api_url => newer,
        Found::Nothing => return Err(not_signed_in("you have signed out")),
        Found::Usable(_) | Found::Broken(_) => credentials,
    };
    match renewed(desk, scope, &credentials).await? {
        Some(renewed) => {
            credentials::keep(place, &renewed, scope.keyring.value)?;
            Ok(renewed)
        }
        None => Ok(credentials),
    }
}

/// What comes in the place of credentials that are about to run out, which from then on are good for nothing.
pub async fn renewed(
    desk: &Desk<'_>,
    scope: &Scope,
    credentials: &Credentials,
) -> Result<Option<Credentials>, Failure> {
    let Some(refresh) = credentials
        .refresh
        .as_ref()
        .filter(|_| runs_out(credentials))
    else {
        return Ok(None);
    };
    let renewed = match Issuer::find(&scope.api_url.value, scope.timeout, desk).await {
        Ok(issuer) => issuer.renew(refresh).await,
        Err(error) => Err(error),
    };
    match renewed {
        Ok(renewed) => Ok(Some(Credentials {
            organization: credentials.organization.clone(),
            ..renewed
        })),
        // What still holds is used as long as it does.
        Err(_) if refresh.expires_at > issuer::now() => Ok(None),
        Err(BackendError::NotSignedIn { .. }) => Err(not_signed_in("your sign-in has run out")),
        Err(error) => Err(words::failure(&error)),
    }
}

fn runs_out(credentials: &Credentials) -> bool {
    let refresh = credentials.refresh.as_ref();
    refresh.is_some_and(|refresh| refresh.expires_at <= issuer::now() + MARGIN)
}

/// Whom requests with this token are for.
async fn tenant(
    desk: &Desk<'_>,
    scope: &mut Scope,
    client: &Client<'_>,
    access: &Access,
) -> Result<Tenant, Failure> {
    let kind = match access.kind {
        Some(kind) => kind,
        None => access::probe(client)
            .await
            .map_err(|error| words::failure(&error))?,
    };
    if kind == TokenKind::ApiKey {
        if let Some(organization) = scope.organization.take() {
            let message = format!(
                "the private API key belongs to one organization; `{}` is not looked at",
                organization.value
            );
            match organization.source {
                Source::Flag => desk.warn(&message),
                Source::Environment
                | Source::Config
                | Source::DeployFile
                | Source::Service
                | Source::Existing
                | Source::Default => {
                    desk.tell(&message);
                }
            }
        }
        return Ok(Tenant::ApiKey);
    }
    if scope.organization.is_none() {
        scope.organization = chosen(access);
    }
    let organization = match scope.organization.take() {
        Some(organization) => organization,
        None => Setting {
            value: first_organization(client).await?,
            source: Source::Service,
        },
    };
    scope.organization = Some(organization.clone());
    Ok(Tenant::User(organization.value))
}

/// The organization that was chosen when signing in.
fn chosen(access: &Access) -> Option<Setting<Organization>> {
    let value = Organization::parse(access.organization.as_deref()?).ok()?;
    Some(Setting {
        value,
        source: Source::Config,
    })
}

/// Notes which of a person's organizations is used when nobody says otherwise.
pub fn settle_organization(scope: &mut Scope, access: &Access, all: &[(String, String)]) {
    let first = || {
        let value = Organization::parse(&all.first()?.0).ok()?;
        Some(Setting {
            value,
            source: Source::Service,
        })
    };
    if scope.organization.is_none() {
        scope.organization = chosen(access).or_else(first);
    }
}

async fn first_organization(client: &Client<'_>) -> Result<Organization, Failure> {
    let organizations = access::organizations(client)
        .await
        .map_err(|error| words::failure(&error))?;
    let Some((name, _)) = organizations.first() else {
        return Err(Failure::new(
            Exit::NotAllowed,
            "not_allowed",
            "you belong to no organization",
        ));
    };
    Organization::parse(name)
        .map_err(|_| internal("the service names an organization that can't be one"))
}

/// A key that browsers have can't do anything here.
pub fn refuse_public(token: &Secret) -> Result<(), Failure> {
    if token.expose().starts_with("pk_") {
        return Err(Failure::new(
            Exit::NotAllowed,
            "not_allowed",
            "this is a public API key, which can't manage secrets",
        )
        .hint("use a personal access token or a private API key"));
    }
    Ok(())
}

fn not_signed_in(message: &str) -> Failure {
    Failure::new(Exit::NotAllowed, "not_signed_in", message)
        .hint("bot-cli cloud auth login")
        .hint("or set BOT_CLI_TOKEN to a personal access token or a private API key")
}

fn internal(problem: &str) -> Failure {
    Failure::new(Exit::Failed, "internal", problem)
}

impl Opened<'_> {
    /// A set; whatever goes wrong is worded.
    pub async fn get(&self, name: &SetName) -> Result<Option<Details>, Failure> {
        self.backend
            .get(name)
            .await
            .map_err(|error| words::failure(&error))
    }

    /// A set that must be there.
    pub async fn existing(&self, name: &SetName) -> Result<Details, Failure> {
        match self.get(name).await? {
            Some(details) => Ok(details),
            None => Err(self.not_found(name).await),
        }
    }

    /// There is no such set; perhaps a near one.
    pub async fn not_found(&self, name: &SetName) -> Failure {
        let failure = Failure::new(
            Exit::Failed,
            "not_found",
            format!("there is no set `{name}` in {}", self.place()),
        );
        let sets = self.backend.list(None).await.unwrap_or_default();
        let near = nearest(name.as_str(), sets.iter().map(|set| set.name.as_str()));
        match near {
            Some(near) => failure.hint(format!("did you mean `{}`?", words::theirs(near))),
            None => failure.hint(self.scope.command("secrets list")),
        }
    }

    /// Where it is, in a sentence: "organization acme".
    pub fn place(&self) -> String {
        match &self.scope.organization {
            Some(organization) => format!("organization {}", organization.value),
            None => "the organization of the API key".to_owned(),
        }
    }

    /// The region for something new: the wanted one if there is such a one, else the default. What comes from the service is noted in the scope.
    pub async fn region(&mut self) -> Result<Region, Failure> {
        let regions = self
            .backend
            .regions()
            .await
            .map_err(|error| words::failure(&error))?;
        let codes: Vec<&str> = regions.all.iter().map(|(code, _)| code.as_str()).collect();
        if let Some(wanted) = &self.scope.region {
            return if codes.contains(&wanted.value.as_str()) {
                Ok(wanted.value.clone())
            } else {
                Err(unknown_region(wanted, &codes))
            };
        }
        let code = regions
            .default
            .as_deref()
            .or(codes.first().copied())
            .unwrap_or_default();
        let region = Region::parse(code)
            .map_err(|problem| internal(&format!("the default region {problem}")))?;
        self.scope.region = Some(Setting {
            value: region.clone(),
            source: match self.scope.backend.value {
                BackendKind::Hosted => Source::Service,
                BackendKind::Local => Source::Default,
            },
        });
        Ok(region)
    }
}

/// There is no such region.
fn unknown_region(wanted: &Setting<Region>, codes: &[&str]) -> Failure {
    let shown: Vec<String> = codes.iter().map(|code| words::theirs(code)).collect();
    let failure = Failure::new(
        Exit::Usage,
        "unknown_region",
        format!(
            "there is no region `{}`{}",
            wanted.value,
            wanted.source.words()
        ),
    )
    .field(
        "region",
        Some("--region"),
        "is not one of the organization's",
    );
    let failure = match nearest(wanted.value.as_str(), codes.iter().copied()) {
        Some(near) => failure.hint(format!("did you mean `{}`?", words::theirs(near))),
        None => failure,
    };
    failure.hint(format!("possible are {}", shown.join(", ")))
}
