//! Creating sets and adding to them.

use std::collections::{BTreeMap, BTreeSet};

use bot_cli_sdk::session::Session;
use bot_cli_secrets::messages::{Bytes, Prior, PutImagePullSecretParams, PutParams, SetKind};
use bot_cli_secrets::{ChangeError, Code, Error};
use serde::Serialize;
use zeroize::Zeroizing;

use super::change::{Change, ROUNDS, Unmade, Verdict, can_change, foreign, other_kind};
use super::{Kubernetes, RegionalCluster, SetLookup, object_name, written};
use crate::cluster::{Answer, Request};
use crate::naming;
use crate::object::{
    DOCKER_CONFIG, DOCKER_CONFIG_KEY, Encoded, MANAGED_BY, MAX_SECRET_SIZE, NAME_ANNOTATION,
    OPAQUE, Object, docker_config, kind,
};
use crate::words;

/// The wanted contents of a set.
struct Wanted<'a> {
    name: &'a str,
    region: Option<&'a str>,
    type_: &'static str,
    /// The values by their keys, with the key of the data for each that is new.
    entries: Vec<(String, String, Encoded)>,
    prior: &'a Prior,
}

/// A Secret as it is written.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Written<'a> {
    api_version: &'static str,
    kind: &'static str,
    metadata: WrittenMetadata<'a>,
    #[serde(rename = "type")]
    type_: &'static str,
    data: BTreeMap<&'a str, &'a Encoded>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WrittenMetadata<'a> {
    name: &'a str,
    namespace: &'a str,
    labels: BTreeMap<&'static str, &'static str>,
    annotations: BTreeMap<&'static str, &'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    uid: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resource_version: Option<&'a str>,
}

impl Kubernetes {
    pub(super) fn put_entries(
        &mut self,
        put: &PutParams,
        session: &mut Session,
    ) -> Result<(), ChangeError> {
        let mut entries = Vec::new();
        for (key, value) in &put.entries {
            let data_key = naming::data_key(key).map_err(|problem| {
                let message = format!("the key `{}` {problem}", words::one_line(key));
                Error::new(Code::Refused, message).not_done()
            })?;
            entries.push((key.clone(), data_key, Encoded::of(value.expose())));
        }
        let wanted = Wanted {
            name: &put.name,
            region: put.region.as_deref(),
            type_: OPAQUE,
            entries,
            prior: &put.prior,
        };
        self.write(&wanted, session)
    }

    pub(super) fn put_credentials(
        &mut self,
        put: &PutImagePullSecretParams,
        session: &mut Session,
    ) -> Result<(), ChangeError> {
        let key = DOCKER_CONFIG_KEY.to_owned();
        let config = docker_config(&put.host, &put.credentials);
        let wanted = Wanted {
            name: &put.name,
            region: put.region.as_deref(),
            type_: DOCKER_CONFIG,
            entries: vec![(key.clone(), key, config)],
            prior: &put.prior,
        };
        self.write(&wanted, session)
    }

    fn write(&mut self, wanted: &Wanted<'_>, session: &mut Session) -> Result<(), ChangeError> {
        let object_name = object_name(wanted.name).map_err(Error::not_done)?;
        let mut overtaken = None;
        for _ in 0..ROUNDS {
            let found = self.find(wanted.name, session).map_err(Error::not_done)?;
            let (place, base) = match found {
                SetLookup::Foreign => return Err(foreign(wanted.name).not_done()),
                SetLookup::Ours(place, base) => (place, Some(base)),
                SetLookup::Nothing => {
                    let place = self.place_of_new(wanted, session);
                    (place.map_err(Error::not_done)?, None)
                }
            };
            let base = base.as_deref();
            wanted.check(base).map_err(Error::not_done)?;
            if base.is_some_and(|base| wanted.is_in(base)) {
                return Ok(());
            }
            let request = wanted.request(&place, &object_name, base);
            let change = Change {
                cluster: &place.cluster,
                object_name: &object_name,
                request: written(request).map_err(Error::not_done)?,
            };
            let confirms = |answer: &Answer| {
                let object = answer.decode::<Object>();
                object.is_some_and(|object| {
                    object.is_secret(&object_name) && wanted.has_keys(&object)
                })
            };
            let judge = |sight: Option<&Object>| wanted.judge(base, sight);
            match change.carry_out(session, confirms, judge) {
                Ok(()) => return Ok(()),
                Err(Unmade::Overtaken(error)) => overtaken = Some(error),
                Err(Unmade::Gone) => {}
                Err(Unmade::Failed(error)) => return Err(error),
            }
        }
        let error = overtaken.unwrap_or_else(|| changed(wanted.name, "is gone"));
        Err(error.not_done())
    }

    /// Returns the site of a new set.
    fn place_of_new(
        &mut self,
        wanted: &Wanted<'_>,
        session: &mut Session,
    ) -> Result<RegionalCluster, Error> {
        let preferred = self.sites.preferred.clone();
        let region = wanted.region.or(preferred.as_deref());
        let mut places = self.places(region, session)?;
        match (places.pop(), places.is_empty()) {
            (Some(place), true) => Ok(place),
            _ => Err(Error::new(
                Code::InvalidSetting,
                format!("no region is named for `{}`", wanted.name),
            )
            .hint("the setting `context` names the region for new sets")),
        }
    }
}

