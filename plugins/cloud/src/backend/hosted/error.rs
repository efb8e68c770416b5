//! Errors of the hosting service, or of the issuer of its tokens.

use crate::backend::{BackendError, ChangeError};
use crate::files::Reason;

/// An error of the service. Texts come from the other side and are not yet escaped for a terminal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ServiceError {
    /// Nothing answered, or what can't be understood.
    #[error("the connection to {host} failed: {reason}")]
    Unreachable {
        host: String,
        /// Why.
        #[source]
        reason: Reason,
    },
    /// This machine trusts nobody, so nothing can be reached safely.
    #[error("this machine has no certificates of authorities")]
    NoAuthorities,
    /// Nothing answered in time.
    #[error("{0} did not answer in time")]
    TimedOut(String),
    /// The other side could not show who it is.
    #[error("the certificate of {host} is not valid: {reason}")]
    BadCertificate {
        host: String,
        /// Why.
        #[source]
        reason: Reason,
    },
    /// The service sends requests somewhere else.
    #[error("redirected to {0}")]
    Redirected(String),
    /// The service is there but does not work now.
    #[error("status {status}")]
    Unavailable {
        /// The status.
        status: u16,
        /// The words of the service.
        message: String,
        /// Seconds.
        retry_after: Option<u64>,
    },
    /// The issuer of tokens does not work now.
    #[error("the issuer of tokens is not available")]
    IssuerUnavailable(Option<u16>),
    /// The issuer of tokens does not serve this client, whatever the sign-in.
    #[error("the issuer of tokens refuses this client")]
    IssuerRefused(Option<String>),
    /// The token can't be sent; the service was not asked.
    #[error("the token has characters that can't be sent")]
    InvalidToken,
    /// The token is not accepted.
    #[error("status 401")]
    NotSignedIn(String),
    /// The token may not do this.
    #[error("status 403")]
    NotAllowed(String),
    /// There is no such thing.
    #[error("status 404")]
    NotFound(String),
    /// Somebody else changed it in the meantime.
    #[error("status 409")]
    Conflict(String),
    /// The request is refused.
    #[error("status {status}")]
    Refused {
        /// The status.
        status: u16,
        /// The words of the service.
        message: String,
    },
    /// The answer is not one of this service.
    #[error("{0}")]
    InvalidResponse(String),
    /// The user stopped it.
    #[error("cancelled")]
    Cancelled,
}

impl ServiceError {
    /// Whether it is an organization that there is not.
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
