//! The token that a command uses: that of the environment, or that of the sign-in, renewed where it is about to run out.

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::secret::Secret;

use super::context::CommandContext;
use crate::auth::credentials::{self, Credentials, Refresh, StoredCredentials};
use crate::auth::import::{self, Imported};
use crate::auth::issuer::{self, Issuer};
use crate::backend::Explained;
use crate::backend::hosted::ServiceError;
use crate::backend::hosted::access;
use crate::domain::TokenKind;
use crate::keyring::KeyringError;
use crate::scope::Scope;
use crate::secret_file::{SecretFile, SecretFileError};
use crate::words::failed;

/// A token that runs out in so many seconds is replaced.
const MARGIN: u64 = 60;

/// A token, and what is known of it.
pub struct Access {
    /// The token.
    pub token: Secret,
    /// `None` if unknown.
    pub kind: Option<TokenKind>,
    /// The organization that was chosen with it.
    pub organization: Option<String>,
    /// Whether it is that of the environment.
    pub from_environment: bool,
}

/// Returns the token of the environment, or that of the sign-in, renewed where it is about to run out.
pub fn access(context: &CommandContext<'_>, scope: &Scope) -> Result<Access, Failure> {
    if let Some(token) = &context.environment.token {
        let token = credentials::parse_token(token.expose()).ok_or_else(impossible)?;
        refuse_public(&token)?;
        return Ok(Access {
            kind: access::kind_of(&token),
            token,
            organization: None,
            from_environment: true,
        });
    }
    let place = context.credentials()?;
    let credentials = kept(scope, &place)?;
    let credentials = fresh(context, scope, &place, credentials)?;
    Ok(Access {
        token: credentials.token,
        kind: Some(credentials.kind),
        organization: credentials.organization,
        from_environment: false,
    })
}

/// The sign-in that is kept, if it is one to this service.
fn kept(scope: &Scope, place: &SecretFile<'_>) -> Result<Credentials, Failure> {
    match credentials::find(place) {
        StoredCredentials::Nothing => Err(not_signed_in("you are not signed in")),
        StoredCredentials::Broken(why) => Err(credentials::broken(place.path(), &why)),
        StoredCredentials::Usable(credentials) if credentials.api_url != scope.shown_url() => {
            Err(not_signed_in(&format!(
                "you are signed in to {}, not to {}",
                credentials.api_url,
                scope.shown_url()
            )))
        }
        StoredCredentials::Usable(credentials) => Ok(credentials),
    }
}

/// Renews a sign-in that is about to run out. What still holds is used as long as it does.
fn fresh(
    context: &CommandContext<'_>,
    scope: &Scope,
    place: &SecretFile<'_>,
    credentials: Credentials,
) -> Result<Credentials, Failure> {
    if !runs_out(&credentials) {
        return Ok(credentials);
    }
    match renew(context, scope, place, &credentials.token) {
        Err(failure) if is_stop(&failure) || !holds(&credentials) => Err(failure),
        Err(failure) => {
            context.tell(&format!("your sign-in is not renewed: {}", failure.message));
            Ok(credentials)
        }
        renewed => renewed,
    }
}

/// Returns another token in the place of one that the service refuses; `None` where there is no other.
pub fn replacement(
    context: &CommandContext<'_>,
    scope: &Scope,
    refused: &Secret,
) -> Option<Secret> {
    let place = context.credentials().ok()?;
    match renew(context, scope, &place, refused) {
        Ok(renewed) => Some(renewed.token).filter(|token| token != refused),
        Err(failure) => {
            let line = format!("your sign-in is not renewed: {}", failure.message);
            // Another try may do what this one could not.
            if failure.exit == Exit::Unavailable {
                context.warn(&line);
            } else {
                context.tell(&line);
            }
            None
        }
    }
}

/// A refresh token is good for one use, so one process uses it, and the others take what it got.
fn renew(
    context: &CommandContext<'_>,
    scope: &Scope,
    place: &SecretFile<'_>,
    stale: &Secret,
) -> Result<Credentials, Failure> {
    let _lock = credentials::lock(place.path(), context)?;
    let kept = kept(scope, place)?;
    if kept.token != *stale && !runs_out(&kept) {
        return Ok(kept);
    }
    exchange(context, scope, place, kept)
}

/// Exchanges a sign-in for its successor and keeps that; the caller has the lock. Nothing is spent before there is room to
/// keep the successor.
pub fn exchange(
    context: &CommandContext<'_>,
    scope: &Scope,
    place: &SecretFile<'_>,
    mut credentials: Credentials,
) -> Result<Credentials, Failure> {
    let room = place
        .reserve(scope.keyring.value)
        .map_err(|why| no_room(place, &why))?;
    loop {
        if let Some(theirs) = newer_share(context, &credentials) {
            context.note("took over the newer sign-in of the service's own client");
            credentials = theirs;
            if !runs_out(&credentials) {
                // It can be taken over again, should it not be kept.
                let _ = credentials::keep_in(room, &credentials);
                return Ok(credentials);
            }
        }
        let Some(refresh) = &credentials.refresh else {
            return Err(not_signed_in("your sign-in has run out"));
        };
        context.progress("Renewing the sign-in");
        let renewed = Issuer::renewed(&scope.api_url.value, scope.pace, context, refresh);
        let renewed = match renewed {
            Ok(renewed) => renewed,
            // The other client may have been quicker by a moment.
            Err(ServiceError::NotSignedIn(_)) if newer_share(context, &credentials).is_some() => {
                continue;
            }
            Err(ServiceError::NotSignedIn(_)) => {
                return Err(not_signed_in("your sign-in has run out"));
            }
            Err(error) => return Err(not_renewed(&error)),
        };
        let is_spent =
            renewed.refresh.as_ref().map(|refresh| &refresh.token) != Some(&refresh.token);
        if credentials.shared && is_spent {
            context.warn("the imported sign-in is renewed, which spends the refresh token of the service's own client: that client has to sign in again when its token runs out");
        }
        let renewed = Credentials {
            organization: credentials.organization.clone(),
            shared: credentials.shared && !is_spent,
            ..renewed
        };
        if let Err(why) = credentials::keep_in(room, &renewed) {
            context.warn(&lost(place, &why));
        }
        return Ok(renewed);
    }
}

