//! The hosting service, over HTTP.
//!
//! It has two families of paths for the same things. A private API key belongs to one organization and uses the published
//! paths; a person's token names the organization in the path.

pub mod access;
mod error;
pub mod http;
mod path;
mod redact;
mod retry;
mod wire;

use std::time::Duration;

use bot_cli_protocol::secret::Secret;
use serde_json::Value;

use super::{
    Ability, BackendError, ChangeError, Confirmed, Details, Effect, Keys, Limits, NameRules, Parts,
    Prior, Profile, Regions, SecretsBackend, Summary,
};
use crate::domain::{Entry, Key, Organization, Region, RegistryHost, SetKind, SetName};
use crate::source::Source;
pub use error::ServiceError;
use http::{Answer, Change, Client, Reach, Unconfirmed};
use path::{path, segment};

/// The account that the requests are for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tenant {
    /// A person, in this organization.
    User(Organization),
    /// The organization of a private API key.
    ApiKey,
}

/// The service.
pub struct Hosted<'a> {
    client: Client<'a>,
    tenant: Tenant,
    profile: Profile,
}

/// Returns what the service is and can. It never gives values back.
pub fn profile() -> Profile {
    Profile {
        keeper: "the hosting service".to_owned(),
        subject: "the service".to_owned(),
        at: "at the hosting service".to_owned(),
        can: [
            Ability::ImagePullSecrets,
            Ability::Organizations,
            Ability::DeployRegions,
            Ability::Agents,
        ]
        .into(),
        names: NameRules {
            shortest: 3,
            longest: 63,
            capitals: false,
        },
        limits: Limits::default(),
        default_region: Source::Service,
    }
}

/// The state of a set when it is read again.
enum Sight {
    /// The set.
    There(Details),
    /// There is no such set.
    Gone,
    /// The state does not decide it.
    Unclear,
}

impl<'a> Hosted<'a> {
    /// The service behind `client`, for `tenant`.
    pub fn new(client: Client<'a>, tenant: Tenant) -> Self {
        Self {
            client,
            tenant,
            profile: profile(),
        }
    }

    fn path(&self, parts: &[&str]) -> String {
        match &self.tenant {
            Tenant::User(organization) => {
                let beginning = ["organizations", organization.as_str()];
                path(&[&beginning[..], parts].concat())
            }
            Tenant::ApiKey => path(parts),
        }
    }

    fn set(&self, name: &SetName) -> String {
        self.path(&["secrets", name.as_str()])
    }

    fn codes(&self) -> Result<Vec<String>, ServiceError> {
        let regions: wire::RegionList = self.client.get(&self.path(&["regions"]))?.decode()?;
        Ok(regions.pairs().into_iter().map(|(code, _)| code).collect())
    }

    /// Looks at a set, once. Only a whole picture counts: a set that is not found must be missing in the listing, too.
    fn sight(&self, name: &SetName) -> Sight {
        let listed = |known: &Result<Answer, ServiceError>| {
            let list: wire::List = self
                .client
                .look(&self.path(&["secrets"]))
                .ok()?
                .decode()
                .ok()?;
            let mut sets = list.summaries().into_iter();
            let found = sets.find(|set| set.name == name.as_str());
            match (known, found) {
                (Err(ServiceError::NotFound(_)), None) => Some(Sight::Gone),
                (Err(ServiceError::Refused { .. }), Some(summary))
                    if summary.kind == SetKind::ImagePullSecret =>
                {
                    Some(Sight::There(Details {
                        summary,
                        keys: Keys::None,
                    }))
                }
                _ => None,
            }
        };
        match self.client.look(&self.set(name)) {
            Ok(answer) => answer
                .decode::<wire::Set>()
                .and_then(|set| set.details(name))
                .map_or(Sight::Unclear, Sight::There),
            known @ Err(ServiceError::NotFound(_) | ServiceError::Refused { status: 400, .. }) => {
                listed(&known).unwrap_or(Sight::Unclear)
            }
            Err(_) => Sight::Unclear,
        }
    }

