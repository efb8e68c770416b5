//! The sentences for what goes wrong with the hosting service.

use bot_cli_protocol::failure::{Exit, Failure};

use super::SIGN_IN;
use crate::backend::Explained;
use crate::backend::hosted::ServiceError;
use crate::text::{span, theirs};

impl Explained for ServiceError {
    fn explain(&self) -> Failure {
        if matches!(self, Self::Cancelled) {
            return Failure::cancelled();
        }
        let (exit, code, message, hint) = worded(self);
        let failure = Failure::new(exit, code, message);
        if let Self::Unavailable {
            retry_after: Some(seconds @ 1..=86_400),
            ..
        } = self
        {
            return failure.hint(format!("try again in {}", span(*seconds)));
        }
        let failure = failure.hint(hint);
        if let Self::Unreachable { reason, .. } | Self::BadCertificate { reason, .. } = self {
            return failure.caused_by(reason.clone());
        }
        failure
    }
}

/// Returns exit status, code, message and hint of an error.
fn worded(error: &ServiceError) -> (Exit, &'static str, String, &'static str) {
    const LATER: &str = "try again in a while";
    use Exit::{Failed, NotAllowed, Unavailable};
    match error {
        ServiceError::Unreachable { host, reason } => (
            Unavailable,
            "unreachable",
            format!(
                "the connection to {} failed: {}",
                theirs(host),
                theirs(&reason.to_string())
            ),
            "check the network and the address (`bot-cli cloud config show`), then try again",
        ),
        ServiceError::NoAuthorities => (
            Failed,
            "no_certificates",
            "this machine has no certificates of authorities, so nobody can prove who they are"
                .to_owned(),
            "install them (the package is often called `ca-certificates`), or set SSL_CERT_FILE to a file of them",
        ),
        ServiceError::TimedOut(host) => (
            Unavailable,
            "timed_out",
            format!("{} did not answer in time", theirs(host)),
            "try again; BOT_CLI_TIMEOUT sets the seconds that a request may take",
        ),
        ServiceError::BadCertificate { host, reason } => (
            Failed,
            "bad_certificate",
            format!(
                "{} could not prove who it is: {}",
                theirs(host),
                theirs(&reason.to_string())
            ),
            "if you use a proxy of your own, set SSL_CERT_FILE to its certificates",
        ),
        ServiceError::Redirected(to) => (
            Failed,
            "redirected",
            format!(
                "the service redirects to `{}`, which is not followed with a token",
                theirs(to)
            ),
            "if that is where it has moved, set the address: `bot-cli cloud config set api_url …`",
        ),
        ServiceError::Unavailable {
            status, message, ..
        } => (
            Unavailable,
            "unavailable",
            said(
                &format!("the service is not available (status {status})"),
                message,
            ),
            LATER,
        ),
        ServiceError::IssuerUnavailable(status) => {
            let status = status.map_or_else(String::new, |status| format!(" (status {status})"));
            let message = format!("the issuer of tokens is not available{status}");
            (Unavailable, "unavailable", message, LATER)
        }
        ServiceError::IssuerRefused(code) => {
            let code = code.map_or_else(String::new, |code| format!(" (`{code}`)"));
            (
                Failed,
                "issuer_refused",
                format!("the issuer of tokens refuses the request of bot-cli{code}"),
                "look at the address (`bot-cli cloud config show`), or use a token: `bot-cli cloud auth login --token-stdin < FILE`",
            )
        }
        ServiceError::InvalidToken => (
            NotAllowed,
            "not_signed_in",
            "the token has characters that can't be sent, so the service was not asked".to_owned(),
            "copy the token again, on one line and without blanks",
        ),
        ServiceError::NotSignedIn(message) => (
            NotAllowed,
            "not_signed_in",
            said("the service does not accept the token", message),
            SIGN_IN,
        ),
        ServiceError::NotAllowed(message) => (
            NotAllowed,
            "not_allowed",
            said("you are not allowed to do this", message),
            "`bot-cli cloud organizations list` shows where you belong",
        ),
        ServiceError::NotFound(message) => (
            Failed,
            "not_found",
            said("not found", message),
            "`bot-cli cloud organizations list` shows where you belong, `bot-cli cloud secrets list` what is there",
        ),
        ServiceError::Conflict(message) => (
            Failed,
            "conflict",
            said("somebody else is changing it", message),
            "try again",
        ),
        ServiceError::Refused { status, message } => (
            Failed,
            "refused",
            said(
                &format!("the service refuses it (status {status})"),
                message,
            ),
            "look at where it was sent: `bot-cli cloud config show`",
        ),
        ServiceError::InvalidResponse(what) => (
            Failed,
            "invalid_response",
            format!("the response is not from the service: {}", theirs(what)),
            "a proxy or a sign-in page may have answered; look at the address: `bot-cli cloud config show`",
        ),
        ServiceError::Cancelled => (Exit::Cancelled, "cancelled", String::new(), ""),
    }
}

fn said(ours: &str, message: &str) -> String {
    match theirs(message).as_str() {
        "" => ours.to_owned(),
        message => format!("{ours}: {message}"),
    }
}
