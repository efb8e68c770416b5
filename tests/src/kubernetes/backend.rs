//! Runs the backend in this process, as `bot-cli-cloud` would use it over the protocol.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bot_cli_sdk::session::{Context, Session};
use bot_cli_secrets::messages::{OpenParams, OpenResult, Prior, SetInfo};
use bot_cli_secrets::{ChangeError, Effect, Error, Region, SetName, Store as _};
use bot_cli_secrets_kubernetes::Kubernetes;
use bot_cli_terminal::cancel::Cancel;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::recording_ui::RecordingUi;

/// An open backend with a record of everything it displayed.
pub struct Backend {
    /// The result of `secrets/open`.
    pub opened: OpenResult,
    inner: Kubernetes,
    session: Session,
    heard: Arc<Mutex<String>>,
}

/// A failed change: the code, the effect and the message.
pub type Unmade = (String, Effect, String);

/// An error: the code and the message.
pub type Told = (String, String);

impl Backend {
    /// Opens the backend for a namespace.
    pub fn open(
        kubeconfig: &Path,
        organization: Option<&str>,
        settings: &[(&str, &str)],
    ) -> Result<Self, Told> {
        let settings: BTreeMap<&str, &str> = settings.iter().copied().collect();
        let scope = json!({ "organization": organization, "settings": settings, "secrets": "1.0" });
        Self::open_with(kubeconfig, scope, Duration::from_secs(30), Cancel::new())
    }

    /// Opens the backend with this scope, response timeout and cancellation handle.
    pub fn open_with(
        kubeconfig: &Path,
        scope: Value,
        patience: Duration,
        cancel: Cancel,
    ) -> Result<Self, Told> {
        let heard = Arc::new(Mutex::new(String::new()));
        let ui = Box::new(RecordingUi(Arc::clone(&heard)));
        let mut context = Context::new("/");
        context.verbosity = 2;
        let session = Session::new(ui, context, Map::new(), cancel);
        let mut scope: OpenParams = params(scope);
        let file = kubeconfig.display().to_string();
        scope.settings.insert("kubeconfig".to_owned(), file);
        let inner = Kubernetes::open_with(patience, &scope, &session).map_err(told)?;
        Ok(Self {
            opened: inner.opened().clone(),
            inner,
            session,
            heard,
        })
    }

    /// Returns everything that was logged or displayed.
    pub fn heard(&self) -> String {
        let heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.clone()
    }

    /// Returns the names and kinds of all sets, sorted.
    pub fn list(&mut self) -> Result<Vec<(String, String)>, Told> {
        self.list_in(None)
    }

    /// Returns the names and kinds of the sets in a region, sorted.
    pub fn list_in(&mut self, region: Option<&str>) -> Result<Vec<(String, String)>, Told> {
        let region = region.map(|code| Region::parse(code).unwrap());
        let listed = self.inner.list(region.as_ref(), &self.session);
        let listed = listed.map_err(told)?;
        let sets = listed.into_iter().map(|set| (set.name, json!(set.kind)));
        let mut listed: Vec<_> = sets
            .map(|(name, kind)| (name, kind.as_str().unwrap_or_default().to_owned()))
            .collect();
        listed.sort();
        Ok(listed)
    }

    /// Returns the details of a set.
    pub fn get(&mut self, name: &str) -> Result<Option<SetInfo>, Told> {
        self.inner.get(&named(name), &self.session).map_err(told)
    }

    /// Returns the keys in a set, sorted.
    pub fn keys(&mut self, name: &str) -> Option<Vec<String>> {
        let keys = self.get(name).unwrap()?.keys.unwrap_or_default();
        Some(keys.into_iter().collect())
    }

    /// Returns the values in a set by key.
    pub fn values(&mut self, name: &str) -> Result<Option<BTreeMap<String, String>>, Told> {
        let values = self
            .inner
            .values(&named(name), &self.session)
            .map_err(told)?;
        let exposed = |(key, value): (String, bot_cli_protocol::secret::Secret)| {
            (key, value.expose().to_owned())
        };
        Ok(values.map(|values| values.into_iter().map(exposed).collect()))
    }

