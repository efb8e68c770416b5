use crate::backend::{BackendError, ChangeError};
use crate::files::Reason;

/// An error from the hosting service or the token issuer. The strings come from the server and have not been escaped for a terminal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ServiceError {
    #[error("the connection to {host} failed: {reason}")]
    Unreachable {
        host: String,
        #[source]
        reason: Reason,
    },
    /// This machine has no root certificates, so no connection can be verified.
    #[error("this machine has no certificates of authorities")]
    NoAuthorities,
    #[error("{0} did not answer in time")]
    TimedOut(String),
    #[error("the certificate of {host} is not valid: {reason}")]
    BadCertificate {
        host: String,
        #[source]
        reason: Reason,
    },
    /// The service redirected the request to this origin.
    #[error("redirected to {0}")]
    Redirected(String),
    #[error("status {status}")]
    Unavailable {
        status: u16,
        message: String,
        /// The delay requested by the service, in seconds.
        retry_after: Option<u64>,
    },
    #[error("the issuer of tokens is not available")]
    IssuerUnavailable(Option<u16>),
    /// The token issuer rejected this client. Signing in again would not help.
    #[error("the issuer of tokens refuses this client")]
    IssuerRefused(Option<String>),
    #[error("the token has characters that can't be sent")]
    InvalidToken,
    /// The service rejected the token.
    #[error("status 401")]
    NotSignedIn(String),
    #[error("status 403")]
    NotAllowed(String),
    #[error("status 404")]
    NotFound(String),
    #[error("status 409")]
    Conflict(String),
    /// The service rejected the request for a reason not covered by another variant.
    #[error("status {status}")]
    Refused {
        status: u16,
        /// The service's message, or an empty string if the service sent none.
        message: String,
    },
    /// The service's response does not state that the change was made.
    #[error("the response does not confirm the change")]
    NotConfirmed,
    #[error("{0}")]
    InvalidResponse(String),
    #[error("cancelled")]
    Cancelled,
}

impl ServiceError {
    /// Reports whether the error is about a missing organization.
    pub fn names_an_organization(&self) -> bool {
        matches!(self, Self::NotFound(message) if message.to_lowercase().contains("organization"))
    }
}

impl From<ServiceError> for BackendError {
    fn from(error: ServiceError) -> Self {
        if error == ServiceError::Cancelled {
            return Self::Cancelled;
        }
        Self::Own(Box::new(error))
    }
}

impl From<ChangeError<ServiceError>> for ChangeError {
    fn from(error: ChangeError<ServiceError>) -> Self {
        Self {
            cause: error.cause.into(),
            effect: error.effect,
        }
    }
}