    /// Decides what became of a change that was not confirmed: by how far it came, else by what `judge` sees in the set.
    fn decide(
        &self,
        name: &SetName,
        unconfirmed: Unconfirmed,
        judge: impl FnOnce(&Sight) -> Option<bool>,
    ) -> Result<Confirmed, ChangeError<ServiceError>> {
        let Unconfirmed { error, reach } = unconfirmed;
        if reach == Reach::Nothing {
            return Err(ChangeError::not_done(error));
        }
        // A user who wants to stop does not wait for a look.
        let sight = if error == ServiceError::Cancelled {
            Sight::Unclear
        } else {
            self.sight(name)
        };
        let effect = match (judge(&sight), sight) {
            (Some(true), Sight::There(details)) => {
                return Ok(Confirmed::BySight(Some(details.summary)));
            }
            (Some(true), Sight::Gone | Sight::Unclear) => return Ok(Confirmed::BySight(None)),
            // What is still under way may yet be carried out.
            (Some(false), _) if reach == Reach::Ended => Effect::NotDone,
            (Some(false) | None, _) => Effect::Unknown,
        };
        Err(ChangeError {
            cause: error,
            effect,
        })
    }

    /// Writes entries in one request, whole or one key.
    fn put_body(
        &self,
        name: &SetName,
        body: &wire::Body,
        entries: &[Entry],
        prior: Prior<'_>,
    ) -> Result<Confirmed, ChangeError<ServiceError>> {
        match self.client.change(Change::Put, &self.set(name), Some(body)) {
            Ok(()) => Ok(Confirmed::ByAnswer),
            Err(unconfirmed) => self.decide_put(name, unconfirmed, entries, prior),
        }
    }

    /// Decides what became of entries key by key: a new one is there or not, one that was there before looks the same with
    /// either value.
    fn decide_put(
        &self,
        name: &SetName,
        unconfirmed: Unconfirmed,
        entries: &[Entry],
        prior: Prior<'_>,
    ) -> Result<Confirmed, ChangeError<ServiceError>> {
        let Unconfirmed { error, reach } = unconfirmed;
        if reach == Reach::Nothing {
            return Err(ChangeError::not_done(error));
        }
        let before: &[String] = match prior {
            Prior::Absent(_) => &[],
            Prior::Keys(keys) => keys,
        };
        let is_new = |entry: &Entry| !before.iter().any(|key| key == entry.key.as_str());
        // Whoever wants to stop does not wait for a look, nor does a look help where nothing is new.
        let sight = if error == ServiceError::Cancelled || !entries.iter().any(is_new) {
            Sight::Unclear
        } else {
            self.sight(name)
        };
        let (there, summary) = match (sight, prior) {
            (
                Sight::There(Details {
                    summary,
                    keys: Keys::Known(keys),
                }),
                prior,
            ) if prior
                .region()
                .is_none_or(|region| summary.region.as_deref() == Some(region.as_str())) =>
            {
                (Some(keys), Some(summary))
            }
            (Sight::Gone, _) => (Some(Vec::new()), None),
            (Sight::There(_) | Sight::Unclear, _) => (None, None),
        };
        let mut parts = Parts::default();
        for entry in entries {
            let is_there = |keys: &Vec<String>| keys.iter().any(|key| key == entry.key.as_str());
            let seen = there.as_ref().filter(|_| is_new(entry)).map(is_there);
            let state = match seen {
                Some(true) => &mut parts.done,
                // What is still under way may yet be carried out.
                Some(false) if reach == Reach::Ended => &mut parts.not_done,
                Some(false) | None => &mut parts.unknown,
            };
            state.push(entry.key.to_string());
        }
        let effect = match (parts.done.len(), parts.unknown.len(), parts.not_done.len()) {
            (_, 0, 0) => return Ok(Confirmed::BySight(summary)),
            (0, _, 0) => Effect::Unknown,
            (0, 0, _) => Effect::NotDone,
            _ => Effect::Partly(Box::new(parts)),
        };
        Err(ChangeError {
            cause: error,
            effect,
        })
    }

    /// One request for each key, up to the first that fails.
    fn put_keyed(
        &self,
        name: &SetName,
        entries: &[Entry],
        prior: Prior<'_>,
    ) -> Result<Confirmed, ChangeError<ServiceError>> {
        let mut confirmed = Confirmed::ByAnswer;
        for (index, entry) in entries.iter().enumerate() {
            let body = wire::one_key(name, entry, prior.region());
            match self.put_body(name, &body, std::slice::from_ref(entry), prior) {
                Ok(seen) => confirmed = seen,
                Err(error) => return Err(partly(error, &keys(entries), index)),
            }
        }
        Ok(confirmed)
    }
}

