//! A backend that has an executable of its own, over the protocol that `sdk/secrets/BACKENDS.md` describes.
//!
//! Whatever it does, a change ends as done, not done or unknown, and nothing that it says is quoted once it has a value.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

use bot_cli_protocol::secret::Secret;
use bot_cli_secrets::Error;
use bot_cli_secrets::client::{ChangeFault, Client, Fault};
use bot_cli_secrets::messages::{
    self, Code, DeleteParams, OpenResult, PutImagePullSecretParams, PutParams, SetDetails,
    UnsetParams,
};

use super::{
    Ability, BackendError, ChangeError, Confirmed, Details, Keys, Limits, NameRules, Prior,
    Profile, ReadsValues, Regions, SecretsBackend, Summary,
};
use crate::domain::{BackendName, Entry, Key, Region, RegistryHost, SetKind, SetName};
use crate::source::Source;
use crate::watch::Watch;

/// The interval at which a wait checks for the user's request to stop.
const TICK: Duration = Duration::from_millis(20);

/// A backend that is open.
pub struct External<'a> {
    name: BackendName,
    profile: Profile,
    regions: Regions,
    client: RefCell<Client>,
    watch: &'a dyn Watch,
}

/// An error of an external backend.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExternalError {
    /// The backend says so itself, or it was not there to say anything.
    #[error("the backend `{backend}` could not do it")]
    Fault {
        backend: BackendName,
        /// The cause.
        fault: Fault,
    },
    /// It gives a key that no variable of an environment can have.
    #[error("the backend `{backend}` gives a key that can't be one")]
    Key {
        backend: BackendName,
        problem: String,
    },
    /// It gives a value that no variable of an environment can have.
    #[error("the backend `{backend}` gives a value that can't be one")]
    Value {
        backend: BackendName,
        /// The key of the value, if the backend names it without values, too.
        key: Option<Key>,
    },
}

impl<'a> External<'a> {
    /// The backend `name` behind `client`, which has opened a place.
    pub fn new(name: BackendName, client: Client, watch: &'a dyn Watch) -> Self {
        let regions = client.opened().regions.clone().unwrap_or_default();
        let all = regions.all.into_iter();
        Self {
            profile: opened_profile(&name, client.opened()),
            regions: Regions {
                all: all.map(|region| (region.code, region.name)).collect(),
                default: regions.default,
            },
            client: RefCell::new(client),
            name,
            watch,
        }
    }

    /// Every organization: the name, and the one for people; `None` where the backend has no list of them.
    pub fn organizations(&self) -> Result<Option<Vec<(String, String)>>, BackendError> {
        if !self.profile.can(Ability::Organizations) {
            return Ok(None);
        }
        let all = self.client.borrow_mut().organizations();
        let all = all.map_err(|fault| self.failed(fault))?.into_iter();
        Ok(Some(
            all.map(|one| {
                let label = one.label.unwrap_or_else(|| one.name.clone());
                (one.name, label)
            })
            .collect(),
        ))
    }

    /// The value of `key` can't be used. What comes with values is not shown: the key is, if it is one that lists show.
    fn unusable(&self, set: &SetName, key: &Key) -> BackendError {
        BackendError::Own(Box::new(ExternalError::Value {
            backend: self.name.clone(),
            key: self.lists(set, key.as_str()).then(|| key.clone()),
        }))
    }

    /// Whether the backend calls this a key where it has no values, so that it is none.
    fn lists(&self, set: &SetName, key: &str) -> bool {
        let listed = self.client.borrow_mut().get(set.as_str());
        matches!(listed, Ok(Some(set)) if set.keys.iter().any(|one| one == key))
    }

    fn failed(&self, mut fault: Fault) -> BackendError {
        if let Fault::Told(error) = &mut fault {
            error.key = None;
        }
        failed(&self.name, fault)
    }

    fn change_failed(&self, error: ChangeFault) -> ChangeError {
        ChangeError {
            cause: self.failed(error.fault),
            effect: error.effect,
        }
    }
}

/// Returns the error for `fault` of the backend `name`.
pub fn failed(name: &BackendName, fault: Fault) -> BackendError {
    match fault {
        Fault::Cancelled => BackendError::Cancelled,
        fault @ (Fault::Told(_) | Fault::Broken(_)) => {
            BackendError::Own(Box::new(ExternalError::Fault {
                backend: name.clone(),
                fault,
            }))
        }
    }
}

/// Returns what is known of every backend before it is opened: what it does not refuse then, it may refuse later.
pub fn profile(name: &BackendName) -> Profile {
    let keeper = format!("the backend `{name}`");
    Profile {
        at: format!("in {keeper}"),
        subject: keeper.clone(),
        keeper,
        can: [
            Ability::Values,
            Ability::EmptyValues,
            Ability::ImagePullSecrets,
            Ability::Organizations,
        ]
        .into(),
        names: NameRules::default(),
        limits: Limits::default(),
        default_region: Source::Backend,
    }
}

fn opened_profile(name: &BackendName, opened: &OpenResult) -> Profile {
    let can = opened.can.iter().filter_map(|ability| match ability {
        messages::Ability::Values => Some(Ability::Values),
        messages::Ability::ImagePullSecrets => Some(Ability::ImagePullSecrets),
        messages::Ability::Organizations => Some(Ability::Organizations),
        messages::Ability::Other(_) => None,
    });
    Profile {
        can: can.chain([Ability::EmptyValues]).collect(),
        names: opened.names,
        limits: opened.limits,
        ..profile(name)
    }
}

