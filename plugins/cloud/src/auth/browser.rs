//! Signing in with a browser: the authorization code flow with PKCE, and a redirect to this machine.

use std::time::Duration;

use bot_cli_protocol::failure::{Exit, Failure};
use oauth2::{AuthorizationCode, CsrfToken, PkceCodeChallenge};
use url::Url;

use super::callback::{Brought, Callback, Visitor};
use super::credentials::Credentials;
use super::issuer::{Issuer, refused};
use super::page::Page;
use crate::backend::hosted::http::waiting::{runtime, until_cancelled};
use crate::pace::Pace;
use crate::text;
use crate::watch::Watch;

/// The time limit for the user.
const PATIENCE: Duration = Duration::from_secs(600);

/// The browser that returned, and what the issuer granted it.
type Visit = (Visitor, Result<Credentials, (Page, Failure)>);

/// Leads the user through it; `show` gets the address that is to be opened. The browser is told what `confirm` makes of the
/// sign-in that was granted.
pub fn sign_in<T>(
    base: &Url,
    pace: Pace,
    watch: &dyn Watch,
    show: impl FnOnce(&str),
    confirm: impl FnOnce(Credentials) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let runtime = runtime()?;
    let (visitor, granted) = runtime.block_on(async {
        let issuer = Issuer::find(base, pace, watch).await;
        let issuer = issuer?;
        visit(&issuer, watch, show).await
    })?;
    // Outside of the runtime: what confirms it has one of its own.
    let (outcome, confirmed) = match granted {
        Err((outcome, failure)) => (outcome, Err(failure)),
        Ok(credentials) => match confirm(credentials) {
            Ok(confirmed) => (Page::SignedIn, Ok(confirmed)),
            Err(failure) => (Page::NotSignedIn, Err(failure)),
        },
    };
    runtime.block_on(visitor.tell(outcome));
    confirmed
}

async fn visit(
    issuer: &Issuer<'_>,
    watch: &dyn Watch,
    show: impl FnOnce(&str),
) -> Result<Visit, Failure> {
    let callback = Callback::open().await.map_err(|error| {
        let could_not = "could not wait for the browser on the ports 8400 to 8404";
        Failure::because(Exit::Failed, "no_port", could_not, error)
            .hint("end what uses them, or sign in with `--token-stdin`")
    })?;
    let client = issuer
        .oauth(Some(&callback.address()))
        .map_err(Failure::from)?;
    let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
    let (address, state) = client
        .authorize_url(CsrfToken::new_random)
        .add_scopes(issuer.scopes())
        .set_pkce_challenge(challenge)
        .url();
    show(address.as_str());
    watch.waiting("Waiting for the browser");
    let waiting = tokio::time::timeout(PATIENCE, callback.wait(state.secret()));
    let visit = until_cancelled(watch, waiting)
        .await
        .map_err(Failure::from)?;
    let Ok(Some((visitor, brought))) = visit else {
        return Err(Failure::new(
            Exit::Unavailable,
            "timed_out",
            "no response from the browser within 10 minutes",
        )
        .hint("try again, or sign in with `--token-stdin`"));
    };
    let code = match brought {
        Brought::Code(code) => AuthorizationCode::new(code),
        Brought::Refusal(why) => {
            let message = format!("the sign-in was refused: {}", text::theirs(&why));
            let failure = Failure::new(Exit::NotAllowed, "not_signed_in", message)
                .hint("bot-cli cloud auth login");
            return Ok((visitor, Err((Page::Refused, failure))));
        }
    };
    let exchanged = client
        .exchange_code(code)
        .set_pkce_verifier(verifier)
        .request_async(&|request| issuer.send(request))
        .await;
    let granted = exchanged
        .map_err(|error| refused(&error))
        .and_then(|answer| issuer.grant(&answer))
        .map_err(|error| (Page::NotSignedIn, error.into()));
    Ok((visitor, granted))
}
