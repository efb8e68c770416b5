//! `auth logout`: deletes the sign-in from this machine, and asks the issuer to revoke it.

use std::time::Duration;

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_sdk::plugin::Reply;
use serde_json::json;

use super::context::CommandContext;
use super::open;
use crate::address::address;
use crate::auth::credentials::{self, Credentials, StoredCredentials};
use crate::auth::issuer::{Issuer, Revocation};
use crate::backend::hosted::ServiceError;
use crate::domain::TokenKind;
use crate::scope::Wanted;

/// The time limit for the issuer.
const PATIENCE: Duration = Duration::from_secs(5);

/// The remaining validity of a sign-in that was not revoked.
const REST: &str = "a copy of it works until it expires, and longer if it is renewed";

/// The outcome for a sign-in that is deleted from this machine.
enum End {
    Revoked,
    /// It was not made by signing in, and so is not revoked by signing out; what still works.
    NotOurs(&'static str),
    /// It is not revoked; code and reason.
    GoesOn(String, String),
}

pub(super) fn logout(context: &CommandContext<'_>) -> Result<Reply, Failure> {
    let place = context.credentials()?;
    // No other process stores meanwhile what it is renewing.
    let lock = place
        .exists()
        .then(|| credentials::lock(place.path(), context))
        .transpose()?;
    let kept = place.place().words(place.path());
    let found = credentials::find(&place);
    // This comes first: whatever happens from here on, this machine is signed out.
    let had = credentials::forget(&place)?;
    drop(lock);
    if context.environment.token.is_some() {
        context.warn("BOT_CLI_TOKEN is still set, so commands stay signed in");
    }
    if !had {
        return Ok(Reply::text("Nobody was signed in\n")
            .data(json!({ "signed_in": false, "changed": false })));
    }
    let end = match &found {
        StoredCredentials::Usable(credentials) => end(context, credentials)?,
        StoredCredentials::Broken(why) => {
            End::GoesOn("broken_credentials".to_owned(), why.to_string())
        }
        StoredCredentials::Nothing => End::NotOurs("it was not there"),
    };
    let mut text = format!("Signed out: removed from {kept}");
    let mut data = json!({ "signed_in": false, "changed": true, "revoked": false });
    match end {
        End::Revoked => {
            text += ", and the sign-in is revoked";
            data["revoked"] = json!(true);
        }
        End::NotOurs(what) => {
            text.extend(["; ", what]);
            data["reason"] = json!("not_from_issuer");
        }
        End::GoesOn(code, why) => {
            context.warn(&format!("the sign-in is not revoked: {why}; {REST}"));
            data["reason"] = json!(code);
        }
    }
    Ok(Reply::text(text + "\n").data(data))
}

/// Revokes the sign-in where it was made.
fn end(context: &CommandContext<'_>, credentials: &Credentials) -> Result<End, Failure> {
    if credentials.kind == TokenKind::ApiKey {
        return Ok(End::NotOurs("the private API key itself still works"));
    }
    if credentials.refresh.is_none() && credentials.token.expose().starts_with("pcc_pat_") {
        return Ok(End::NotOurs("the personal access token itself still works"));
    }
    context.progress("Revoking the sign-in");
    match revoke(context, credentials) {
        Ok(Revocation::Done) => Ok(End::Revoked),
        Ok(Revocation::NotOffered) => {
            let why = "the issuer offers no revocation";
            Ok(End::GoesOn("not_offered".to_owned(), why.to_owned()))
        }
        Err(ServiceError::Cancelled) => {
            let message = "cancelled: this machine is signed out, but the sign-in is not revoked";
            Err(Failure::new(Exit::Cancelled, "cancelled", message).hint(REST))
        }
        Err(error) => {
            let failure = Failure::from(error);
            Ok(End::GoesOn(failure.code, failure.message))
        }
    }
}

/// Asks the issuer of the service that the token is for, and no other.
fn revoke(
    context: &CommandContext<'_>,
    credentials: &Credentials,
) -> Result<Revocation, ServiceError> {
    let base = address(&credentials.api_url)
        .map_err(|failure| ServiceError::InvalidResponse(failure.message))?;
    // Broken settings don't keep the user signed in.
    let scope = open::scope(context, &Wanted::default());
    let mut pace = scope.map_or(context.environment.pace, |scope| scope.pace);
    pace.request = pace.request.min(PATIENCE);
    Issuer::revoked(&base, pace, context, credentials)
}
