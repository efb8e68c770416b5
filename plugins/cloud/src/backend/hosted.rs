//! The backend for the hosting service, accessed over HTTP.
//!
//! The service offers the same resources under two sets of paths. A private API key belongs to one organization and uses the published
//! paths. A user's token requires paths that contain the organization's name.

pub mod access;
mod error;
pub mod http;
mod redact;
pub mod wire;

use bot_cli_protocol::secret::Secret;
use bot_cli_sdk::session::Session;
use bot_cli_secrets::messages::{
    Ability, DeleteParams, Effect, NameRules, OpenResult, Parts, Prior, PutImagePullSecretParams,
    PutParams, RegionInfo, SetInfo, UnsetParams,
};
use bot_cli_secrets::{ChangeError, Error, Store};
use reqwest::Method;
use serde_json::Value;

use crate::domain::{Entry, Key, Organization, Region, SetKind, SetName};
pub use error::{SIGN_IN, ServiceError};
use http::{Answer, Client, Reach, Unconfirmed};
use wire::{path, segment};

/// The account that a token belongs to: an organization of a user or, with a private API key, the organization of the key.
pub type Tenant = Option<Organization>;

/// Returns the path of a resource of the tenant.
pub fn path_of(tenant: &Tenant, parts: &[&str]) -> String {
    let organization = tenant.iter();
    let account = organization.flat_map(|it| ["organizations", it.as_str()]);
    path(&account.chain(parts.iter().copied()).collect::<Vec<_>>())
}

pub struct Hosted<'a> {
    client: Client<'a>,
    tenant: Tenant,
    opened: OpenResult,
}

/// A failed change, with its outcome.
struct Unmade {
    cause: ServiceError,
    effect: Effect,
}

/// A set as read after a change: the set, `None` if it is gone, or the error if the read failed or was inconsistent.
type Sight = Result<Option<SetInfo>, ServiceError>;

impl<'a> Hosted<'a> {
    pub fn new(client: Client<'a>, tenant: Tenant) -> Self {
        Self {
            client,
            opened: OpenResult {
                organization: tenant.as_ref().map(ToString::to_string),
                names: NameRules {
                    shortest: 3,
                    longest: 63,
                    capitals: false,
                },
                can: vec![Ability::ImagePullSecrets],
                ..OpenResult::default()
            },
            tenant,
        }
    }

    fn path(&self, parts: &[&str]) -> String {
        path_of(&self.tenant, parts)
    }

    fn set(&self, name: &SetName) -> String {
        self.path(&["secrets", name.as_str()])
    }

    fn all_regions(&self) -> Result<Vec<(String, String)>, ServiceError> {
        access::regions(&self.client, &self.path(&["regions"]))
    }

    fn details(
        &self,
        name: &SetName,
        fetch: impl Fn(&str) -> Result<Answer, ServiceError>,
    ) -> Result<Option<SetInfo>, ServiceError> {
        match fetch(&self.set(name)) {
            Ok(answer) => Ok(Some(answer.decode::<wire::StoredSet>()?.details(name)?)),
            Err(ServiceError::NotFound(_)) => Ok(None),
            // The service refuses to return an image pull secret, but lists it.
            Err(refused @ ServiceError::Refused { status: 400, .. }) => {
                let listed: wire::SetList = fetch(&self.path(&["secrets"]))?.decode()?;
                let mut sets = listed.summaries().into_iter();
                let found = sets.find(|set| set.name == name.as_str());
                let found = found.filter(|set| set.kind == SetKind::ImagePullSecret);
                found.map(Some).ok_or(refused)
            }
            Err(error) => Err(error),
        }
    }

    /// Reads a set once, without retries. The set counts as deleted only if the list of sets omits it too.
    fn sight(&self, name: &SetName) -> Sight {
        let look = |path: &str| self.client.look(path);
        let found = self.details(name, look)?;
        if found.is_none() {
            let listed: wire::SetList = look(&self.path(&["secrets"]))?.decode()?;
            let is_this = |set: &SetInfo| set.name == name.as_str();
            if listed.summaries().iter().any(is_this) {
                return Err(ServiceError::NotConfirmed);
            }
        }
        Ok(found)
    }

