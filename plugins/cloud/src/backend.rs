//! What keeps secrets: the seam between the commands and the service or the vault.
//!
//! Async begins here: one of the two speaks HTTP.

pub mod hosted;
pub mod local;

use async_trait::async_trait;

use crate::domain::{Entry, Key, Region, RegistryHost, SetKind, SetName, Status};
use bot_cli_sdk::secret::Secret;

/// What keeps secrets of one organization. It asks nothing, decides nothing and words nothing for people.
#[async_trait(?Send)]
pub trait SecretsBackend {
    /// Where sets can be.
    async fn regions(&self) -> Result<Regions, BackendError>;

    /// Every set, of one region or of all.
    async fn list(&self, region: Option<&Region>) -> Result<Vec<Summary>, BackendError>;

    /// One set; `None` when there is none of that name.
    async fn get(&self, name: &SetName) -> Result<Option<Details>, BackendError>;

    /// Makes a set or adds to it; other keys stay.
    async fn put(
        &self,
        name: &SetName,
        entries: &[Entry],
        region: Option<&Region>,
    ) -> Result<(), PutError>;

    /// Makes an image pull secret or replaces its credentials.
    async fn put_image_pull_secret(
        &self,
        name: &SetName,
        host: &RegistryHost,
        credentials: &Secret,
        region: Option<&Region>,
    ) -> Result<(), BackendError>;

    /// Removes one key; `false` when there is none.
    async fn unset(&self, name: &SetName, key: &Key) -> Result<bool, BackendError>;

    /// Removes a set of either kind; `false` when there is none.
    async fn delete(&self, name: &SetName) -> Result<bool, BackendError>;
}

/// Where sets can be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Regions {
    /// Code and name of each.
    pub all: Vec<(String, String)>,
    /// The code of the one that is taken when nobody says otherwise.
    pub default: Option<String>,
}

/// A row of the listing. Its texts are the backend's and not checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// The name.
    pub name: String,
    /// What it is.
    pub kind: SetKind,
    /// Where it is.
    pub region: String,
    /// Whether it can be used.
    pub status: Status,
    /// Why it can't.
    pub error: Option<String>,
}

/// One set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Details {
    /// What the listing says of it.
    pub summary: Summary,
    /// Its keys, as far as they can be known.
    pub keys: Keys,
}

/// The keys of a set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Keys {
    /// These.
    Known(Vec<String>),
    /// The set lives in the customer's own cluster, and only there it can be seen and changed.
    Referenced,
    /// It has none: it is an image pull secret.
    None,
}

/// A set that was not stored, or only in part.
#[derive(Debug)]
pub struct PutError {
    /// What went wrong.
    pub cause: BackendError,
    /// What is stored.
    pub applied: Vec<Key>,
    /// What may be stored or not.
    pub unknown: Vec<Key>,
    /// What is not stored.
    pub not_applied: Vec<Key>,
}

/// What goes wrong in a backend. Texts are those of the other side and not fit for a terminal yet.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BackendError {
    /// Nothing answered.
    #[error("could not reach {host}: {reason}")]
    Unreachable {
        /// What was tried.
        host: String,
        /// Why.
        reason: String,
    },
    /// Nothing answered in time.
    #[error("{host} did not answer in time")]
    TimedOut {
        /// What was tried.
        host: String,
    },
    /// The other side could not show who it is.
    #[error("the certificate of {host} is not valid: {reason}")]
    BadCertificate {
        /// What was tried.
        host: String,
        /// Why.
        reason: String,
    },
    /// The service sends requests somewhere else.
    #[error("redirected to {to}")]
    Redirected {
        /// Where to, without a query.
        to: String,
    },
    /// The service is there but does not work now.
    #[error("status {status}")]
    Unavailable {
        /// The status.
        status: u16,
        /// The words of the service.
        message: String,
        /// How long it wants to be left alone, in seconds.
        retry_after: Option<u64>,
    },
    /// The token is not accepted.
    #[error("status 401")]
    NotSignedIn {
        /// The words of the service.
        message: String,
    },
    /// The token may not do this.
    #[error("status 403")]
    NotAllowed {
        /// The words of the service.
        message: String,
    },
    /// There is no such thing.
    #[error("status 404")]
    NotFound {
        /// The words of the service.
        message: String,
    },
    /// Somebody else changed it in the meantime.
    #[error("status 409")]
    Conflict {
        /// The words of the service.
        message: String,
    },
    /// The request is refused.
    #[error("status {status}")]
    Refused {
        /// The status.
        status: u16,
        /// The words of the service.
        message: String,
    },
    /// The answer is not one of this service.
    #[error("{what}")]
    InvalidResponse {
        /// What is wrong with it.
        what: String,
    },
    /// The user stopped it.
    #[error("cancelled")]
    Cancelled,
    /// The vault can't do it.
    #[error(transparent)]
    Vault(#[from] local::VaultError),
}
