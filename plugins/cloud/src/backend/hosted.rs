//! The hosting service, over HTTP.
//!
//! It has two families of paths for the same things. A private API key belongs to one organization and uses the published
//! paths; a person's token names the organization in the path.

pub mod access;
mod as_backend;
mod error;
pub mod http;
mod path;
mod redact;
mod retry;
mod wire;

use super::{ChangeError, Confirmed, Details, Effect, Keys, Parts, Prior, Profile, Summary};
use crate::domain::{Entry, Key, Organization, SetKind, SetName, Status};
pub use as_backend::profile;
pub use error::ServiceError;
use http::{Answer, Change, Client, Reach, Unconfirmed};
use path::path;

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

/// The state of a set when it is read again.
enum Sight {
    /// The set.
    There(Details),
    /// There is no such set.
    Gone,
    /// The state does not decide it.
    Unclear,
}

/// The conclusion about a change after reading the set again.
enum Verdict {
    Done(Option<Summary>),
    NotDone,
    Unknown,
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
        let verdict = match reach {
            Reach::Nothing => Verdict::NotDone,
            // Whoever wants to stop does not wait for a look.
            _ if error == ServiceError::Cancelled => Verdict::Unknown,
            Reach::Ended | Reach::UnderWay => {
                let sight = self.sight(name);
                match (judge(&sight), sight) {
                    (Some(true), Sight::There(details)) => Verdict::Done(Some(details.summary)),
                    (Some(true), Sight::Gone | Sight::Unclear) => Verdict::Done(None),
                    // What is still under way may yet be carried out.
                    (Some(false), _) if reach == Reach::Ended => Verdict::NotDone,
                    (Some(false) | None, _) => Verdict::Unknown,
                }
            }
        };
        match verdict {
            Verdict::Done(summary) => Ok(Confirmed::BySight(summary)),
            Verdict::NotDone => Err(ChangeError::not_done(error)),
            Verdict::Unknown => Err(ChangeError {
                cause: error,
                effect: Effect::Unknown,
            }),
        }
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

/// Parses a status of the service; one that it adds later counts as pending.
fn status(text: &str) -> Status {
    match text {
        "ready" => Status::Ready,
        "failed" => Status::Failed,
        _ => Status::Pending,
    }
}
