//! The backend in this process, as `bot-cli-cloud` would use it over the protocol.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use bot_cli_sdk::session::{Context, Session};
use bot_cli_secrets::messages::{OpenParams, OpenResult, Prior, SetDetails};
use bot_cli_secrets::{Backend as _, ChangeError, Effect, Error};
use bot_cli_secrets_kubernetes::{Kubernetes, Pace};
use bot_cli_terminal::cancel::Cancel;
use serde_json::{Map, Value, json};

use crate::recording_ui::RecordingUi;

/// An open backend, and all that it has said.
pub struct Backend {
    /// The answer to `secrets/open`.
    pub opened: OpenResult,
    inner: Kubernetes,
    session: Session,
    heard: Arc<Mutex<String>>,
}

/// A change that did not succeed: the code, the effect, the sentence.
pub type Unmade = (String, Effect, String);

impl Backend {
    /// Opens a scope; the error has the code and the sentence.
    pub fn open(
        kubeconfig: &Path,
        organization: Option<&str>,
        settings: &[(&str, &str)],
    ) -> Result<Self, (String, String)> {
        Self::open_with(
            Pace::USUAL,
            kubeconfig,
            organization,
            None,
            settings,
            Cancel::new(),
        )
    }

    /// The same with a region and a user who may want to stop.
    pub fn open_with(
        pace: Pace,
        kubeconfig: &Path,
        organization: Option<&str>,
        region: Option<&str>,
        settings: &[(&str, &str)],
        cancel: Cancel,
    ) -> Result<Self, (String, String)> {
        let heard = Arc::new(Mutex::new(String::new()));
        let ui = Box::new(RecordingUi(Arc::clone(&heard)));
        let mut context = Context::new("/");
        context.verbosity = 2;
        let mut session = Session::new(ui, context, Map::new(), cancel);
        let mut scope = OpenParams {
            organization: organization.map(str::to_owned),
            region: region.map(str::to_owned),
            settings: settings
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
            ..OpenParams::default()
        };
        let file = kubeconfig.display().to_string();
        scope
            .settings
            .entry("kubeconfig".to_owned())
            .or_insert(file);
        let opened = Kubernetes::open_at(pace, &scope, &mut session);
        let (inner, opened) = opened.map_err(told)?;
        Ok(Self {
            opened,
            inner,
            session,
            heard,
        })
    }

