//! Changes to Secrets.
//!
//! A change to an existing object specifies the object's version. Therefore, no change is applied twice, and no change undoes another. If
//! the response is lost, the object's current state reveals the outcome: once the version has changed, a delayed request no longer takes
//! effect.

use bot_cli_protocol::secret::Secret;
use bot_cli_sdk::session::Session;
use bot_cli_secrets::messages::{Prior, SetKind};
use bot_cli_secrets::{ChangeError, Code, Effect, Error};
use kube::core::Status;

use super::{Kubernetes, SetLookup};
use crate::cluster::{Answer, Cluster, Request, not_the_api};
use crate::kubeconfig::one_line;
use crate::naming;
use crate::object::{MAX_SECRET_SIZE, OPAQUE, Object, Touched, Written, kind};

#[derive(Default)]
pub(super) struct Change<'a> {
    pub name: &'a str,
    /// The type of the Secret, or `None` to delete a Secret of any type.
    pub type_: Option<&'static str>,
    /// The keys with their new values. A key without a value is removed.
    pub wanted: Vec<(String, Option<Secret>)>,
    /// The expected state of the set, if the change depends on it.
    pub prior: Option<&'a Prior>,
}

struct Attempt<'a> {
    change: &'a Change<'a>,
    cluster: &'a Cluster,
    base: Option<&'a Object>,
    touched: &'a Touched,
}

impl Kubernetes {
    /// Applies a change. Returns the previous state of the set, if the set existed.
    pub(super) fn carry_out(
        &self,
        change: &Change<'_>,
        session: &Session,
    ) -> Result<Option<Box<Object>>, ChangeError> {
        let found = self.find(change.name, session).map_err(Error::not_done)?;
        let base = match found {
            SetLookup::Foreign => return Err(foreign(change.name).not_done()),
            SetLookup::Ours(base) => Some(base),
            SetLookup::Nothing if change.removes() => return Ok(None),
            SetLookup::Nothing => None,
        };
        let touched = change.check(base.as_deref()).map_err(Error::not_done)?;
        let attempt = Attempt {
            change,
            cluster: &self.cluster,
            base: base.as_deref(),
            touched: &touched,
        };
        attempt.send(session)?;
        Ok(base)
    }
}

impl Change<'_> {
    /// Reports whether the change requires an existing set, because it deletes the set or removes keys.
    fn removes(&self) -> bool {
        self.type_.is_none() || self.wanted.iter().any(|(_, value)| value.is_none())
    }

    /// Checks that the set has the expected state, can be changed, and stays within the limits. Returns the affected keys.
    fn check(&self, base: Option<&Object>) -> Result<Touched, Error> {
        if let Some(base) = base {
            self.check_base(base)?;
        } else if !naming::is_label(self.name) {
            let message = format!("`{}` can't be the name of a Secret", one_line(self.name));
            return Err(Error::new(Code::InvalidName, message));
        } else if matches!(self.prior, Some(Prior::Keys(_))) {
            return Err(changed(self.name, "was deleted"));
        }
        let touched = self.touched(base)?;
        let size = Object::size_with(base, &touched);
        if self.removes() || size <= MAX_SECRET_SIZE {
            return Ok(touched);
        }
        let message = format!(
            "the values of `{}` would have {size} bytes, and a Kubernetes Secret holds {MAX_SECRET_SIZE}",
            self.name
        );
        Err(Error::new(Code::TooLarge, message).hint("put some of the values into another set"))
    }

    fn check_base(&self, base: &Object) -> Result<(), Error> {
        let name = self.name;
        if self.type_.is_some_and(|type_| kind(type_) != base.kind()) {
            let message = format!("`{name}` is a set of another kind");
            return Err(Error::new(Code::Conflict, message));
        }
        if base.is_being_deleted() {
            return Err(being_deleted(name));
        }
        match self.prior {
            Some(Prior::Absent) => return Err(changed(name, "was created")),
            Some(Prior::Keys(keys)) if base.kind() == SetKind::Secret && *keys != base.keys() => {
                return Err(changed(name, "got other keys"));
            }
            Some(Prior::Keys(_)) | None => {}
        }
        if base.is_immutable() && self.type_.is_some() {
            let message =
                format!("the Secret of `{name}` is immutable: it can be deleted but not changed");
            return Err(Error::new(Code::Immutable, message));
        }
        Ok(())
    }

    fn touched(&self, base: Option<&Object>) -> Result<Touched, Error> {
        let mut touched = Touched::new();
        for (key, value) in &self.wanted {
            let is_there = base.is_some_and(|base| base.value(key).is_some());
            if value.is_some() && !is_there && !naming::is_key(key) {
                let key = one_line(key);
                let message = format!("a Kubernetes Secret can't have the key `{key}`");
                let hint = "keys have letters, digits, hyphens, underscores and dots, at most 253";
                return Err(Error::new(Code::Refused, message).hint(hint));
            }
            if value.is_some() || is_there {
                touched.insert(key.clone(), value.clone());
            }
        }
        Ok(touched)
    }
}

