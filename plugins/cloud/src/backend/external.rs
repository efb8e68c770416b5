//! A backend with its own executable, accessed through the protocol specified in `sdk/secrets/BACKENDS.md`.
//!
//! Once a value has been sent or received, messages never quote the backend's output.

use std::cell::RefCell;

use bot_cli_protocol::secret::Secret;
use bot_cli_secrets::client::{Client, Fault};
use bot_cli_secrets::messages::{
    self, Code, CredentialsResult, DeleteParams, DeleteResult, GetResult, ListParams, ListResult,
    NameParams, OpenResult, OrganizationsResult, PutImagePullSecretParams, PutParams, PutResult,
    UnsetParams, UnsetResult, ValuesResult, methods,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{
    Ability, BackendError, ChangeError, Details, Keys, Limits, NameRules, Prior, Profile,
    ReadsValues, Regions, SecretsBackend, Summary, names,
};
use crate::domain::{BackendName, Entry, Key, Region, RegistryHost, SetKind, SetName};
use crate::source::Source;
use crate::text::theirs;

pub struct External {
    name: BackendName,
    profile: Profile,
    client: RefCell<Client>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExternalError {
    #[error("the backend `{backend}` could not do it")]
    Fault { backend: BackendName, fault: Fault },
    /// A stored key or value can't be used as an environment variable.
    #[error("can't use what the backend `{backend}` has: {problem}")]
    Unusable {
        backend: BackendName,
        /// A description of the problem, without any values.
        problem: String,
    },
}

impl External {
    /// Wraps a client that has already opened the backend.
    pub fn new(name: BackendName, client: Client) -> Self {
        Self {
            profile: opened_profile(&name, client.opened()),
            client: RefCell::new(client),
            name,
        }
    }

    /// Returns the name and the label of every organization, or `None` if the backend can't list organizations.
    pub fn organizations(&self) -> Result<Option<Vec<(String, String)>>, BackendError> {
        if !self.profile.can(Ability::Organizations) {
            return Ok(None);
        }
        let none = serde_json::Map::new();
        let all: OrganizationsResult = self.ask(methods::ORGANIZATIONS, &none)?;
        let rows = all.organizations.into_iter().map(|one| {
            let label = self.client.borrow().shown(one.label);
            (one.name.clone(), label.unwrap_or(one.name))
        });
        Ok(Some(rows.collect()))
    }

    fn ask<T: DeserializeOwned>(
        &self,
        method: &str,
        params: &impl Serialize,
    ) -> Result<T, BackendError> {
        let answer = self.client.borrow_mut().ask(method, params);
        answer.map_err(|fault| self.failed(fault))
    }

    fn change<T: DeserializeOwned>(
        &self,
        method: &str,
        params: &impl Serialize,
        keys: &[String],
    ) -> Result<T, ChangeError> {
        let done = self.client.borrow_mut().change(method, params, keys);
        done.map_err(|(fault, effect)| {
            let cause = self.failed(fault);
            ChangeError { cause, effect }
        })
    }

    /// Reports whether `get` lists this key. Such a key is safe to show, because `get` never returns values.
    fn lists(&self, set: &SetName, key: &str) -> bool {
        let keys = self.get(set).ok().flatten().map(|set| set.keys);
        matches!(keys, Some(Keys::Known(keys)) if keys.iter().any(|one| one == key))
    }

    fn unusable(&self, problem: String) -> BackendError {
        BackendError::Own(Box::new(ExternalError::Unusable {
            backend: self.name.clone(),
            problem,
        }))
    }

    fn failed(&self, mut fault: Fault) -> BackendError {
        if let Fault::Told(error) = &mut fault {
            error.key = None;
        }
        failed(&self.name, fault)
    }
}

pub fn failed(name: &BackendName, fault: Fault) -> BackendError {
    if fault == Fault::Cancelled {
        return BackendError::Cancelled;
    }
    BackendError::Own(Box::new(ExternalError::Fault {
        backend: name.clone(),
        fault,
    }))
}

/// Returns the profile assumed for a backend that has not been opened. The opened backend may have fewer abilities and stricter limits.
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

impl SecretsBackend for External {
    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn reader(&self) -> Option<&dyn ReadsValues> {
        self.profile
            .can(Ability::Values)
            .then_some(self as &dyn ReadsValues)
    }

    fn regions(&self) -> Result<Regions, BackendError> {
        let regions = self.client.borrow().opened().regions.clone();
        let messages::Regions { all, default } = regions.unwrap_or_default();
        let all = all.into_iter().map(|region| (region.code, region.name));
        Ok(Regions {
            all: all.collect(),
            default,
        })
    }

    fn list(&self, region: Option<&Region>) -> Result<Vec<Summary>, BackendError> {
        let region = region.map(ToString::to_string);
        let params = ListParams { region };
        let ListResult { mut sets } = self.ask(methods::LIST, &params)?;
        sets.retain(|set| params.region.is_none() || set.region == params.region);
        for set in &mut sets {
            set.error = self.client.borrow().shown(set.error.take());
        }
        Ok(sets)
    }

    fn get(&self, name: &SetName) -> Result<Option<Details>, BackendError> {
        let GetResult { set } = self.ask(methods::GET, &named(name))?;
        let Some(set) = set else {
            return Ok(None);
        };
        let mut client = self.client.borrow_mut();
        if set.name != name.as_str() {
            let wrong = client.wrong(methods::GET, "`result.set.name` is another name");
            return Err(failed(&self.name, wrong));
        }
        Ok(Some(Details {
            keys: match set.kind {
                SetKind::Secret => Keys::Known(set.keys),
                SetKind::ImagePullSecret | SetKind::Unknown => Keys::None,
            },
            summary: Summary {
                name: set.name,
                kind: set.kind,
                region: set.region,
                status: set.status,
                error: client.shown(set.error),
            },
        }))
    }

    fn put(&self, name: &SetName, entries: &[Entry], prior: Prior<'_>) -> Result<(), ChangeError> {
        let pair = |entry: &Entry| (entry.key.to_string(), entry.value.clone());
        let put = PutParams {
            name: name.to_string(),
            region: prior.region().map(ToString::to_string),
            entries: entries.iter().map(pair).collect(),
            prior: on_wire(prior),
        };
        let keys: Vec<String> = put.entries.keys().cloned().collect();
        let PutResult {} = self.change(methods::PUT, &put, &keys)?;
        Ok(())
    }

    fn put_image_pull_secret(
        &self,
        name: &SetName,
        host: &RegistryHost,
        credentials: &Secret,
        prior: Prior<'_>,
    ) -> Result<(), ChangeError> {
        let put = PutImagePullSecretParams {
            name: name.to_string(),
            region: prior.region().map(ToString::to_string),
            host: host.as_str().to_owned(),
            credentials: credentials.clone(),
            prior: on_wire(prior),
        };
        let PutResult {} = self.change(methods::PUT_IMAGE_PULL_SECRET, &put, &[])?;
        Ok(())
    }

    fn unset(
        &self,
        name: &SetName,
        keys: &[Key],
        seen: Option<&[String]>,
    ) -> Result<Vec<Key>, ChangeError> {
        let unset = UnsetParams {
            name: name.to_string(),
            keys: names(keys),
            prior: seen.map(|keys| on_wire(Prior::Keys(keys))),
        };
        let UnsetResult { missing } = self.change(methods::UNSET, &unset, &unset.keys)?;
        let is_missing = |key: &&Key| missing.iter().any(|name| name == key.as_str());
        Ok(keys.iter().filter(is_missing).cloned().collect())
    }

    fn delete(&self, name: &SetName, seen: Option<&[String]>) -> Result<bool, ChangeError> {
        let delete = DeleteParams {
            name: name.to_string(),
            prior: seen.map(|keys| on_wire(Prior::Keys(keys))),
        };
        let DeleteResult { deleted } = self.change(methods::DELETE, &delete, &[])?;
        Ok(deleted)
    }
}

impl ReadsValues for External {
    fn values(&self, name: &SetName) -> Result<Option<Vec<Entry>>, BackendError> {
        let answer = self.client.borrow_mut().ask(methods::VALUES, &named(name));
        let ValuesResult { values } = answer.map_err(|mut fault| {
            // A response about values may repeat a value, so only a key that `get` lists is shown.
            if let Fault::Told(error) = &mut fault {
                error.key = error.key.take().filter(|key| self.lists(name, key));
            }
            failed(&self.name, fault)
        })?;
        let Some(values) = values else {
            return Ok(None);
        };
        let entries = values.into_iter().map(|(key, value)| {
            let key = Key::parse_existing(&key)
                .map_err(|problem| self.unusable(format!("a key {problem}")))?;
            if key.as_str().contains('=') {
                return Err(self.unusable("a key has a `=`".to_owned()));
            }
            if value.expose().contains('\0') {
                let whose = if self.lists(name, key.as_str()) {
                    format!("`{}`", theirs(key.as_str()))
                } else {
                    "a key".to_owned()
                };
                return Err(self.unusable(format!("the value of {whose} has a NUL character")));
            }
            Ok(Entry { key, value })
        });
        entries.collect::<Result<_, _>>().map(Some)
    }

    fn credentials(&self, name: &SetName) -> Result<Option<(String, Secret)>, BackendError> {
        let mut client = self.client.borrow_mut();
        match client.ask::<CredentialsResult>(methods::CREDENTIALS, &named(name)) {
            Ok(found) => Ok(Some((found.host, found.credentials))),
            Err(Fault::Told(error)) if error.code == Code::NotFound => Ok(None),
            Err(fault) => Err(self.failed(fault)),
        }
    }
}

fn named(name: &SetName) -> NameParams {
    NameParams {
        name: name.to_string(),
    }
}

fn on_wire(prior: Prior<'_>) -> messages::Prior {
    match prior {
        Prior::Absent(_) => messages::Prior::Absent,
        Prior::Keys(keys) => messages::Prior::Keys(keys.to_vec()),
    }
}
