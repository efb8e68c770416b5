//! Secrets backends: the trait through which commands access the hosting service, the vault or an external backend.
//!
//! The outcome of a change is done, not done, partly done or unknown. [`ChangeError`] contains the outcome of a failed change.

pub mod external;
pub mod hosted;
pub mod local;
mod profile;

use bot_cli_protocol::failure::Failure;
use bot_cli_protocol::secret::Secret;

use crate::domain::{Entry, Key, Region, RegistryHost, SetName};
pub use bot_cli_secrets::messages::{Effect, Limits, NameRules, Parts, SetSummary as Summary};
pub use profile::{Ability, Profile};

/// A store for one organization's secrets.
///
/// A backend never prompts the user. Its errors implement [`Explained`], which provides the messages for the user.
pub trait SecretsBackend {
    /// Returns the backend's name, abilities and limits.
    fn profile(&self) -> &Profile;

    /// Returns the interface for reading values, or `None` if the backend can't return values.
    fn reader(&self) -> Option<&dyn ReadsValues> {
        None
    }

    /// Registers values to redact in all later responses, including values that have not been sent yet.
    fn conceal(&self, _values: &[Secret]) {}

    /// Returns the available regions. The list is empty if the backend has no regions.
    fn regions(&self) -> Result<Regions, BackendError>;

    /// Returns the region codes. Backends override this method if they can fetch the codes with fewer requests.
    fn region_codes(&self) -> Result<Vec<String>, BackendError> {
        let all = self.regions()?.all.into_iter();
        Ok(all.map(|(code, _)| code).collect())
    }

    /// Lists the sets in one region, or in all regions if `region` is `None`.
    fn list(&self, region: Option<&Region>) -> Result<Vec<Summary>, BackendError>;

    /// Returns a set, or `None` if no set has that name.
    fn get(&self, name: &SetName) -> Result<Option<Details>, BackendError>;

    /// Creates a set, or stores entries in an existing set. Other keys are unchanged.
    fn put(&self, name: &SetName, entries: &[Entry], prior: Prior<'_>) -> Result<(), ChangeError>;

    /// Creates an image pull secret or replaces its credentials.
    fn put_image_pull_secret(
        &self,
        name: &SetName,
        host: &RegistryHost,
        credentials: &Secret,
        prior: Prior<'_>,
    ) -> Result<(), ChangeError>;

    /// Removes keys from a set and returns the keys that were already missing.
    ///
    /// `seen` contains the set's keys as last read by the caller. Backends that detect concurrent changes return an error if any of `keys`
    /// has been added or removed since then.
    fn unset(
        &self,
        name: &SetName,
        keys: &[Key],
        seen: Option<&[String]>,
    ) -> Result<Vec<Key>, ChangeError>;

    /// Deletes a secret set or an image pull secret. Returns `false` if no set has that name.
    ///
    /// `seen` contains the set's keys as last read by the caller. Backends that detect concurrent changes return an error if the keys have
    /// changed since then.
    fn delete(&self, name: &SetName, seen: Option<&[String]>) -> Result<bool, ChangeError>;
}

/// Read access to values, used to run programs with them and to copy sets.
pub trait ReadsValues {
    /// Returns the values of a secret set, or `None` if no secret set has that name.
    fn values(&self, name: &SetName) -> Result<Option<Vec<Entry>>, BackendError>;

    /// Returns the registry host and the credentials of an image pull secret, or `None` if no image pull secret has that name.
    fn credentials(&self, name: &SetName) -> Result<Option<(String, Secret)>, BackendError>;
}

/// The state of a set before a change.
#[derive(Debug, Clone, Copy)]
pub enum Prior<'a> {
    /// The set did not exist. The change creates it in this region, or in the default region if `None`.
    Absent(Option<&'a Region>),
    /// The set existed and had these keys.
    Keys(&'a [String]),
}

impl Prior<'_> {
    /// Returns the region for a new set, or `None` if the set exists or no region was chosen.
    pub const fn region(&self) -> Option<&Region> {
        match self {
            Self::Absent(region) => *region,
            Self::Keys(_) => None,
        }
    }
}

/// The error from a failed change, with the outcome of the change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeError<E = BackendError> {
    /// The underlying error.
    pub cause: E,
    /// The outcome of the change.
    pub effect: Effect,
}

impl<E> ChangeError<E> {
    /// Creates an error for a change that had no effect.
    pub const fn not_done(cause: E) -> Self {
        Self {
            cause,
            effect: Effect::NotDone,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Regions {
    /// The regions, as pairs of code and name.
    pub all: Vec<(String, String)>,
    pub default: Option<String>,
}

/// A set with its keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Details {
    /// The set's summary, as returned by `list`.
    pub summary: Summary,
    /// The set's keys, if they are visible.
    pub keys: Keys,
}

/// The keys of a set, or the reason why they are not visible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Keys {
    /// The names of the keys.
    Known(Vec<String>),
    /// The set is stored in the customer's own cluster. Its keys can be read and changed only in that cluster.
    Referenced,
    /// The set is an image pull secret, which has no keys.
    None,
}

impl Keys {
    /// Returns the keys, or `None` if they are not visible.
    pub fn known(self) -> Option<Vec<String>> {
        match self {
            Self::Known(keys) => Some(keys),
            Self::Referenced | Self::None => None,
        }
    }
}

/// An error from a backend.
#[derive(Debug, thiserror::Error)]
pub enum BackendError {
    /// The user cancelled the operation.
    #[error("cancelled")]
    Cancelled,
    /// A backend-specific error. [`Explained`] provides the message.
    #[error("{0}")]
    Own(Box<dyn Explained>),
}

/// A backend error with a message for the user.
pub trait Explained: std::error::Error + 'static {
    /// Returns a failure that tells the user what went wrong and how to fix it.
    fn explain(&self) -> Failure;

    /// Reports whether the message already includes the outcome of a change.
    fn tells_effect(&self) -> bool {
        false
    }
}

/// Groups the `keys` of a change by outcome.
pub fn parts(effect: Effect, keys: Vec<String>) -> Parts {
    let mut parts = Parts::default();
    match effect {
        Effect::Done => parts.done = keys,
        Effect::Unknown => parts.unknown = keys,
        Effect::NotDone => parts.not_done = keys,
        Effect::Partly(known) => parts = *known,
    }
    parts
}

fn names<'k>(keys: impl IntoIterator<Item = &'k Key>) -> Vec<String> {
    keys.into_iter().map(ToString::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::{Effect, Parts, parts};

    #[test]
    fn every_key_has_the_outcome_of_its_part() {
        let keys = |names: &str| -> Vec<String> { names.split(' ').map(str::to_owned).collect() };
        for effect in [Effect::Done, Effect::Unknown, Effect::NotDone] {
            assert_eq!(Effect::of(parts(effect.clone(), keys("A B"))), effect);
        }
        let partly = Parts {
            done: keys("A"),
            unknown: Vec::new(),
            not_done: keys("B"),
        };
        let effect = Effect::Partly(Box::new(partly.clone()));
        assert_eq!(parts(effect.clone(), keys("A B")), partly);
        assert_eq!(Effect::of(partly), effect);
    }
}
