//! Secrets backends: the trait between the commands and the service, the vault or an external backend.
//!
//! Every change ends as done, not done or unknown; [`ChangeError`] reports which.

pub mod external;
pub mod hosted;
pub mod local;
mod profile;

use std::time::Duration;

use bot_cli_protocol::failure::Failure;
use bot_cli_protocol::secret::Secret;

use crate::domain::{Entry, Key, Region, RegistryHost, SetName};
pub use bot_cli_secrets::messages::{Effect, Limits, NameRules, Parts, SetSummary as Summary};
pub use profile::{Ability, Profile};

/// A store for the secrets of one organization.
///
/// A backend never prompts the user. The messages for its errors are in the implementations of [`Explained`].
pub trait SecretsBackend {
    /// Returns the backend's description of itself.
    fn profile(&self) -> &Profile;

    /// Returns the interface for reading values, if the backend has one.
    fn reader(&self) -> Option<&dyn ReadsValues> {
        None
    }

    /// Redacts these values in all later responses, whether or not they have been sent yet.
    fn conceal(&self, _values: &[Secret]) {}

    /// Returns the regions for sets. The list is empty if the backend has no regions.
    fn regions(&self) -> Result<Regions, BackendError>;

    /// Returns the region codes. A backend overrides this method if it can fetch the codes with fewer requests.
    fn region_codes(&self) -> Result<Vec<String>, BackendError> {
        let all = self.regions()?.all.into_iter();
        Ok(all.map(|(code, _)| code).collect())
    }

    /// Lists the sets of one region or of all regions.
    fn list(&self, region: Option<&Region>) -> Result<Vec<Summary>, BackendError>;

    /// Returns a set, or `None` if no set has that name.
    fn get(&self, name: &SetName) -> Result<Option<Details>, BackendError>;

    /// Creates a set or adds keys to an existing one. Other keys are unchanged.
    fn put(&self, name: &SetName, entries: &[Entry], prior: Prior<'_>) -> Result<(), ChangeError>;

    /// Creates an image pull secret or replaces its credentials.
    fn put_image_pull_secret(
        &self,
        name: &SetName,
        host: &RegistryHost,
        credentials: &Secret,
        prior: Prior<'_>,
    ) -> Result<(), ChangeError>;

    /// Stores entries and removes the `removed` keys. A key that is already missing is not an error.
    fn replace(
        &self,
        name: &SetName,
        entries: &[Entry],
        removed: &[Key],
        prior: Prior<'_>,
    ) -> Result<(), ChangeError> {
        let put = self.put(name, entries, prior);
        if removed.is_empty() {
            return put;
        }
        let (stored, gone) = (
            names(entries.iter().map(|entry| &entry.key)),
            names(removed),
        );
        let outcome = |cause, parts| {
            let effect = Effect::of(parts);
            ChangeError { cause, effect }
        };
        put.map_err(|error| {
            let mut parts = parts(error.effect, stored.clone());
            parts.not_done.extend_from_slice(&gone);
            outcome(error.cause, parts)
        })?;
        self.unset(name, removed, None).map_err(|error| {
            let mut parts = parts(error.effect, gone.clone());
            parts.done.splice(0..0, stored.iter().cloned());
            outcome(error.cause, parts)
        })?;
        Ok(())
    }

    /// Removes keys from a set and returns the ones that were missing.
    ///
    /// `seen` lists the set's keys at the caller's last read. A backend that can check this fails if one of `keys` was added or removed
    /// since.
    fn unset(
        &self,
        name: &SetName,
        keys: &[Key],
        seen: Option<&[String]>,
    ) -> Result<Vec<Key>, ChangeError>;

    /// Deletes a set of either kind. Returns `false` if no set has that name.
    ///
    /// A backend that can check this fails if the set's keys are not exactly those in `seen`.
    fn delete(&self, name: &SetName, seen: Option<&[String]>) -> Result<bool, ChangeError>;

    /// Pauses before the next check of a set that is not ready yet. Fails if the user cancels.
    fn pause(&self, pause: Duration) -> Result<(), BackendError>;
}

/// Read access to values, for running a program with them and for copying sets.
pub trait ReadsValues {
    /// Returns the values of a secret set, or `None` if no secret set has that name.
    fn values(&self, name: &SetName) -> Result<Option<Vec<Entry>>, BackendError>;

    /// Returns the host and the credentials of an image pull secret, or `None` if none has that name.
    fn credentials(&self, name: &SetName) -> Result<Option<(String, Secret)>, BackendError>;
}

/// The state of a set before a change.
#[derive(Debug, Clone, Copy)]
pub enum Prior<'a> {
    /// The set did not exist. It is created in this region, if one is given.
    Absent(Option<&'a Region>),
    /// The set existed, with these keys.
    Keys(&'a [String]),
}

impl Prior<'_> {
    /// Returns the region for a set that doesn't exist yet.
    pub const fn region(&self) -> Option<&Region> {
        match self {
            Self::Absent(region) => *region,
            Self::Keys(_) => None,
        }
    }
}

/// The error and the outcome of a change that did not succeed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeError<E = BackendError> {
    /// The error that occurred during the change.
    pub cause: E,
    /// The outcome of the change.
    pub effect: Effect,
}

impl<E> ChangeError<E> {
    /// Creates the error for a change that had no effect.
    pub const fn not_done(cause: E) -> Self {
        Self {
            cause,
            effect: Effect::NotDone,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Regions {
    /// Pairs of code and name.
    pub all: Vec<(String, String)>,
    /// The code of the default region, if there is one.
    pub default: Option<String>,
}

/// A set with its keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Details {
    /// The set's row in a listing.
    pub summary: Summary,
    /// The set's keys, if they are visible.
    pub keys: Keys,
}

/// The keys of a set, if they are visible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Keys {
    /// The names of the keys.
    Known(Vec<String>),
    /// The set is in the customer's own cluster. Its keys can be read and changed only there.
    Referenced,
    /// The set is an image pull secret, which has no keys.
    None,
}

impl Keys {
    /// Returns the keys, if they are visible.
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
    /// A backend's own error; [`Explained`] provides its message.
    #[error("{0}")]
    Own(Box<dyn Explained>),
}

/// A backend's error that can be explained to the user.
pub trait Explained: std::error::Error + 'static {
    /// Returns the message for the user: the problem and how to fix it.
    fn explain(&self) -> Failure;

    /// Reports whether the message already states the outcome of a change.
    fn tells_effect(&self) -> bool {
        false
    }
}

/// Returns the outcome of a change for each of its `keys`.
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
