//! Secrets backends: the trait between the commands and the service, the vault or an external backend.
//!
//! Every change ends as done, not done or unknown, and says which: see [`ChangeError`].

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

/// Keeps the secrets of one organization. A backend asks no questions and words nothing for people.
pub trait SecretsBackend {
    /// Returns what the backend is and can.
    fn profile(&self) -> &Profile;

    /// Returns what gives values back, where the backend does that.
    fn reader(&self) -> Option<&dyn ReadsValues> {
        None
    }

    /// Hides these values in everything that comes back from now on, also before they are sent.
    fn conceal(&self, _values: &[Secret]) {}

    /// Returns the regions where sets can be; none where the backend has no such thing.
    fn regions(&self) -> Result<Regions, BackendError>;

    /// Returns the codes of the regions, where the default does not matter.
    fn region_codes(&self) -> Result<Vec<String>, BackendError> {
        let all = self.regions()?.all.into_iter();
        Ok(all.map(|(code, _)| code).collect())
    }

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

    /// Stores entries and removes the other keys of the set. Keys that are gone already are gone as wanted.
    fn replace(
        &self,
        name: &SetName,
        entries: &[Entry],
        removed: &[Key],
        prior: Prior<'_>,
    ) -> Result<Confirmed, ChangeError> {
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
        // What was seen after the first part is no longer what there is.
        Ok(Confirmed::ByAnswer)
    }

    /// Removes keys from a set in which none of them has come or gone since these keys were `seen`. Returns those that were not there.
    fn unset(
        &self,
        name: &SetName,
        keys: &[Key],
        seen: Option<&[String]>,
    ) -> Result<Vec<Key>, ChangeError>;

    /// Removes a set of either kind, where it has all those keys and only those that were `seen`; `false` when there is none.
    fn delete(&self, name: &SetName, seen: Option<&[String]>) -> Result<bool, ChangeError>;

    /// Waits between two looks at a set that is not ready yet, until the user wants to stop.
    fn pause(&self, pause: Duration) -> Result<(), BackendError>;
}

/// Gives values back: for a program that the user starts with them, and for a copy.
pub trait ReadsValues {
    /// Returns the values of a set; `None` when there is no such secret set.
    fn values(&self, name: &SetName) -> Result<Option<Vec<Entry>>, BackendError>;

    /// Returns the host and the credentials of an image pull secret; `None` when there is none of that name.
    fn credentials(&self, name: &SetName) -> Result<Option<(String, Secret)>, BackendError>;
}

/// The state of a set before a change.
#[derive(Debug, Clone, Copy)]
pub enum Prior<'a> {
    /// It did not exist and is to be created, in this region where the backend has regions.
    Absent(Option<&'a Region>),
    /// It existed, with these keys.
    Keys(&'a [String]),
}

impl Prior<'_> {
    /// Returns the region of a new set.
    pub const fn region(&self) -> Option<&Region> {
        match self {
            Self::Absent(region) => *region,
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
pub struct ChangeError<E = BackendError> {
    /// The cause.
    pub cause: E,
    /// The outcome of the change.
    pub effect: Effect,
}

impl<E> ChangeError<E> {
    /// A failure that changed nothing.
    pub const fn not_done(cause: E) -> Self {
        Self {
            cause,
            effect: Effect::NotDone,
        }
    }
}

/// The regions of a backend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Regions {
    /// Code and name of each.
    pub all: Vec<(String, String)>,
    /// The code of the one that is taken when nobody says otherwise.
    pub default: Option<String>,
}

/// One set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Details {
    /// The set's row in a listing.
    pub summary: Summary,
    /// The known keys.
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

impl Keys {
    /// Returns the keys, where they can be seen.
    pub fn known(self) -> Option<Vec<String>> {
        match self {
            Self::Known(keys) => Some(keys),
            Self::Referenced | Self::None => None,
        }
    }
}

/// An error of a backend.
#[derive(Debug, thiserror::Error)]
pub enum BackendError {
    /// The user stopped it.
    #[error("cancelled")]
    Cancelled,
    /// An error that only this backend knows; [`Explained`] words it.
    #[error("{0}")]
    Own(Box<dyn Explained>),
}

/// An error of one backend, with this crate's messages.
pub trait Explained: std::error::Error + 'static {
    /// Says what went wrong, and what to do about it.
    fn explain(&self) -> Failure;

    /// Whether the words say what became of a change.
    fn tells_effect(&self) -> bool {
        false
    }
}

/// The outcome of each key of a change of `keys`.
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

/// The names of keys.
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