    /// Returns the registry and the credentials in an image pull secret.
    pub fn credentials(&mut self, name: &str) -> Result<(String, String), Told> {
        let got = self.inner.credentials(&named(name), &self.session);
        let got = got.map_err(told)?;
        Ok((got.host, got.credentials.expose().to_owned()))
    }

    /// Returns the names of all organizations.
    pub fn organizations(&mut self) -> Result<Vec<String>, Told> {
        let listed = self.inner.organizations(&self.session).map_err(told)?;
        Ok(listed.into_iter().map(|one| one.name).collect())
    }

    /// Reads a set and returns its state as a precondition for a change.
    pub fn prior(&mut self, name: &str) -> Prior {
        match self.get(name) {
            Ok(Some(set)) => Prior::Keys(set.keys.unwrap_or_default()),
            Ok(None) | Err(_) => Prior::Absent,
        }
    }

    /// Reads a set, then puts entries into it.
    pub fn put(&mut self, name: &str, entries: &[(&str, &str)]) -> Result<(), Unmade> {
        let prior = self.prior(name);
        self.put_onto(name, None, entries, &prior)
    }

    /// Puts entries into a set whose last known state is `prior`.
    pub fn put_onto(
        &mut self,
        name: &str,
        region: Option<&str>,
        entries: &[(&str, &str)],
        prior: &Prior,
    ) -> Result<(), Unmade> {
        let entries: BTreeMap<&str, &str> = entries.iter().copied().collect();
        let put = json!({ "name": name, "region": region, "entries": entries, "prior": prior });
        let put = self.inner.put(&params(put), &self.session);
        put.map_err(unmade)
    }

    /// Reads an image pull secret, then replaces it.
    pub fn pull(&mut self, name: &str, host: &str, credentials: &str) -> Result<(), Unmade> {
        let prior = self.prior(name);
        self.pull_onto(name, host, credentials, &prior)
    }

    /// Replaces an image pull secret whose last known state is `prior`.
    pub fn pull_onto(
        &mut self,
        name: &str,
        host: &str,
        credentials: &str,
        prior: &Prior,
    ) -> Result<(), Unmade> {
        let put = json!({ "name": name, "host": host, "credentials": credentials, "prior": prior });
        let put = self
            .inner
            .put_image_pull_secret(&params(put), &self.session);
        put.map_err(unmade)
    }

    /// Removes keys from a set. If `prior` is given, the set must still be in that state. Returns the keys that did not exist.
    pub fn unset(
        &mut self,
        name: &str,
        keys: &[&str],
        prior: Option<&Prior>,
    ) -> Result<Vec<String>, Unmade> {
        let unset = params(json!({ "name": name, "keys": keys, "prior": prior }));
        let missing = self.inner.unset(&unset, &self.session).map_err(unmade)?;
        Ok(missing.iter().map(ToString::to_string).collect())
    }

    /// Deletes a set. If `prior` is given, the set must still be in that state. Returns whether the set existed.
    pub fn delete(&mut self, name: &str, prior: Option<&Prior>) -> Result<bool, Unmade> {
        let delete = params(json!({ "name": name, "prior": prior }));
        self.inner.delete(&delete, &self.session).map_err(unmade)
    }
}

fn named(name: &str) -> SetName {
    SetName::parse_existing(name).unwrap()
}

fn params<T: DeserializeOwned>(params: Value) -> T {
    serde_json::from_value(params).unwrap()
}

/// Asserts that a change failed with this code and had no effect.
#[track_caller]
pub fn assert_not_done((found, effect, sentence): &Unmade, code: &str) {
    assert_eq!((&**found, effect), (code, &Effect::NotDone), "{sentence}");
}

fn told(error: Error) -> Told {
    let sentence = [&[error.message][..], &error.hints].concat().join("\n");
    (error.code.name(), sentence)
}

fn unmade(error: ChangeError) -> Unmade {
    let (code, sentence) = told(error.cause);
    (code, error.effect, sentence)
}