    /// All that was logged and shown.
    pub fn heard(&self) -> String {
        self.heard
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The names with their kinds, in order.
    pub fn list(&mut self) -> Result<Vec<(String, String)>, (String, String)> {
        let listed = self.inner.list(None, &mut self.session).map_err(told)?;
        let mut listed: Vec<_> = listed
            .into_iter()
            .map(|set| {
                (
                    set.name,
                    json!(set.kind).as_str().unwrap_or_default().to_owned(),
                )
            })
            .collect();
        listed.sort();
        Ok(listed)
    }

    /// Lists a region.
    pub fn list_in(&mut self, region: &str) -> Result<(), (String, String)> {
        let listed = self.inner.list(Some(region), &mut self.session);
        listed.map(drop).map_err(told)
    }

    /// One set.
    pub fn get(&mut self, name: &str) -> Result<Option<SetDetails>, (String, String)> {
        self.inner.get(name, &mut self.session).map_err(told)
    }

    /// Returns the keys, in order.
    pub fn keys(&mut self, name: &str) -> Option<Vec<String>> {
        let mut keys = self.get(name).unwrap()?.keys;
        keys.sort();
        Some(keys)
    }

    /// Returns the values.
    pub fn values(
        &mut self,
        name: &str,
    ) -> Result<Option<BTreeMap<String, String>>, (String, String)> {
        let values = self.inner.values(name, &mut self.session).map_err(told)?;
        Ok(values.map(|values| {
            let values = values.into_iter();
            values
                .map(|(key, value)| (key, value.expose().to_owned()))
                .collect()
        }))
    }

    /// Registry and credentials.
    pub fn credentials(&mut self, name: &str) -> Result<(String, String), (String, String)> {
        let got = self.inner.credentials(name, &mut self.session);
        let got = got.map_err(told)?;
        Ok((got.host, got.credentials.expose().to_owned()))
    }

    /// The organizations.
    pub fn organizations(&mut self) -> Result<Vec<String>, (String, String)> {
        let listed = self.inner.organizations(&mut self.session).map_err(told)?;
        Ok(listed.into_iter().map(|one| one.name).collect())
    }

    /// Returns what a caller that has just looked says of it.
    pub fn prior(&mut self, name: &str) -> Prior {
        match self.get(name) {
            Ok(Some(set)) => Prior::Keys(set.keys),
            Ok(None) | Err(_) => Prior::Absent,
        }
    }

    /// Puts entries after a look.
    pub fn put(&mut self, name: &str, entries: &[(&str, &str)]) -> Result<(), Unmade> {
        let prior = self.prior(name);
        self.put_onto(name, None, entries, &prior)
    }

    /// Puts entries onto what was seen.
    pub fn put_onto(
        &mut self,
        name: &str,
        region: Option<&str>,
        entries: &[(&str, &str)],
        prior: &Prior,
    ) -> Result<(), Unmade> {
        let entries: Map<String, Value> = entries
            .iter()
            .map(|(key, value)| ((*key).to_owned(), json!(value)))
            .collect();
        let params = json!({ "name": name, "region": region, "entries": entries, "prior": prior });
        let params = serde_json::from_value(params).unwrap();
        self.inner.put(params, &mut self.session).map_err(unmade)
    }

    /// Puts credentials after a look.
    pub fn pull(&mut self, name: &str, host: &str, credentials: &str) -> Result<(), Unmade> {
        let prior = self.prior(name);
        self.pull_onto(name, host, credentials, &prior)
    }

    /// Puts credentials onto what was seen.
    pub fn pull_onto(
        &mut self,
        name: &str,
        host: &str,
        credentials: &str,
        prior: &Prior,
    ) -> Result<(), Unmade> {
        let params =
            json!({ "name": name, "host": host, "credentials": credentials, "prior": prior });
        let params = serde_json::from_value(params).unwrap();
        let put = self.inner.put_image_pull_secret(params, &mut self.session);
        put.map_err(unmade)
    }

    /// Removes keys. Returns those that were not there.
    pub fn unset(&mut self, name: &str, keys: &[&str]) -> Result<Vec<String>, Unmade> {
        self.unset_from(name, keys, None)
    }

    /// Removes keys from what was seen.
    pub fn unset_from(
        &mut self,
        name: &str,
        keys: &[&str],
        prior: Option<&Prior>,
    ) -> Result<Vec<String>, Unmade> {
        let params = json!({ "name": name, "keys": keys, "prior": prior });
        let params = serde_json::from_value(params).unwrap();
        self.inner.unset(params, &mut self.session).map_err(unmade)
    }

    /// Deletes a set.
    pub fn delete(&mut self, name: &str) -> Result<bool, Unmade> {
        self.delete_seen(name, None)
    }

    /// Deletes what was seen.
    pub fn delete_seen(&mut self, name: &str, prior: Option<&Prior>) -> Result<bool, Unmade> {
        let params = serde_json::from_value(json!({ "name": name, "prior": prior })).unwrap();
        self.inner.delete(params, &mut self.session).map_err(unmade)
    }
}

/// Nothing was done, for this reason.
#[track_caller]
pub fn assert_not_done((found, effect, sentence): &Unmade, code: &str) {
    assert_eq!((&**found, effect), (code, &Effect::NotDone), "{sentence}");
}

fn told(error: Error) -> (String, String) {
    let sentence = [&[error.message][..], &error.hints].concat().join("\n");
    (error.code.name(), sentence)
}

fn unmade(error: ChangeError) -> Unmade {
    let (code, sentence) = told(error.cause);
    (code, error.effect, sentence)
}