/// A renewal that says nothing about the sign-in.
fn not_renewed(error: &ServiceError) -> Failure {
    let failure = error.explain();
    if is_stop(&failure) {
        return failure;
    }
    let message = format!("could not renew your sign-in: {}", failure.message);
    failure.message(message).hint("your sign-in is kept")
}

/// Describes a sign-in that was renewed but perhaps not stored.
fn lost(place: &SecretFile<'_>, why: &SecretFileError) -> String {
    let path = place.path().display();
    if matches!(why, SecretFileError::NotSynced(_)) {
        return format!(
            "your renewed sign-in is in `{path}`, which a power failure may undo: {why}"
        );
    }
    format!(
        "your sign-in is renewed, but could not be kept in `{path}`: {why}; you are signed in for this run, and have to sign in again afterwards (`bot-cli cloud auth login`)"
    )
}

/// Returns the sign-in of the service's own client, if the two share it and that one is newer.
fn newer_share(context: &CommandContext<'_>, ours: &Credentials) -> Option<Credentials> {
    if !ours.shared {
        return None;
    }
    let home = context.environment.home.as_deref()?;
    let theirs = import::read(&import::path(home)).ok()?;
    is_newer(&theirs, ours).then(|| Credentials {
        token: theirs.token,
        refresh: theirs.refresh,
        ..ours.clone()
    })
}

/// Whether the other client has renewed the same sign-in. Another token alone may be older, or somebody else's.
fn is_newer(theirs: &Imported, ours: &Credentials) -> bool {
    let expiry = |refresh: &Option<Refresh>| refresh.as_ref().map(|refresh| refresh.expires_at);
    let is_foreign = theirs
        .organization
        .as_ref()
        .zip(ours.organization.as_ref())
        .is_some_and(|(theirs, ours)| theirs != ours);
    theirs.token != ours.token && expiry(&theirs.refresh) > expiry(&ours.refresh) && !is_foreign
}

fn no_room(place: &SecretFile<'_>, why: &SecretFileError) -> Failure {
    if *why == SecretFileError::Keyring(KeyringError::Cancelled) {
        return Failure::cancelled();
    }
    let message = format!(
        "your sign-in has to be renewed and could not be kept: `{}` can't be written: {why}",
        place.path().display()
    );
    failed("not_written", message).hint(
        "nothing was sent, so it can still be renewed; look at the disk's free space and at the folder's rights",
    )
}

/// Whether a token runs out so soon that it is to be replaced.
pub fn runs_out(credentials: &Credentials) -> bool {
    let refresh = credentials.refresh.as_ref();
    refresh.is_some_and(|refresh| refresh.expires_at <= issuer::now() + MARGIN)
}

/// Whether a token can still be used.
pub fn holds(credentials: &Credentials) -> bool {
    let refresh = credentials.refresh.as_ref();
    refresh.is_none_or(|refresh| refresh.expires_at > issuer::now())
}

/// Whether it is the user who stops.
pub fn is_stop(failure: &Failure) -> bool {
    matches!(failure.exit, Exit::Cancelled | Exit::Terminated)
}

fn impossible() -> Failure {
    Failure::new(
        Exit::NotAllowed,
        "not_signed_in",
        "BOT_CLI_TOKEN has characters that no token has, so the service was not asked",
    )
    .hint("copy the token again, on one line and without blanks")
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

#[cfg(test)]
mod tests {
    use bot_cli_protocol::secret::Secret;

    use super::{Credentials, Imported, Refresh, TokenKind, is_newer};

    fn refresh(expires_at: u64) -> Refresh {
        Refresh {
            token: Secret::new("refresh".to_owned()),
            expires_at,
        }
    }

    #[test]
    fn only_a_later_pair_of_the_same_organization_is_newer() {
        let ours = Credentials {
            api_url: "https://a.example".to_owned(),
            kind: TokenKind::User,
            token: Secret::new("ours".to_owned()),
            organization: Some("acme".to_owned()),
            refresh: Some(refresh(100)),
            shared: true,
        };
        for (token, organization, expires_at, expected) in [
            ("theirs", Some("acme"), Some(101), true),
            ("theirs", None, Some(101), true),
            ("ours", Some("acme"), Some(101), false),
            ("theirs", Some("acme"), Some(100), false),
            ("theirs", Some("acme"), Some(99), false),
            ("theirs", Some("acme"), None, false),
            ("theirs", Some("other"), Some(101), false),
        ] {
            let theirs = Imported {
                token: Secret::new(token.to_owned()),
                organization: organization.map(str::to_owned),
                refresh: expires_at.map(refresh),
            };
            let case = (token, organization, expires_at);
            assert_eq!(is_newer(&theirs, &ours), expected, "{case:?}");
        }
    }
}
