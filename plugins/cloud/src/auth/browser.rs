//! Browser sign-in: the authorization code flow with PKCE and a redirect to this machine.

use std::time::Duration;

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_sdk::session::Session;
use oauth2::{AuthorizationCode, CsrfToken, PkceCodeChallenge};
use url::Url;

use super::callback::{Brought, Callback, Page, Visitor};
use super::credentials::Credentials;
use super::issuer::{Issuer, refused};
use crate::backend::hosted::http::connect::{runtime, until_cancelled};
use crate::pace::Pace;
use crate::text;

/// The time limit for completing the sign-in in the browser.
const PATIENCE: Duration = Duration::from_secs(600);

/// Signs the user in through a browser. `show` receives the URL to open.
///
/// The final page in the browser shows whether `confirm` accepted the credentials.
pub fn sign_in<T>(
    base: &Url,
    pace: Pace,
    session: &Session,
    show: impl FnOnce(&str),
    confirm: impl FnOnce(Credentials) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let runtime = runtime()?;
    let (visitor, granted) = runtime.block_on(async {
        let issuer = Issuer::find(base, pace, session).await?;
        visit(&issuer, session, show).await
    })?;
    // This runs outside the runtime, because `confirm` starts its own.
    let confirmed = granted.and_then(confirm);
    let outcome = match confirmed {
        Ok(_) => Page::SignedIn,
        Err(_) => Page::NotSignedIn,
    };
    runtime.block_on(visitor.tell(outcome));
    confirmed
}

/// Waits for the browser's redirect and exchanges the authorization code for credentials.
async fn visit(
    issuer: &Issuer<'_>,
    session: &Session,
    show: impl FnOnce(&str),
) -> Result<(Visitor, Result<Credentials, Failure>), Failure> {
    let callback = Callback::open().await.map_err(|error| {
        let could_not = "could not wait for the browser on the ports 8400 to 8404";
        Failure::because(Exit::Failed, "no_port", could_not, error)
            .hint("end what uses them, or sign in with `--token-stdin`")
    })?;
    let client = issuer.oauth()?;
    let client = client.set_redirect_uri(callback.address.clone());
    let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
    let (address, state) = client
        .authorize_url(CsrfToken::new_random)
        .add_scope(issuer.scope())
        .set_pkce_challenge(challenge)
        .url();
    show(address.as_str());
    session.progress("Waiting for the browser", None, None);
    let waiting = tokio::time::timeout(PATIENCE, callback.wait(state.secret()));
    let visit = until_cancelled(session, waiting).await?;
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
            return Ok((visitor, Err(failure)));
        }
    };
    let exchanged = client
        .exchange_code(code)
        .set_pkce_verifier(verifier)
        .request_async(&|request| issuer.send(request))
        .await;
    let granted = exchanged
        .map_err(|error| refused(&error))
        .and_then(|answer| issuer.grant(&answer));
    Ok((visitor, granted.map_err(Failure::from)))
}