impl SecretsBackend for Hosted<'_> {
    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn conceal(&self, values: &[Secret]) {
        self.client.conceal(values);
    }

    fn regions(&self) -> Result<Regions, BackendError> {
        let regions: wire::RegionList = self.client.get(&self.path(&["regions"]))?.decode()?;
        let settings: Value = self.client.get(&self.path(&["properties"]))?.decode()?;
        let default = settings["properties"]["defaultRegion"].as_str();
        Ok(Regions {
            all: regions.pairs(),
            default: default.map(str::to_owned),
        })
    }

    fn region_codes(&self) -> Result<Vec<String>, BackendError> {
        Ok(self.codes()?)
    }

    fn list(&self, region: Option<&Region>) -> Result<Vec<Summary>, BackendError> {
        let mut path = self.path(&["secrets"]);
        if let Some(region) = region {
            path = format!("{path}?region={}", segment(region.as_str()));
        }
        let mut summaries = match self.client.get(&path) {
            Ok(answer) => answer.decode::<wire::List>()?.summaries(),
            // The service says so of an organization without any set, and also of one that there is not.
            Err(missing @ ServiceError::NotFound(_)) => match self.codes() {
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

    fn get(&self, name: &SetName) -> Result<Option<Details>, BackendError> {
        match self.client.get(&self.set(name)) {
            Ok(answer) => Ok(Some(answer.decode::<wire::Set>()?.details(name)?)),
            Err(ServiceError::NotFound(_)) => Ok(None),
            // The service refuses to show an image pull secret; the listing has it.
            Err(refused @ ServiceError::Refused { status: 400, .. }) => match self
                .list(None)?
                .into_iter()
                .find(|set| set.name == name.as_str())
            {
                Some(summary) if summary.kind == SetKind::ImagePullSecret => Ok(Some(Details {
                    summary,
                    keys: Keys::None,
                })),
                Some(_) | None => Err(refused.into()),
            },
            Err(error) => Err(error.into()),
        }
    }

    fn put(
        &self,
        name: &SetName,
        entries: &[Entry],
        prior: Prior<'_>,
    ) -> Result<Confirmed, ChangeError> {
        // With one key both forms are one request, and this one is known to both families.
        let keyed = entries.len() == 1 && matches!(self.tenant, Tenant::User(_));
        if keyed {
            return Ok(self.put_keyed(name, entries, prior)?);
        }
        let whole = wire::whole_set(entries, prior.region());
        let sent = self
            .client
            .change(Change::Put, &self.set(name), Some(&whole));
        let refused = match sent {
            Ok(()) => return Ok(Confirmed::ByAnswer),
            // Only the service itself can say that it does not know the form, and nothing may be under way.
            Err(refused)
                if refused.reach == Reach::Nothing
                    && is_about_the_form(&refused.error, entries) =>
            {
                ChangeError::not_done(refused.error)
            }
            Err(unconfirmed) => return Ok(self.decide_put(name, unconfirmed, entries, prior)?),
        };
        match self.tenant {
            // The published paths have only this form.
            Tenant::ApiKey => Err(refused.into()),
            // Those of an organization may know only one key a request.
            Tenant::User(_) => {
                let keyed = self.put_keyed(name, entries, prior);
                Ok(keyed.map_err(|error| {
                    let is_refused = matches!(error.cause, ServiceError::Refused { .. });
                    if is_refused && error.effect == Effect::NotDone {
                        // What was wrong with the whole says more than what is wrong with its first key.
                        refused
                    } else {
                        error
                    }
                })?)
            }
        }
    }

    fn put_image_pull_secret(
        &self,
        name: &SetName,
        host: &RegistryHost,
        credentials: &Secret,
        prior: Prior<'_>,
    ) -> Result<Confirmed, ChangeError> {
        let body = wire::image_pull_secret(host, credentials, prior.region());
        let sent = self
            .client
            .change(Change::Put, &self.set(name), Some(&body));
        let Err(unconfirmed) = sent else {
            return Ok(Confirmed::ByAnswer);
        };
        let decided = self.decide(name, unconfirmed, |sight| match (sight, prior) {
            (Sight::There(details), Prior::Absent(region))
                if details.summary.kind == SetKind::ImagePullSecret
                    && details.summary.region.as_deref() == region.map(Region::as_str) =>
            {
                Some(true)
            }
            (Sight::Gone, _) => Some(false),
            // Credentials look the same before and after.
            (Sight::There(_) | Sight::Unclear, _) => None,
        });
        Ok(decided?)
    }

    fn unset(
        &self,
        name: &SetName,
        keys: &[Key],
        _seen: Option<&[String]>,
    ) -> Result<Vec<Key>, ChangeError> {
        let mut missing = Vec::new();
        for (index, key) in keys.iter().enumerate() {
            let path = self.path(&["secrets", name.as_str(), key.as_str()]);
            let Err(unconfirmed) = self.client.change(Change::Delete, &path, None) else {
                continue;
            };
            let is_missing = unconfirmed.is_missing();
            let has = |details: &Details| match &details.keys {
                Keys::Known(keys) => Some(keys.iter().any(|known| known == key.as_str())),
                Keys::Referenced | Keys::None => None,
            };
            if is_missing {
                // Is the key not there, or something else?
                match self.sight(name) {
                    Sight::There(details) if has(&details) == Some(false) => {}
                    Sight::Gone => {}
                    Sight::There(_) | Sight::Unclear => {
                        let error = ChangeError::not_done(unconfirmed.error);
                        return Err(partly(error, keys, index).into());
                    }
                }
                missing.push(key.clone());
                continue;
            }
            let decided = self.decide(name, unconfirmed, |sight| match sight {
                Sight::There(details) => has(details).map(|has| !has),
                Sight::Gone => Some(true),
                Sight::Unclear => None,
            });
            decided.map_err(|error| partly(error, keys, index))?;
        }
        Ok(missing)
    }

    fn delete(&self, name: &SetName, _seen: Option<&[String]>) -> Result<bool, ChangeError> {
        let sent = self.client.change(Change::Delete, &self.set(name), None);
        let Err(unconfirmed) = sent else {
            return Ok(true);
        };
        if unconfirmed.is_missing() {
            // Is the set not there, or something else?
            return match self.sight(name) {
                Sight::Gone => Ok(false),
                Sight::There(_) | Sight::Unclear => {
                    Err(ChangeError::not_done(unconfirmed.error).into())
                }
            };
        }
        self.decide(name, unconfirmed, |sight| match sight {
            Sight::There(_) => Some(false),
            Sight::Gone => Some(true),
            Sight::Unclear => None,
        })?;
        Ok(true)
    }

    fn pause(&self, pause: Duration) -> Result<(), BackendError> {
        Ok(self.client.pause(pause)?)
    }
}

fn keys(entries: &[Entry]) -> Vec<Key> {
    entries.iter().map(|entry| entry.key.clone()).collect()
}

fn names(keys: &[Key]) -> Vec<String> {
    keys.iter().map(ToString::to_string).collect()
}

/// The error of the request for the key at `index`, after those for the keys before it were done.
fn partly(
    error: ChangeError<ServiceError>,
    keys: &[Key],
    index: usize,
) -> ChangeError<ServiceError> {
    let (done, rest) = keys.split_at(index);
    let is_unknown = error.effect == Effect::Unknown;
    if done.is_empty() && (!is_unknown || rest.len() == 1) {
        return error;
    }
    let (unknown, not_done) = rest.split_at(usize::from(is_unknown));
    ChangeError {
        cause: error.cause,
        effect: Effect::Partly(Box::new(Parts {
            done: names(done),
            unknown: names(unknown),
            not_done: names(not_done),
        })),
    }
}

/// Whether the service may have refused the form of a request and not what is in it: it names none of the keys.
fn is_about_the_form(cause: &ServiceError, entries: &[Entry]) -> bool {
    let ServiceError::Refused {
        status: 400 | 415 | 422,
        message,
    } = cause
    else {
        return false;
    };
    // What repeats a value is about the value.
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
    /// Whether the service has nothing to remove, and none of the tries has removed it.
    fn is_missing(&self) -> bool {
        self.reach == Reach::Nothing && matches!(self.error, ServiceError::NotFound(_))
    }
}