    /// Determines the outcome of an unconfirmed change for each key.
    ///
    /// `judge` reports whether the change to a key is visible in the set, or returns `None` if that can't be determined.
    fn decide(
        &self,
        name: &SetName,
        unconfirmed: Unconfirmed,
        keys: Vec<String>,
        judge: impl Fn(&Sight, &str) -> Option<bool>,
    ) -> Result<(), Unmade> {
        let Unconfirmed { error, reach } = unconfirmed;
        if reach == Reach::Nothing {
            return Err(Unmade {
                cause: error,
                effect: Effect::NotDone,
            });
        }
        // The read is skipped if the user cancelled, or if its result could not decide anything.
        let helps = keys.iter().any(|key| judge(&Ok(None), key).is_some());
        let sight = if error == ServiceError::Cancelled || !helps {
            Err(ServiceError::NotConfirmed)
        } else {
            self.sight(name)
        };
        let mut parts = Parts::default();
        for key in keys {
            let state = match judge(&sight, &key) {
                Some(true) => &mut parts.done,
                // A request that is under way may still be carried out.
                Some(false) if reach == Reach::Ended => &mut parts.not_done,
                Some(false) | None => &mut parts.unknown,
            };
            state.push(key);
        }
        match Effect::of(parts) {
            Effect::Done => Ok(()),
            effect @ (Effect::NotDone | Effect::Unknown | Effect::Partly(_)) => Err(Unmade {
                cause: error,
                effect,
            }),
        }
    }

    /// Writes a whole set or a single key in one request.
    fn put_body(
        &self,
        body: &wire::Body,
        entries: &[Entry],
        put: &PutParams,
    ) -> Result<(), Unmade> {
        let name = &put.name;
        let Err(unconfirmed) = self
            .client
            .change(&Method::PUT, &self.set(name), Some(body))
        else {
            return Ok(());
        };
        let (keys, prior) = (names(entries), &put.prior);
        self.decide(name, unconfirmed, keys, |sight, key| match (sight, prior) {
            // A key that existed before looks the same with either value.
            (_, Prior::Keys(before)) if before.contains(key) => None,
            (Ok(Some(details)), _) if is_in(details, put.region.as_ref()) => has(details, key),
            (Ok(None), _) => Some(false),
            (Ok(Some(_)) | Err(_), _) => None,
        })
    }

    /// Sends one request per key and stops at the first failure.
    fn put_keyed(&self, put: &PutParams) -> Result<(), Unmade> {
        for (index, entry) in put.entries.iter().enumerate() {
            let body = wire::one_key(&put.name, entry, put.region.as_ref());
            let done = self.put_body(&body, std::slice::from_ref(entry), put);
            done.map_err(|error| partly(error, &names(&put.entries), index))?;
        }
        Ok(())
    }
}

