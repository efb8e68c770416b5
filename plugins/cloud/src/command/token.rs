use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::secret::Secret;
use bot_cli_vault::secret_file::SecretFile;

use super::context::CommandContext;
use crate::auth::credentials::{self, Credentials};
use crate::auth::issuer::{self, Issuer};
use crate::backend::hosted::{SIGN_IN, ServiceError, access};
use crate::domain::TokenKind;
use crate::scope::Scope;

/// The remaining lifetime, in seconds, below which a token is renewed.
const MARGIN: u64 = 60;

pub struct Access {
    pub token: Secret,
    pub kind: Option<TokenKind>,
    /// Whether the token comes from `BOT_CLI_TOKEN`.
    pub from_environment: bool,
}

/// Returns the token from the environment or from the stored sign-in. Renews a sign-in that is about to expire.
pub fn access(context: CommandContext<'_>, scope: &Scope) -> Result<Access, Failure> {
    let session = context.session;
    if let Some(token) = &context.environment.token {
        let token = credentials::parse_token(token.expose()).ok_or_else(|| {
            let failure = ServiceError::InvalidToken.explain();
            failure.message(
                "BOT_CLI_TOKEN has characters that no token has, so the service was not asked",
            )
        })?;
        refuse_public(&token)?;
        return Ok(Access {
            kind: access::kind_of(&token),
            token,
            from_environment: true,
        });
    }
    let place = credentials::place(session, context.environment)?;
    let mut credentials = kept(scope, &place)?;
    if expires_within(&credentials, MARGIN) {
        match renew(context, scope, &place, &credentials.token) {
            Ok(renewed) => credentials = renewed,
            Err(failure) if is_stop(&failure) || expires_within(&credentials, 0) => {
                return Err(failure);
            }
            Err(failure) => {
                session.info(&format!("your sign-in is not renewed: {}", failure.message));
            }
        }
    }
    Ok(Access {
        token: credentials.token,
        kind: Some(credentials.kind),
        from_environment: false,
    })
}

/// Returns the stored sign-in. Fails if the sign-in is for another service.
fn kept(scope: &Scope, place: &SecretFile<'_>) -> Result<Credentials, Failure> {
    let found = credentials::find(place);
    let found = found.map_err(|why| credentials::broken(place.path(), &why))?;
    let credentials = found.ok_or_else(|| not_signed_in("you are not signed in"))?;
    let (theirs, ours) = (&credentials.api_url, scope.shown_url());
    if *theirs == ours {
        return Ok(credentials);
    }
    let message = format!("you are signed in to {theirs}, not to {ours}");
    Err(not_signed_in(&message))
}

/// Returns a replacement for a rejected token, or `None` if no other token is available.
pub fn replacement(context: CommandContext<'_>, scope: &Scope, refused: &Secret) -> Option<Secret> {
    let place = credentials::place(context.session, context.environment).ok()?;
    match renew(context, scope, &place, refused) {
        Ok(renewed) => Some(renewed.token).filter(|token| token != refused),
        Err(failure) => {
            let line = format!("your sign-in is not renewed: {}", failure.message);
            // A later attempt may succeed, so this is worth a warning.
            if failure.exit == Exit::Unavailable {
                context.session.warn(&line);
            } else {
                context.session.info(&line);
            }
            None
        }
    }
}

/// Renews a sign-in. A refresh token works only once, so one process renews the sign-in and the others read the result.
fn renew(
    context: CommandContext<'_>,
    scope: &Scope,
    place: &SecretFile<'_>,
    stale: &Secret,
) -> Result<Credentials, Failure> {
    let _lock = credentials::lock(place.path(), context.session)?;
    let kept = kept(scope, place)?;
    if kept.token != *stale && !expires_within(&kept, MARGIN) {
        return Ok(kept);
    }
    let has_expired = || not_signed_in("your sign-in has run out");
    let refresh = kept.refresh.as_ref().ok_or_else(has_expired)?;
    context.session.progress("Renewing the sign-in", None, None);
    let renewed = Issuer::renewed(&scope.api_url.value, scope.pace, context.session, refresh);
    let renewed = renewed.map_err(|error| {
        if matches!(error, ServiceError::NotSignedIn(_)) {
            return has_expired();
        }
        let failure = error.explain();
        if is_stop(&failure) {
            return failure;
        }
        let message = format!("could not renew your sign-in: {}", failure.message);
        failure.message(message).hint("your sign-in is kept")
    })?;
    if let Err(failure) = credentials::keep(place, &renewed, scope.keyring.value) {
        context.session.warn(&format!(
            "your sign-in is renewed, but may not be kept: {}; you are signed in for this run, and may have to sign in again afterwards (`{SIGN_IN}`)",
            failure.message
        ));
    }
    Ok(renewed)
}

fn expires_within(credentials: &Credentials, seconds: u64) -> bool {
    let refresh = credentials.refresh.as_ref();
    refresh.is_some_and(|refresh| refresh.expires_at <= issuer::now() + seconds)
}

/// Reports whether the failure was caused by an interruption.
fn is_stop(failure: &Failure) -> bool {
    matches!(failure.exit, Exit::Cancelled | Exit::Terminated)
}

/// Fails for a public API key, which can't manage secrets.
pub fn refuse_public(token: &Secret) -> Result<(), Failure> {
    if token.expose().starts_with("pk_") {
        let message = "this is a public API key, which can't manage secrets";
        return Err(Failure::new(Exit::NotAllowed, "not_allowed", message)
            .hint("use a personal access token or a private API key"));
    }
    Ok(())
}

fn not_signed_in(message: &str) -> Failure {
    Failure::new(Exit::NotAllowed, "not_signed_in", message)
        .hint(SIGN_IN)
        .hint("or set BOT_CLI_TOKEN to a personal access token or a private API key")
}
