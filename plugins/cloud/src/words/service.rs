//! The sentences for what goes wrong with the hosting service.

use bot_cli_protocol::failure::{Exit, Failure};

use super::SIGN_IN;
use crate::backend::Explained;
use crate::backend::hosted::ServiceError;
use crate::text::{span, theirs};
use crate::words::failed;

impl Explained for ServiceError {
    fn explain(&self) -> Failure {
        match self {
        ServiceError::Unreachable { host, reason } => Failure::new(
            Exit::Unavailable,
            "unreachable",
            format!("the connection to {} failed: {}", theirs(host), theirs(&reason.to_string())),
        )
        .caused_by(reason.clone())
        .hint(
            "check the network and the address (`bot-cli cloud config show`), then try again",
        ),
        ServiceError::NoAuthorities => failed("no_certificates",
            "this machine has no certificates of authorities, so nobody can prove who they are",
        )
        .hint("install them (the package is often called `ca-certificates`), or set SSL_CERT_FILE to a file of them"),
        ServiceError::TimedOut(host) => Failure::new(
            Exit::Unavailable,
            "timed_out",
            format!("{} did not answer in time", theirs(host)),
        )
        .hint("try again; BOT_CLI_TIMEOUT sets the seconds that a request may take"),
        ServiceError::BadCertificate { host, reason } => failed("bad_certificate",
            format!(
                "{} could not prove who it is: {}",
                theirs(host),
                theirs(&reason.to_string())
            ),
        )
        .caused_by(reason.clone())
        .hint("if you use a proxy of your own, set SSL_CERT_FILE to its certificates"),
        ServiceError::Redirected(to) => failed("redirected",
            format!(
                "the service redirects to `{}`, which is not followed with a token",
                theirs(to)
            ),
        )
        .hint(
            "if that is where it has moved, set the address: `bot-cli cloud config set api_url …`",
        ),
        ServiceError::Unavailable {
            status,
            message,
            retry_after,
        } => unavailable(*status, message, *retry_after),
        ServiceError::IssuerUnavailable(status) => issuer_unavailable(*status),
        ServiceError::IssuerRefused(code) => issuer_refused(code.as_deref()),
        ServiceError::InvalidToken => Failure::new(
            Exit::NotAllowed,
            "not_signed_in",
            "the token has characters that can't be sent, so the service was not asked",
        )
        .hint("copy the token again, on one line and without blanks"),
        ServiceError::NotSignedIn(message) => Failure::new(
            Exit::NotAllowed,
            "not_signed_in",
            said("the service does not accept the token", message),
        )
        .hint(SIGN_IN),
        ServiceError::NotAllowed(message) => Failure::new(
            Exit::NotAllowed,
            "not_allowed",
            said("you are not allowed to do this", message),
        )
        .hint("`bot-cli cloud organizations list` shows where you belong"),
        ServiceError::NotFound(message) => {
            failed("not_found", said("not found", message))
                .hint("`bot-cli cloud organizations list` shows where you belong, `bot-cli cloud secrets list` what is there")
        }
        ServiceError::Conflict(message) => failed("conflict",
            said("somebody else is changing it", message),
        )
        .hint("try again"),
        ServiceError::Refused { status, message } => failed("refused",
            said(
                &format!("the service refuses it (status {status})"),
                message,
            ),
        )
        .hint("look at where it was sent: `bot-cli cloud config show`"),
        ServiceError::InvalidResponse(what) => failed("invalid_response",
            format!("the response is not from the service: {}", theirs(what)),
        )
        .hint("a proxy or a sign-in page may have answered; look at the address: `bot-cli cloud config show`"),
        ServiceError::Cancelled => Failure::cancelled(),
    }
    }
}

fn unavailable(status: u16, message: &str, retry_after: Option<u64>) -> Failure {
    let ours = format!("the service is not available (status {status})");
    let failure = Failure::new(Exit::Unavailable, "unavailable", said(&ours, message));
    match retry_after {
        Some(seconds @ 1..=86_400) => failure.hint(format!("try again in {}", span(seconds))),
        Some(_) | None => failure.hint("try again in a while"),
    }
}

fn issuer_unavailable(status: Option<u16>) -> Failure {
    let status = status.map_or_else(String::new, |status| format!(" (status {status})"));
    let message = format!("signing in is not available{status}");
    Failure::new(Exit::Unavailable, "unavailable", message).hint("try again in a while")
}

fn issuer_refused(code: Option<&str>) -> Failure {
    let code = code.map_or_else(String::new, |code| format!(" (`{code}`)"));
    let message = format!("the issuer of tokens refuses the request of bot-cli{code}");
    failed("issuer_refused", message).hint(
        "look at the address (`bot-cli cloud config show`), or use a token: `bot-cli cloud auth login --token-stdin < FILE`",
    )
}

fn said(ours: &str, message: &str) -> String {
    match theirs(message).as_str() {
        "" => ours.to_owned(),
        message => format!("{ours}: {message}"),
    }
}
