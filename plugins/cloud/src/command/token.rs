//! The token that a command uses: that of the environment, or that of the sign-in, renewed where it is about to run out.

use bot_cli_sdk::failure::{Exit, Failure};
use bot_cli_sdk::secret::Secret;

use super::context::CommandContext;
use crate::auth::credentials::{self, Credentials, Found, TokenKind};
use crate::auth::issuer::{self, Issuer};
use crate::backend::BackendError;
use crate::backend::hosted::access;
use crate::scope::Scope;
use crate::secret_file::SecretFile;
use crate::words;

/// A token that runs out in so many seconds is replaced.
const MARGIN: u64 = 60;

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

/// The token of the environment, or that of the sign-in, made new where it is about to run out.
pub fn access(context: &CommandContext<'_>, scope: &Scope) -> Result<Access, Failure> {
    if let Some(token) = &context.environment.token {
        refuse_public(token)?;
        return Ok(Access {
            token: token.clone(),
            kind: access::kind_of(token),
            organization: None,
            from_environment: true,
        });
    }
    let place = context.credentials()?;
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
            let credentials = fresh(context, scope, &place, credentials)?;
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
fn fresh(
    context: &CommandContext<'_>,
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
    match renewed(context, scope, &credentials)? {
        Some(renewed) => {
            credentials::keep(place, &renewed, scope.keyring.value)?;
            Ok(renewed)
        }
        None => Ok(credentials),
    }
}

/// What comes in the place of credentials that are about to run out, which from then on are good for nothing.
pub fn renewed(
    context: &CommandContext<'_>,
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
    let renewed = Issuer::renewed(&scope.api_url.value, scope.pace, context, refresh);
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