impl Store for Hosted<'_> {
    fn opened(&self) -> &OpenResult {
        &self.opened
    }

    fn regions(&self, _: &Session) -> Result<Vec<RegionInfo>, Error> {
        let all = self.all_regions()?.into_iter();
        Ok(all.map(|(code, name)| RegionInfo { code, name }).collect())
    }

    fn default_region(&self, _: &Session) -> Result<Option<String>, Error> {
        let settings: Value = self.client.get(&self.path(&["properties"]))?.decode()?;
        let default = settings["properties"]["defaultRegion"].as_str();
        Ok(default.map(str::to_owned))
    }

    fn conceal(&self, values: &[Secret]) {
        self.client.conceal(values);
    }

    fn list(&self, region: Option<&Region>, _: &Session) -> Result<Vec<SetInfo>, Error> {
        let mut path = self.path(&["secrets"]);
        if let Some(region) = region {
            path = format!("{path}?region={}", segment(region.as_str()));
        }
        let mut summaries = match self.client.get(&path) {
            Ok(answer) => answer.decode::<wire::SetList>()?.summaries(),
            // The service returns this for an organization without sets, and for one that doesn't exist.
            Err(missing @ ServiceError::NotFound(_)) => match self.all_regions() {
                Ok(_) if !missing.names_an_organization() => Vec::new(),
                Ok(_) | Err(ServiceError::NotFound(_)) => return Err(missing.into()),
                Err(error) => return Err(error.into()),
            },
            Err(error) => return Err(error.into()),
        };
        if let Some(region) = region {
            summaries.retain(|summary| summary.region.as_deref() == Some(region.as_str()));
        }
        Ok(summaries)
    }

    fn get(&self, name: &SetName, _: &Session) -> Result<Option<SetInfo>, Error> {
        Ok(self.details(name, |path| self.client.get(path))?)
    }

    fn put(&self, put: &PutParams, _: &Session) -> Result<(), ChangeError> {
        let (is_user, entries) = (self.tenant.is_some(), &put.entries);
        // With one key, both forms are one request, and both families of paths accept this form.
        if is_user && entries.len() == 1 {
            return Ok(self.put_keyed(put)?);
        }
        let whole = wire::whole_set(entries, put.region.as_ref());
        let refused = match self.put_body(&whole, entries, put) {
            // An organization's paths may accept only one key per request. The published paths accept only this form.
            Err(refused)
                if is_user
                    && refused.effect == Effect::NotDone
                    && is_about_the_form(&refused.cause, entries) =>
            {
                refused
            }
            done => return Ok(done?),
        };
        self.put_keyed(put).map_err(|error| {
            let is_refused = matches!(error.cause, ServiceError::Refused { .. });
            if is_refused && error.effect == Effect::NotDone {
                // The error for the whole set is more useful than the error for its first key.
                return refused.into();
            }
            error.into()
        })
    }

    fn put_image_pull_secret(
        &self,
        put: &PutImagePullSecretParams,
        _: &Session,
    ) -> Result<(), ChangeError> {
        let (name, region) = (&put.name, put.region.as_ref());
        let body = wire::image_pull_secret(&put.host, &put.credentials, region);
        let sent = self
            .client
            .change(&Method::PUT, &self.set(name), Some(&body));
        let Err(unconfirmed) = sent else {
            return Ok(());
        };
        let all = vec![name.to_string()];
        self.decide(name, unconfirmed, all, |sight, _| {
            match (sight, &put.prior) {
                (Ok(Some(details)), Prior::Absent)
                    if details.kind == SetKind::ImagePullSecret && is_in(details, region) =>
                {
                    Some(true)
                }
                (Ok(None), _) => Some(false),
                // Credentials look the same before and after the change.
                (Ok(Some(_)) | Err(_), _) => None,
            }
        })?;
        Ok(())
    }

    fn unset(&self, unset: &UnsetParams, _: &Session) -> Result<Vec<Key>, ChangeError> {
        let (name, keys) = (&unset.name, &unset.keys);
        let mut missing = Vec::new();
        for (index, key) in keys.iter().enumerate() {
            let path = self.path(&["secrets", name.as_str(), key.as_str()]);
            let Err(unconfirmed) = self.client.change(&Method::DELETE, &path, None) else {
                continue;
            };
            let is_gone = |sight: &Sight, key: &str| match sight {
                Ok(Some(details)) => has(details, key).map(|has| !has),
                Ok(None) => Some(true),
                Err(_) => None,
            };
            // The 404 may have another cause than a missing key.
            if unconfirmed.is_missing() && is_gone(&self.sight(name), key.as_str()) == Some(true) {
                missing.push(key.clone());
                continue;
            }
            let decided = self.decide(name, unconfirmed, vec![key.to_string()], is_gone);
            let keys = || keys.iter().map(ToString::to_string).collect::<Vec<_>>();
            decided.map_err(|error| partly(error, &keys(), index))?;
        }
        Ok(missing)
    }

    fn delete(&self, delete: &DeleteParams, _: &Session) -> Result<bool, ChangeError> {
        let name = &delete.name;
        let sent = self.client.change(&Method::DELETE, &self.set(name), None);
        let Err(unconfirmed) = sent else {
            return Ok(true);
        };
        // The 404 may have another cause than a missing set.
        if unconfirmed.is_missing() && matches!(self.sight(name), Ok(None)) {
            return Ok(false);
        }
        self.decide(
            name,
            unconfirmed,
            vec![name.to_string()],
            |sight, _| match sight {
                Ok(Some(_)) => Some(false),
                Ok(None) => Some(true),
                Err(_) => None,
            },
        )?;
        Ok(true)
    }
}

fn names(entries: &[Entry]) -> Vec<String> {
    entries.iter().map(|entry| entry.key.to_string()).collect()
}

fn is_in(details: &SetInfo, region: Option<&Region>) -> bool {
    region.is_none_or(|region| details.region.as_deref() == Some(region.as_str()))
}

/// Reports whether a set has a key, or returns `None` if the set's keys are not visible.
fn has(details: &SetInfo, key: &str) -> Option<bool> {
    Some(details.keys.as_ref()?.contains(key))
}

/// Returns the error for a change that succeeded for all keys before `index`.
fn partly(error: Unmade, keys: &[String], index: usize) -> Unmade {
    let mut parts = error.effect.parts(vec![keys[index].clone()]);
    parts.done.splice(0..0, keys[..index].iter().cloned());
    parts.not_done.extend_from_slice(&keys[index + 1..]);
    Unmade {
        cause: error.cause,
        effect: Effect::of(parts),
    }
}

impl From<Unmade> for ChangeError {
    fn from(error: Unmade) -> Self {
        Error::from(error.cause).with_effect(error.effect)
    }
}

/// Reports whether the service may have rejected the request's format rather than its contents. An error about the contents would name a
/// key or repeat a value.
fn is_about_the_form(cause: &ServiceError, entries: &[Entry]) -> bool {
    let ServiceError::Refused {
        status: 400 | 415 | 422,
        message,
    } = cause
    else {
        return false;
    };
    // A message that repeats a value is about the contents.
    if message.contains(redact::HIDDEN) {
        return false;
    }
    let words: Vec<&str> = message
        .split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-')
        .collect();
    !entries
        .iter()
        .any(|entry| words.contains(&entry.key.as_str()))
}

impl Unconfirmed {
    /// Reports whether the resource was already missing before the change.
    fn is_missing(&self) -> bool {
        self.reach == Reach::Nothing && matches!(self.error, ServiceError::NotFound(_))
    }
}