impl Wanted<'_> {
    /// Whether the change may be made to what is there: it is as the caller saw it, can be changed, and everything fits.
    fn check(&self, base: Option<&Object>) -> Result<(), Error> {
        match (self.prior, base) {
            (Prior::Absent, Some(base)) if base.kind() == kind(self.type_) => {
                return Err(changed(self.name, "was created"));
            }
            (Prior::Keys(_), None) => return Err(changed(self.name, "was deleted")),
            (_, Some(base)) if base.kind() != kind(self.type_) => {
                return Err(other_kind(self.name));
            }
            (Prior::Keys(keys), Some(base)) => {
                let seen: BTreeSet<&str> = keys.iter().map(String::as_str).collect();
                let keys = base.keys();
                let there: BTreeSet<&str> = keys.iter().map(String::as_str).collect();
                if base.kind() == SetKind::Secret && seen != there {
                    return Err(changed(self.name, "got other keys"));
                }
            }
            (Prior::Absent, _) => {}
        }
        if let Some(base) = base {
            can_change(self.name, base)?;
        }
        let kept = base.into_iter().flat_map(Object::data);
        let kept = kept.filter(|(found, _)| !self.data(base).any(|(key, _)| key == found.as_str()));
        let size: usize = kept.map(|(_, value)| value.size()).sum::<usize>()
            + self
                .data(base)
                .map(|(_, value)| value.size())
                .sum::<usize>();
        if size > MAX_SECRET_SIZE {
            let mut error = Error::new(
                Code::TooLarge,
                format!(
                    "the values of `{}` would have {size} bytes, and a Kubernetes Secret holds {MAX_SECRET_SIZE}",
                    self.name
                ),
            )
            .hint("put some of the values into another set");
            error.bytes = Some(Box::new(Bytes {
                size: size as u64,
                limit: MAX_SECRET_SIZE as u64,
            }));
            return Err(error);
        }
        Ok(())
    }

    /// The keys of the data with their values. A key that is there keeps the form it has.
    fn data<'a>(
        &'a self,
        base: Option<&'a Object>,
    ) -> impl Iterator<Item = (&'a str, &'a Encoded)> {
        self.entries.iter().map(move |(key, data_key, value)| {
            let there = base
                .filter(|_| self.type_ == OPAQUE)
                .and_then(|base| base.data_key(key));
            (there.unwrap_or(data_key), value)
        })
    }

    /// Whether the object has all of it already.
    fn is_in(&self, object: &Object) -> bool {
        self.data(Some(object))
            .all(|(key, value)| value_of(object, key) == Some(value))
    }

    fn has_keys(&self, object: &Object) -> bool {
        self.data(Some(object))
            .all(|(key, _)| value_of(object, key).is_some())
    }

    fn request(
        &self,
        place: &RegionalCluster,
        object_name: &str,
        base: Option<&Object>,
    ) -> Option<Request> {
        let namespace = place.cluster.namespace();
        // What we have written before goes along, or the server would take it for removed.
        let mut data: BTreeMap<&str, &Encoded> = BTreeMap::new();
        if let Some(base) = base {
            let owned = base.owned_keys();
            data.extend(
                base.data()
                    .filter(|(key, _)| owned.contains(key.as_str()))
                    .map(|(key, value)| (key.as_str(), value)),
            );
        }
        data.extend(self.data(base));
        let object = Written {
            api_version: "v1",
            kind: "Secret",
            metadata: WrittenMetadata {
                name: object_name,
                namespace,
                labels: BTreeMap::from([MANAGED_BY]),
                annotations: BTreeMap::from([(NAME_ANNOTATION, self.name)]),
                uid: base.map(|base| base.metadata.uid.as_str()),
                resource_version: base.map(|base| base.metadata.resource_version.as_str()),
            },
            type_: self.type_,
            data,
        };
        if base.is_some() {
            return Request::apply(namespace, object_name, &object);
        }
        let body = Zeroizing::new(serde_json::to_vec(&object).ok()?);
        Request::create(namespace, &body)
    }

    /// Returns the outcome of the change, from the current object.
    fn judge(&self, base: Option<&Object>, sight: Option<&Object>) -> Verdict {
        // A set that is not there may yet be created; one that was there and is gone tells nothing.
        let Some(object) = sight else {
            return Verdict::Unknown;
        };
        if object.is_ours() && object.kind() == kind(self.type_) && self.is_in(object) {
            return Verdict::Done;
        }
        let Some(base) = base.filter(|base| base.metadata.uid == object.metadata.uid) else {
            return Verdict::Unknown;
        };
        let untouched = self
            .data(Some(base))
            .all(|(key, _)| value_of(object, key) == value_of(base, key));
        // An object that has another version can't be changed by this request any more.
        if untouched && object.metadata.resource_version != base.metadata.resource_version {
            Verdict::NotDone
        } else {
            Verdict::Unknown
        }
    }
}

fn value_of<'a>(object: &'a Object, data_key: &str) -> Option<&'a Encoded> {
    object.data.as_ref()?.get(data_key)
}

fn changed(name: &str, what: &str) -> Error {
    Error::new(Code::Conflict, format!("`{name}` {what} in the meantime"))
        .hint("look at it and try again")
}
