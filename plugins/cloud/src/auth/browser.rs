//! Signing in with a browser: the authorization code flow with PKCE, and a redirect to this machine.

use std::time::Duration;

use bot_cli_sdk::failure::{Exit, Failure, reason};
use oauth2::{AuthorizationCode, CsrfToken, PkceCodeChallenge};
use url::Url;

use super::callback::{Brought, Callback};
use super::credentials::Credentials;
use super::issuer::{Issuer, refused};
use crate::backend::hosted::http::{runtime, until_cancelled};
use crate::pace::Pace;
use crate::text;
use crate::watch::Watch;
use crate::words;

/// How long the user may take.
const PATIENCE: Duration = Duration::from_secs(600);

/// Leads the user through it; `show` gets the address that is to be opened.
pub fn sign_in(
    base: &Url,
    pace: Pace,
    watch: &dyn Watch,
    show: impl FnOnce(&str),
) -> Result<Credentials, Failure> {
    let runtime = runtime().map_err(|error| words::failure(&error))?;
    runtime.block_on(async {
        let issuer = Issuer::find(base, pace, watch).await;
        visit(
            &issuer.map_err(|error| words::failure(&error))?,
            watch,
            show,
        )
        .await
    })
}

async fn visit(
    issuer: &Issuer<'_>,
    watch: &dyn Watch,
    show: impl FnOnce(&str),
) -> Result<Credentials, Failure> {
    let worded = |error| words::failure(&error);
    let callback = Callback::open().await.map_err(|error| {
        let message = format!(
            "could not wait for the browser on the ports 8400 to 8404: {}",
            reason(&error)
        );
        Failure::new(Exit::Failed, "no_port", message)
            .hint("end what uses them, or sign in with `--token-stdin`")
    })?;
    let client = issuer.oauth(Some(&callback.address())).map_err(worded)?;
    let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
    let (address, state) = client
        .authorize_url(CsrfToken::new_random)
        .add_scopes(issuer.scopes())
        .set_pkce_challenge(challenge)
        .url();
    show(address.as_str());
    let waiting = tokio::time::timeout(PATIENCE, callback.wait(state.secret()));
    let visit = until_cancelled(watch, waiting).await.map_err(worded)?;
    let Ok(visit) = visit else {
        return Err(Failure::new(
            Exit::Unavailable,
            "timed_out",
            "nobody came back from the browser",
        )
        .hint("try again, or sign in with `--token-stdin`"));
    };
    let (mut visitor, brought) = visit.map_err(|error| {
        let message = format!("lost the browser: {}", reason(&error));
        Failure::new(Exit::Failed, "no_port", message)
    })?;
    let code = match brought {
        Brought::Code(code) => AuthorizationCode::new(code),
        Brought::Refusal(why) => {
            visitor.tell(400, "You are not signed in.").await;
            let message = format!("the sign-in was refused: {}", text::theirs(&why));
            return Err(Failure::new(Exit::NotAllowed, "not_signed_in", message)
                .hint("bot-cli cloud auth login"));
        }
    };
    let exchanged = client
        .exchange_code(code)
        .set_pkce_verifier(verifier)
        .request_async(&|request| issuer.send(request))
        .await;
    match exchanged {
        Ok(answer) => {
            visitor
                .tell(200, "You are signed in. You can close this page.")
                .await;
            Ok(issuer.grant(&answer))
        }
        Err(error) => {
            visitor
                .tell(400, "You are not signed in; the terminal says why.")
                .await;
            Err(words::failure(&refused(&error)))
        }
    }
}
