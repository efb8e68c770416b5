//! Changes that say what became of them.
//!
//! Every change names the version of the object that it is meant for, so none is carried out twice and none undoes another's.
//! If the answer is lost, the object shows the outcome: once its version has changed, a late request can no longer change it.

use std::rc::Rc;

use bot_cli_sdk::session::Session;
use bot_cli_secrets::messages::{SetKind, UnsetParams};
use bot_cli_secrets::{ChangeError, Code, Error};
use serde_json::Value;

use super::{Kubernetes, SetLookup, look, object_name, written};
use crate::cluster::{Answer, Cluster, Reach, Request, Said, Tries, not_the_api};
use crate::object::Object;
use crate::words;

/// The maximum number of attempts if other writers interfere.
pub(super) const ROUNDS: u32 = 3;

/// The conclusion about a change after reading the object again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Done,
    NotDone,
    Unknown,
}

/// A change that did not succeed.
pub(super) enum Unmade {
    /// Somebody else was quicker, and nothing was changed.
    Overtaken(Error),
    /// The object was not there any more, and nothing was changed.
    Gone,
    /// The error, with the outcome of the change.
    Failed(ChangeError),
}

/// A change of one object.
pub(super) struct Change<'a> {
    pub cluster: &'a Rc<Cluster>,
    pub object_name: &'a str,
    pub request: Request,
}

impl Change<'_> {
    /// Sends it. `confirms` reads the answer, and `judge` what a look shows when there is none.
    pub(super) fn carry_out(
        &self,
        session: &mut Session,
        confirms: impl FnOnce(&Answer) -> bool,
        judge: impl FnOnce(Option<&Object>) -> Verdict,
    ) -> Result<(), Unmade> {
        let error = match self.cluster.send(&self.request, Tries::Several, session) {
            Ok(answer) if confirms(&answer) => return Ok(()),
            // Whatever answered may have passed the request on.
            Ok(_) => not_the_api(),
            Err(failed) if failed.reach == Reach::Nothing => {
                return Err(match failed.said {
                    Said::Conflict => Unmade::Overtaken(failed.error),
                    Said::NotFound => Unmade::Gone,
                    Said::NoNamespace | Said::Gone | Said::Other => {
                        Unmade::Failed(failed.error.not_done())
                    }
                });
            }
            Err(failed) => failed.error,
        };
        // Whoever wants to stop does not wait for a look.
        if session.cancelled() {
            return Err(Unmade::Failed(error.unknown()));
        }
        let verdict = match look(self.cluster, self.object_name, Tries::One, session) {
            Ok(sight) => judge(sight.as_ref()),
            Err(_) => Verdict::Unknown,
        };
        match verdict {
            Verdict::Done => Ok(()),
            Verdict::NotDone => Err(Unmade::Failed(error.not_done())),
            Verdict::Unknown => Err(Unmade::Failed(error.unknown())),
        }
    }
}

impl Kubernetes {
    pub(super) fn remove_keys(
        &mut self,
        unset: &UnsetParams,
        session: &mut Session,
    ) -> Result<Vec<String>, ChangeError> {
        let mut overtaken = None;
        for _ in 0..ROUNDS {
            let found = self.find(&unset.name, session);
            let (place, base) = match found.map_err(Error::not_done)? {
                SetLookup::Ours(place, base) => (place, base),
                SetLookup::Nothing => return Ok(unset.keys.clone()),
                SetLookup::Foreign => return Err(foreign(&unset.name).not_done()),
            };
            if base.kind() != SetKind::Secret {
                return Err(other_kind(&unset.name).not_done());
            }
            let there = |key: &&String| base.data_key(key).is_some();
            let missing = || {
                unset
                    .keys
                    .iter()
                    .filter(|key| !there(key))
                    .cloned()
                    .collect()
            };
            let mut removed: Vec<&str> = Vec::new();
            for data_key in unset.keys.iter().flat_map(|key| base.data_keys(key)) {
                if !removed.contains(&data_key) {
                    removed.push(data_key);
                }
            }
            if removed.is_empty() {
                return Ok(missing());
            }
            can_change(&unset.name, &base).map_err(Error::not_done)?;
            let (version, uid) = (&base.metadata.resource_version, &base.metadata.uid);
            let (namespace, name) = (place.cluster.namespace(), &base.metadata.name);
            let request = Request::remove(namespace, name, version, &removed);
            let change = Change {
                cluster: &place.cluster,
                object_name: name,
                request: written(request).map_err(Error::not_done)?,
            };
            let has = |object: &Object, key: &str| object.data().any(|(found, _)| found == key);
            let confirms = |answer: &Answer| {
                let object = answer.decode::<Object>();
                object.is_some_and(|object| {
                    object.is_secret(name) && !removed.iter().any(|key| has(&object, key))
                })
            };
            let judge = |sight: Option<&Object>| match sight {
                Some(object) if object.metadata.uid == *uid => {
                    let left = removed.iter().filter(|key| has(object, key)).count();
                    match left {
                        0 => Verdict::Done,
                        _ if object.metadata.resource_version == *version => Verdict::Unknown,
                        _ if left == removed.len() => Verdict::NotDone,
                        _ => Verdict::Unknown,
                    }
                }
                Some(_) | None => Verdict::Done,
            };
            match change.carry_out(session, confirms, judge) {
                Ok(()) => return Ok(missing()),
                Err(Unmade::Gone) => {}
                Err(Unmade::Overtaken(error)) => overtaken = Some(error),
                Err(Unmade::Failed(error)) => return Err(error),
            }
        }
        Err(overtaken.unwrap_or_else(busy).not_done())
    }