impl SecretsBackend for External<'_> {
    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn reader(&self) -> Option<&dyn ReadsValues> {
        self.profile
            .can(Ability::Values)
            .then_some(self as &dyn ReadsValues)
    }

    fn regions(&self) -> Result<Regions, BackendError> {
        Ok(self.regions.clone())
    }

    fn list(&self, region: Option<&Region>) -> Result<Vec<Summary>, BackendError> {
        let sets = self.client.borrow_mut().list(region.map(Region::as_str));
        let mut sets = sets.map_err(|fault| self.failed(fault))?;
        if let Some(region) = region {
            sets.retain(|set| set.region.as_deref() == Some(region.as_str()));
        }
        Ok(sets)
    }

    fn get(&self, name: &SetName) -> Result<Option<Details>, BackendError> {
        let set = self.client.borrow_mut().get(name.as_str());
        let set = set.map_err(|fault| self.failed(fault))?;
        Ok(set.map(details))
    }

    fn put(
        &self,
        name: &SetName,
        entries: &[Entry],
        prior: Prior<'_>,
    ) -> Result<Confirmed, ChangeError> {
        let pairs: BTreeMap<String, Secret> = entries
            .iter()
            .map(|entry| (entry.key.to_string(), entry.value.clone()))
            .collect();
        let put = PutParams {
            name: name.to_string(),
            region: prior.region().map(ToString::to_string),
            entries: pairs,
            prior: on_wire(prior),
        };
        let done = self.client.borrow_mut().put(&put);
        done.map_err(|error| self.change_failed(error))?;
        Ok(Confirmed::ByAnswer)
    }

    fn put_image_pull_secret(
        &self,
        name: &SetName,
        host: &RegistryHost,
        credentials: &Secret,
        prior: Prior<'_>,
    ) -> Result<Confirmed, ChangeError> {
        let put = PutImagePullSecretParams {
            name: name.to_string(),
            region: prior.region().map(ToString::to_string),
            host: host.as_str().to_owned(),
            credentials: credentials.clone(),
            prior: on_wire(prior),
        };
        let done = self.client.borrow_mut().put_image_pull_secret(&put);
        done.map_err(|error| self.change_failed(error))?;
        Ok(Confirmed::ByAnswer)
    }

    fn unset(
        &self,
        name: &SetName,
        keys: &[Key],
        seen: Option<&[String]>,
    ) -> Result<Vec<Key>, ChangeError> {
        let unset = UnsetParams {
            name: name.to_string(),
            keys: keys.iter().map(ToString::to_string).collect(),
            prior: seen.map(|keys| on_wire(Prior::Keys(keys))),
        };
        let missing = self.client.borrow_mut().unset(&unset);
        let missing = missing.map_err(|error| self.change_failed(error))?;
        let is_missing = |key: &&Key| missing.iter().any(|name| name == key.as_str());
        Ok(keys.iter().filter(is_missing).cloned().collect())
    }

    fn delete(&self, name: &SetName, seen: Option<&[String]>) -> Result<bool, ChangeError> {
        let delete = DeleteParams {
            name: name.to_string(),
            prior: seen.map(|keys| on_wire(Prior::Keys(keys))),
        };
        let deleted = self.client.borrow_mut().delete(&delete);
        deleted.map_err(|error| self.change_failed(error))
    }

    fn pause(&self, pause: Duration) -> Result<(), BackendError> {
        let end = Instant::now() + pause;
        while Instant::now() < end {
            if self.watch.cancelled() {
                return Err(BackendError::Cancelled);
            }
            thread::sleep(TICK.min(pause));
        }
        Ok(())
    }
}

impl ReadsValues for External<'_> {
    fn values(&self, name: &SetName) -> Result<Option<Vec<Entry>>, BackendError> {
        let values = self.client.borrow_mut().values(name.as_str());
        let values = values.map_err(|fault| match fault {
            Fault::Told(error) => {
                let key = error.key.clone().filter(|key| self.lists(name, key));
                failed(&self.name, Fault::Told(Error { key, ..error }))
            }
            fault @ (Fault::Broken(_) | Fault::Cancelled) => self.failed(fault),
        })?;
        let Some(values) = values else {
            return Ok(None);
        };
        let entries = values.into_iter().map(|(key, value)| {
            let key = Key::parse_existing(&key).and_then(|key| {
                if key.as_str().contains('=') {
                    return Err("has a `=`".to_owned());
                }
                Ok(key)
            });
            Ok(Entry { key: key?, value })
        });
        let entries: Result<Vec<Entry>, String> = entries.collect();
        let entries = entries.map_err(|problem| {
            BackendError::Own(Box::new(ExternalError::Key {
                backend: self.name.clone(),
                problem,
            }))
        })?;
        let unusable = entries
            .iter()
            .find(|entry| entry.value.expose().contains('\0'));
        match unusable {
            Some(entry) => Err(self.unusable(name, &entry.key)),
            None => Ok(Some(entries)),
        }
    }

    fn credentials(&self, name: &SetName) -> Result<Option<(String, Secret)>, BackendError> {
        match self.client.borrow_mut().credentials(name.as_str()) {
            Ok(found) => Ok(Some((found.host, found.credentials))),
            Err(Fault::Told(error)) if error.code == Code::NotFound => Ok(None),
            Err(fault) => Err(self.failed(fault)),
        }
    }
}

fn on_wire(prior: Prior<'_>) -> messages::Prior {
    match prior {
        Prior::Absent(_) => messages::Prior::Absent,
        Prior::Keys(keys) => messages::Prior::Keys(keys.to_vec()),
    }
}

fn details(set: SetDetails) -> Details {
    Details {
        keys: match set.kind {
            SetKind::Secret => Keys::Known(set.keys),
            SetKind::ImagePullSecret | SetKind::Unknown => Keys::None,
        },
        summary: Summary {
            name: set.name,
            kind: set.kind,
            region: set.region,
            status: set.status,
            error: set.error,
        },
    }
}
