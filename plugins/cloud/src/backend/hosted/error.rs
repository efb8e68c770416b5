//! The errors of requests to the hosting service, and what the user is told of each.

use bot_cli_protocol::failure::{Exit, Failure};

use bot_cli_secrets::Error;
use bot_cli_vault::files::Reason;

use crate::text::{span, theirs};

pub const SIGN_IN: &str = "bot-cli cloud auth login";

/// An error from the hosting service or the token issuer. The strings come from the server and are escaped only in messages.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ServiceError {
    #[error("the connection to {} failed: {}", theirs(host), theirs(&reason.to_string()))]
    Unreachable {
        host: String,
        #[source]
        reason: Reason,
    },
    /// This machine has no root certificates, so no connection can be verified.
    #[error("this machine has no certificates of authorities, so nobody can prove who they are")]
    NoAuthorities,
    #[error("{} did not answer in time", theirs(.0))]
    TimedOut(String),
    #[error("{} could not prove who it is: {}", theirs(host), theirs(&reason.to_string()))]
    BadCertificate {
        host: String,
        #[source]
        reason: Reason,
    },
    /// The service redirected the request to this origin.
    #[error("the service redirects to `{}`, which is not followed with a token", theirs(.0))]
    Redirected(String),
    #[error("the service is not available (status {status}){}", said(message))]
    Unavailable {
        status: u16,
        message: String,
        /// The delay requested by the service, in seconds.
        retry_after: Option<u64>,
    },
    #[error("signing in is not available{}", .0.map_or(String::new(), |it| format!(" (status {it})")))]
    IssuerUnavailable(Option<u16>),
    /// The token issuer rejected this client. Signing in again would not help.
    #[error("the issuer of tokens refuses the request of bot-cli{}", .0.as_ref().map_or(String::new(), |it| format!(" (`{it}`)")))]
    IssuerRefused(Option<String>),
    #[error("the token has characters that can't be sent, so the service was not asked")]
    InvalidToken,
    /// The service rejected the token.
    #[error("the service does not accept the token{}", said(.0))]
    NotSignedIn(String),
    #[error("you are not allowed to do this{}", said(.0))]
    NotAllowed(String),
    #[error("not found{}", said(.0))]
    NotFound(String),
    #[error("somebody else is changing it{}", said(.0))]
    Conflict(String),
    /// The service rejected the request for a reason not covered by another variant.
    #[error("the service refuses it (status {status}){}", said(message))]
    Refused {
        status: u16,
        /// The service's message, or an empty string if the service sent none.
        message: String,
    },
    /// The service's response does not state that the change was made.
    #[error("the service's response does not confirm the change")]
    NotConfirmed,
    #[error("the response is not from the service: {}", theirs(.0))]
    InvalidResponse(String),
    #[error("cancelled")]
    Cancelled,
}

fn said(message: &str) -> String {
    match theirs(message).as_str() {
        "" => String::new(),
        message => format!(": {message}"),
    }
}

impl ServiceError {
    /// Returns the failure that the user is told.
    pub fn explain(&self) -> Failure {
        use Exit::{Failed, NotAllowed, Unavailable};
        #[rustfmt::skip]
        let (exit, code, hint) = match self {
            Self::Cancelled => return Failure::cancelled(),
            Self::Unreachable { .. } => (Unavailable, "unreachable", "check the network and the address (`bot-cli cloud config show`), then try again"),
            Self::NoAuthorities => (Failed, "no_certificates", "install them (the package is often called `ca-certificates`), or set SSL_CERT_FILE to a file of them"),
            Self::TimedOut(_) => (Unavailable, "timed_out", "try again; BOT_CLI_TIMEOUT sets the seconds that a request may take"),
            Self::BadCertificate { .. } => (Failed, "bad_certificate", "if a proxy or a private authority is in between, give its certificates: export SSL_CERT_FILE=/path/to/certificates.pem"),
            Self::Redirected(_) => (Failed, "redirected", "if that is where it has moved, set the address: `bot-cli cloud config set api_url …`"),
            Self::Unavailable { .. } | Self::IssuerUnavailable(_) => (Unavailable, "unavailable", "try again in a while"),
            Self::IssuerRefused(_) => (Failed, "issuer_refused", "look at the address (`bot-cli cloud config show`), or use a token: `bot-cli cloud auth login --token-stdin < FILE`"),
            Self::InvalidToken => (NotAllowed, "not_signed_in", "copy the token again, on one line and without blanks"),
            Self::NotSignedIn(_) => (NotAllowed, "not_signed_in", SIGN_IN),
            Self::NotAllowed(_) => (NotAllowed, "not_allowed", "it depends on your role and the organization's limits; `bot-cli cloud organizations list` shows where you belong"),
            Self::NotFound(_) => (Failed, "not_found", "`bot-cli cloud organizations list` shows where you belong, `bot-cli cloud secrets list` what is there"),
            Self::Conflict(_) => (Failed, "conflict", "try again"),
            Self::Refused { status: 402, .. } => (Failed, "refused", "the organization's plan or payment does not cover it; its owner can change that"),
            Self::Refused { .. } => (Failed, "refused", "correct what it says, then try again"),
            Self::InvalidResponse(_) => (Failed, "invalid_response", "a proxy or a sign-in page may have answered; look at the address: `bot-cli cloud config show`"),
            Self::NotConfirmed => return Failure::new(Failed, "not_confirmed", self.to_string()),
        };
        let failure = Failure::new(exit, code, self.to_string());
        if let Self::Unavailable {
            retry_after: Some(seconds @ 1..=86_400),
            ..
        } = self
        {
            return failure.hint(format!("try again in {}", span(*seconds)));
        }
        failure.hint(hint)
    }

    /// Reports whether the error is about a missing organization.
    pub fn names_an_organization(&self) -> bool {
        matches!(self, Self::NotFound(message) if message.to_lowercase().contains("organization"))
    }
}

impl From<ServiceError> for Failure {
    fn from(error: ServiceError) -> Self {
        error.explain()
    }
}

impl From<ServiceError> for Error {
    fn from(error: ServiceError) -> Self {
        error.explain().into()
    }
}