    pub(super) fn remove_set(
        &mut self,
        name: &str,
        session: &mut Session,
    ) -> Result<bool, ChangeError> {
        let object_name = object_name(name).map_err(Error::not_done)?;
        let mut overtaken = None;
        for _ in 0..ROUNDS {
            let found = self.find(name, session).map_err(Error::not_done)?;
            let (place, base) = match found {
                SetLookup::Ours(place, base) => (place, base),
                SetLookup::Nothing => return Ok(false),
                SetLookup::Foreign => return Err(foreign(name).not_done()),
            };
            if base.metadata.deletion_timestamp.is_some() {
                return Err(being_deleted(name, &base).not_done());
            }
            let (version, uid) = (&base.metadata.resource_version, &base.metadata.uid);
            let request = Request::delete(place.cluster.namespace(), &object_name, version, uid);
            let change = Change {
                cluster: &place.cluster,
                object_name: &object_name,
                request: written(request).map_err(Error::not_done)?,
            };
            let mut lingers = false;
            let confirms = |answer: &Answer| {
                let Some(answer) = answer.decode::<Value>() else {
                    return false;
                };
                lingers = answer["kind"] == "Secret"
                    && answer["metadata"]["deletionTimestamp"].is_string();
                lingers || (answer["kind"] == "Status" && answer["status"] == "Success")
            };
            let judge = |sight: Option<&Object>| match sight {
                Some(object) if object.metadata.uid == *uid => {
                    let metadata = &object.metadata;
                    if metadata.resource_version == *version
                        || metadata.deletion_timestamp.is_some()
                    {
                        Verdict::Unknown
                    } else {
                        Verdict::NotDone
                    }
                }
                Some(_) | None => Verdict::Done,
            };
            match change.carry_out(session, confirms, judge) {
                // Accepted, but others have to let go of it first.
                Ok(()) if lingers => return Err(being_deleted(name, &base).unknown()),
                Ok(()) => return Ok(true),
                Err(Unmade::Gone) => {}
                Err(Unmade::Overtaken(error)) => overtaken = Some(error),
                Err(Unmade::Failed(error)) => return Err(error),
            }
        }
        Err(overtaken.unwrap_or_else(busy).not_done())
    }
}

/// Whether the API would accept a change of this Secret.
pub(super) fn can_change(name: &str, object: &Object) -> Result<(), Error> {
    if object.metadata.deletion_timestamp.is_some() {
        return Err(being_deleted(name, object));
    }
    if object.immutable == Some(true) {
        return Err(Error::new(
            Code::Immutable,
            format!("the Secret of `{name}` is immutable: it can be deleted but not changed"),
        ));
    }
    Ok(())
}

/// The error for a Secret that is not one of our sets.
pub(super) fn foreign(name: &str) -> Error {
    let message = format!("the cluster has a Secret `{name}` that is not a set of bot-cli");
    Error::new(Code::Foreign, message).hint(
        "choose another name; Secrets without the label `app.kubernetes.io/managed-by=bot-cli` are left alone",
    )
}

/// The error for a set of the other kind.
pub(super) fn other_kind(name: &str) -> Error {
    Error::new(Code::Conflict, format!("`{name}` is a set of another kind"))
}

fn being_deleted(name: &str, object: &Object) -> Error {
    let finalizers = object.metadata.finalizers.iter().flatten();
    let finalizers: Vec<String> = finalizers
        .map(|finalizer| format!("`{}`", words::one_line(finalizer)))
        .collect();
    let waits = match finalizers.len() {
        0 => String::new(),
        _ => format!(" and waits for its finalizers: {}", finalizers.join(", ")),
    };
    Error::new(
        Code::Conflict,
        format!("the Secret of `{name}` is being deleted{waits}"),
    )
}

fn busy() -> Error {
    Error::new(
        Code::Conflict,
        "the Secret was changed by others again and again",
    )
    .hint("try again")
}
