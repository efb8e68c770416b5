//! `auth logout`: this machine forgets the sign-in, and the issuer is asked to end it.

use std::time::Duration;

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_sdk::plugin::Reply;
use serde_json::{Value, json};

use super::context::CommandContext;
use super::open;
use crate::address::address;
use crate::auth::credentials::{self, Credentials, Refresh, StoredCredentials};
use crate::auth::import;
use crate::auth::issuer::{self, Issuer, Revocation};
use crate::backend::hosted::ServiceError;
use crate::domain::TokenKind;
use crate::scope::Wanted;
use crate::text::span;

/// The time limit for the issuer.
const PATIENCE: Duration = Duration::from_secs(5);

/// The outcome for a sign-in that this machine has forgotten.
enum End {
    /// It is worth nothing any more.
    Revoked,
    /// It was not made by signing in, and so is not ended by signing out; what goes on working.
    NotOurs(&'static str),
    /// It goes on; why.
    GoesOn { code: String, why: String },
}

pub(super) fn logout(context: &CommandContext<'_>) -> Result<Reply, Failure> {
    let place = context.credentials()?;
    // Nobody puts back meanwhile what they are renewing.
    let lock = place
        .exists()
        .then(|| credentials::lock(place.path(), context))
        .transpose()?;
    let kept = place.place().words(place.path());
    let found = credentials::find(&place);
    // What needs nobody else comes first: whatever happens from here on, this machine is signed out.
    let had = credentials::forget(&place)?;
    drop(lock);
    if context.environment.token.is_some() {
        context.warn("BOT_CLI_TOKEN is still set, so commands stay signed in");
    }
    if !had {
        return Ok(Reply::text("Nobody was signed in\n")
            .data(json!({ "signed_in": false, "changed": false })));
    }
    let end = end(context, &found)?;
    let mut text = format!("Signed out: removed from {kept}");
    let mut data = json!({ "signed_in": false, "changed": true, "revoked": false });
    match end {
        End::Revoked => {
            text.push_str(", and the sign-in is revoked");
            data["revoked"] = Value::Bool(true);
        }
        End::NotOurs(what) => {
            text.push_str("; ");
            text.push_str(what);
            data["reason"] = json!("not_from_issuer");
        }
        End::GoesOn { code, why } => {
            let rest = rest(&found, issuer::now());
            context.warn(&format!("the sign-in is not revoked: {why}; {rest}"));
            data["reason"] = json!(code);
        }
    }
    Ok(Reply::text(text + "\n").data(data))
}

/// Ends the sign-in where it was made, if it was.
fn end(context: &CommandContext<'_>, found: &StoredCredentials) -> Result<End, Failure> {
    let goes_on = |code: &str, why: String| End::GoesOn {
        code: code.to_owned(),
        why,
    };
    let credentials = match found {
        StoredCredentials::Usable(credentials) => credentials,
        StoredCredentials::Broken(why) => {
            return Ok(goes_on("broken_credentials", why.to_string()));
        }
        StoredCredentials::Nothing => {
            return Ok(goes_on("broken_credentials", "it was not there".to_owned()));
        }
    };
    if credentials.kind == TokenKind::ApiKey {
        return Ok(End::NotOurs("the private API key itself still works"));
    }
    if credentials.refresh.is_none() && credentials.token.expose().starts_with("pcc_pat_") {
        return Ok(End::NotOurs("the personal access token itself still works"));
    }
    if is_shared(context, credentials) {
        let why = "the service's own client is signed in with it, too";
        return Ok(goes_on("shared", why.to_owned()));
    }
    context.progress("Revoking the sign-in");
    match revoke(context, credentials) {
        Ok(Revocation::Done) => Ok(End::Revoked),
        Ok(Revocation::NotOffered) => {
            let why = "the issuer offers no revocation";
            Ok(goes_on("not_offered", why.to_owned()))
        }
        Err(ServiceError::Cancelled) => {
            let message = "cancelled: this machine is signed out, but the sign-in is not revoked";
            Err(Failure::new(Exit::Cancelled, "cancelled", message)
                .hint(rest(found, issuer::now())))
        }
        Err(error) => {
            let failure = Failure::from(error);
            Ok(goes_on(&failure.code, failure.message))
        }
    }
}

/// Whether the service's own client, from which a sign-in can be imported, still has the same one, or one that it renewed.
fn is_shared(context: &CommandContext<'_>, credentials: &Credentials) -> bool {
    let home = context.environment.home.as_deref();
    let Some(theirs) = home.and_then(|home| import::read(&import::path(home)).ok()) else {
        return false;
    };
    let secret = |refresh: &Option<Refresh>| refresh.as_ref().map(|refresh| refresh.token.clone());
    credentials.shared
        || theirs.token == credentials.token
        || (theirs.refresh.is_some() && secret(&theirs.refresh) == secret(&credentials.refresh))
}

/// Asks the issuer of the service that the token is for, and no other.
fn revoke(
    context: &CommandContext<'_>,
    credentials: &Credentials,
) -> Result<Revocation, ServiceError> {
    let base = address(&credentials.api_url)
        .map_err(|failure| ServiceError::InvalidResponse(failure.message))?;
    // Settings that can't be used don't keep anybody signed in.
    let scope = open::scope(context, &Wanted::default());
    let mut pace = scope.map_or(context.environment.pace, |scope| scope.pace);
    pace.request = pace.request.min(PATIENCE);
    Issuer::revoked(&base, pace, context, credentials)
}

/// Describes the remaining validity of a sign-in that was not revoked.
fn rest(found: &StoredCredentials, now: u64) -> String {
    let refresh = match found {
        StoredCredentials::Usable(credentials) => credentials.refresh.as_ref(),
        StoredCredentials::Broken(_) | StoredCredentials::Nothing => None,
    };
    match refresh.map(|refresh| refresh.expires_at.saturating_sub(now)) {
        None => "a copy of its token works until it runs out".to_owned(),
        Some(0) => "a copy of it can still be renewed".to_owned(),
        Some(seconds) => format!(
            "a copy of its token works for another {}, and longer if it is renewed",
            span(seconds)
        ),
    }
}
