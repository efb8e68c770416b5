//! What keeps secrets: the seam between the commands and the service or the vault.
//!
//! Every change ends as done, not done or unknown, and says which: see [`ChangeError`].

pub mod hosted;
pub mod local;

use std::time::Duration;

use crate::domain::{Entry, Key, Region, RegistryHost, SetKind, SetName, Status};
use bot_cli_sdk::secret::Secret;

/// Keeps the secrets of one organization. A backend asks no questions and words nothing for people.
pub trait SecretsBackend {
    /// Hides these values in everything that comes back from now on, also before they are sent.
    fn conceal(&self, _values: &[Secret]) {}

    /// Returns the regions where sets can be.
    fn regions(&self) -> Result<Regions, BackendError>;

    /// Returns the codes of the regions, where the default does not matter.
    fn region_codes(&self) -> Result<Vec<String>, BackendError>;

    /// Returns every set, of one region or of all.
    fn list(&self, region: Option<&Region>) -> Result<Vec<Summary>, BackendError>;

    /// Returns one set; `None` when no set has that name.
    fn get(&self, name: &SetName) -> Result<Option<Details>, BackendError>;

    /// Creates a set or adds to it; other keys stay.
    fn put(
        &self,
        name: &SetName,
        entries: &[Entry],
        prior: Prior<'_>,
    ) -> Result<Confirmed, ChangeError>;

    /// Creates an image pull secret or replaces its credentials.
    fn put_image_pull_secret(
        &self,
        name: &SetName,
        host: &RegistryHost,
        credentials: &Secret,
        prior: Prior<'_>,
    ) -> Result<Confirmed, ChangeError>;

    /// Removes keys from a set. Returns those that were not there.
    fn unset(&self, name: &SetName, keys: &[Key]) -> Result<Vec<Key>, ChangeError>;

    /// Removes a set of either kind; `false` when there is none.
    fn delete(&self, name: &SetName) -> Result<bool, ChangeError>;

    /// Waits between two looks at a set that is not ready yet, until the user wants to stop.
    fn pause(&self, pause: Duration) -> Result<(), BackendError>;
}

/// What a set was before it is written.
#[derive(Debug, Clone, Copy)]
pub enum Prior<'a> {
    /// It did not exist and is to be created in this region.
    Absent(&'a Region),
    /// It existed, with these keys.
    Keys(&'a [String]),
}

impl Prior<'_> {
    /// Returns the region of a new set.
    #[must_use]
    pub const fn region(&self) -> Option<&Region> {
        match self {
            Self::Absent(region) => Some(region),
            Self::Keys(_) => None,
        }
    }
}

/// A change that is done, and how that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Confirmed {
    /// The backend said so.
    ByAnswer,
    /// The answer was lost, and a look afterwards showed the change: the set, unless it is the one that is gone.
    BySight(Option<Summary>),
}

/// A change that did not succeed, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeError {
    /// What went wrong.
    pub cause: BackendError,
    /// What became of the change.
    pub effect: Effect,
}

/// What became of a change that did not succeed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Nothing has changed.
    NotDone,
    /// It may have been carried out.
    Unknown,
    /// It is done, although something failed afterwards.
    Done,
    /// Some keys differ from others.
    Partly(Box<Parts>),
}

/// What became of the keys of a change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parts {
    /// The keys that are changed.
    pub done: Vec<Key>,
    /// The keys that may be changed.
    pub unknown: Vec<Key>,
    /// The keys that are not changed.
    pub not_done: Vec<Key>,
}

impl ChangeError {
    /// A failure that changed nothing.
    #[must_use]
    pub const fn not_done(cause: BackendError) -> Self {
        Self {
            cause,
            effect: Effect::NotDone,
        }
    }
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
    /// The issuer of tokens does not work now.
    #[error("the issuer of tokens is not available")]
    IssuerUnavailable {
        /// The status, where that says so.
        status: Option<u16>,
    },
    /// The issuer of tokens does not serve this client, whatever the sign-in.
    #[error("the issuer of tokens refuses this client")]
    IssuerRefused {
        /// The code of the protocol, if it is one.
        code: Option<&'static str>,
    },
    /// The token can't be sent; the service was not asked.
    #[error("the token has characters that can't be sent")]
    InvalidToken,
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