impl Attempt<'_> {
    fn send(&self, session: &Session) -> Result<(), ChangeError> {
        let request = self.request().map_err(Error::not_done)?;
        let name = self.change.name;
        let error = match self.cluster.send(&request, session) {
            Ok(answer) if self.is_confirmed_by(&answer) => return Ok(()),
            // The sender of this response may have passed the request on.
            Ok(answer) => match answer.decode::<Object>() {
                Some(object) if object.is_being_deleted() => being_deleted(name),
                Some(_) | None => not_the_api(),
            },
            Err(failed) if failed.effect == Effect::Unknown => failed.cause,
            Err(failed) if failed.cause.code == Code::NotFound && self.base.is_some() => {
                return Err(changed(name, "was deleted").not_done());
            }
            Err(failed) => return Err(failed),
        };
        // A user who cancelled doesn't wait for another request.
        if session.cancelled() {
            return Err(error.unknown());
        }
        let sight = self.cluster.look(name, session);
        match sight.map_or(Effect::Unknown, |sight| self.outcome(sight.as_ref())) {
            Effect::Done => Ok(()),
            effect @ (Effect::NotDone | Effect::Unknown | Effect::Partly(_)) => {
                Err(error.with_effect(effect))
            }
        }
    }

    fn request(&self) -> Result<Request, Error> {
        let (namespace, name) = (&self.cluster.namespace, self.change.name);
        let type_ = self.change.type_.unwrap_or(OPAQUE);
        let written = || Written::new(name, type_, self.base, self.touched);
        match self.base {
            None => Request::create(namespace, &written()),
            Some(base) if self.change.type_.is_none() => Request::delete(namespace, name, base),
            Some(_) => Request::patch(namespace, name, &written()),
        }
    }

    fn is_confirmed_by(&self, answer: &Answer) -> bool {
        if self.change.type_.is_none() {
            let status = answer.decode::<Status>();
            return status.is_some_and(|status| status.is_success());
        }
        let object = answer.decode::<Object>();
        // An admission webhook may change a value, so only the keys are compared.
        let has_keys = |object: &Object| {
            let mut touched = self.touched.iter();
            touched.all(|(key, value)| object.value(key).is_some() == value.is_some())
        };
        object.is_some_and(|object| object.is_secret(self.change.name) && has_keys(&object))
    }

    /// Determines the outcome of the change from the Secret's current state.
    fn outcome(&self, sight: Option<&Object>) -> Effect {
        if let Some(object) = sight
            && self.change.type_.is_some()
            && object.is_ours()
            && object.shows(self.touched)
        {
            return Effect::Done;
        }
        let same = self.base.zip(sight);
        let same = same.filter(|(base, now)| base.metadata().uid == now.metadata().uid);
        let Some((base, now)) = same else {
            // A late request may still create a missing set. A deleted set has nothing left to remove.
            let adds = self.base.is_none() || self.touched.values().any(Option::is_some);
            return if adds { Effect::Unknown } else { Effect::Done };
        };
        let mut keys = self.touched.keys();
        let is_untouched =
            !now.is_being_deleted() && keys.all(|key| now.value(key) == base.value(key));
        // A late request can't change an object whose version has changed.
        if is_untouched && now.metadata().resource_version != base.metadata().resource_version {
            Effect::NotDone
        } else {
            Effect::Unknown
        }
    }
}

fn foreign(name: &str) -> Error {
    let message = format!("the cluster has a Secret `{name}` that is not a set of bot-cli");
    Error::new(Code::Foreign, message).hint(
        "choose another name; Secrets without the label `app.kubernetes.io/managed-by=bot-cli` are left alone",
    )
}

fn being_deleted(name: &str) -> Error {
    let message = format!("the Secret of `{name}` is being deleted");
    Error::new(Code::BeingDeleted, message).hint(
        "the finalizers in its `metadata` say what it waits for; `kubectl get secret` shows them",
    )
}

fn changed(name: &str, what: &str) -> Error {
    Error::new(Code::Conflict, format!("`{name}` {what} in the meantime"))
        .hint("look at it and try again")
}
