//! A backend with its own executable, accessed through the protocol specified in `sdk/secrets/BACKENDS.md`.
//!
//! Once a value has been sent or received, messages never quote the backend's output.

use std::cell::RefCell;
use std::collections::BTreeMap;

use bot_cli_protocol::secret::Secret;
use bot_cli_sdk::session::Session;
use bot_cli_secrets::client::Client;
use bot_cli_secrets::messages::{
    CredentialsResult, DeleteParams, DeleteResult, GetResult, ListParams, ListResult, NameParams,
    OpenResult, OrganizationInfo, OrganizationsResult, PutImagePullSecretParams, PutParams,
    PutResult, SetInfo, UnsetParams, UnsetResult, ValuesResult, methods,
};
use bot_cli_secrets::{ChangeError, Error, Store};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::domain::{BackendName, Key, Region, SetKind, SetName};
use crate::words::external::told;

pub struct External {
    name: BackendName,
    opened: OpenResult,
    client: RefCell<Client>,
}

impl External {
    /// Wraps a client that has already opened the backend.
    pub fn new(name: BackendName, client: Client) -> Self {
        Self {
            opened: client.opened().clone(),
            client: RefCell::new(client),
            name,
        }
    }

    fn ask<T: DeserializeOwned>(&self, method: &str, params: &impl Serialize) -> Result<T, Error> {
        let answer = self.client.borrow_mut().ask(method, params);
        answer.map_err(|error| self.failed(error))
    }

    fn change<T: DeserializeOwned>(
        &self,
        method: &str,
        params: &impl Serialize,
        keys: &[String],
    ) -> Result<T, ChangeError> {
        let done = self.client.borrow_mut().change(method, params, keys);
        done.map_err(|ChangeError { cause, effect }| self.failed(cause).with_effect(effect))
    }

    fn failed(&self, mut error: Error) -> Error {
        error.key = None;
        told(&self.name, error)
    }
}

impl Store for External {
    fn opened(&self) -> &OpenResult {
        &self.opened
    }

    fn list(&self, region: Option<&Region>, _: &Session) -> Result<Vec<SetInfo>, Error> {
        let region = region.cloned();
        let params = ListParams { region };
        let ListResult { mut sets } = self.ask(methods::LIST, &params)?;
        let region = params.region.as_ref().map(Region::as_str);
        sets.retain(|set| region.is_none() || set.region.as_deref() == region);
        for set in &mut sets {
            set.error = self.client.borrow().shown(set.error.take());
            set.keys = None;
        }
        Ok(sets)
    }

    fn get(&self, name: &SetName, _: &Session) -> Result<Option<SetInfo>, Error> {
        let GetResult { mut set } = self.ask(methods::GET, &named(name))?;
        let mut client = self.client.borrow_mut();
        if let Some(set) = &mut set {
            if set.name != name.as_str() {
                let wrong = client.wrong(methods::GET, "`result.set.name` is another name");
                return Err(told(&self.name, wrong));
            }
            set.error = client.shown(set.error.take());
            set.keys.get_or_insert_default();
            set.keys.take_if(|_| set.kind != SetKind::Secret);
        }
        Ok(set)
    }

    fn values(
        &self,
        name: &SetName,
        session: &Session,
    ) -> Result<Option<BTreeMap<String, Secret>>, Error> {
        let answer = self.client.borrow_mut().ask(methods::VALUES, &named(name));
        let ValuesResult { values } = answer.map_err(|mut error| {
            // A response about values may repeat a value, so only a key that `get` lists is shown.
            if error.key.is_some() {
                let set = self.get(name, session).ok().flatten();
                let keys = set.and_then(|set| set.keys).unwrap_or_default();
                error.key = error.key.filter(|key| keys.contains(&**key));
            }
            told(&self.name, error)
        })?;
        Ok(values)
    }

    fn credentials(&self, name: &SetName, _: &Session) -> Result<CredentialsResult, Error> {
        self.ask(methods::CREDENTIALS, &named(name))
    }

    fn organizations(&self, _: &Session) -> Result<Vec<OrganizationInfo>, Error> {
        let none = serde_json::Map::new();
        let all: OrganizationsResult = self.ask(methods::ORGANIZATIONS, &none)?;
        let mut all = all.organizations;
        for one in &mut all {
            one.label = self.client.borrow().shown(one.label.take());
        }
        Ok(all)
    }

    fn put(&self, put: &PutParams, _: &Session) -> Result<(), ChangeError> {
        let keys = put.entries.iter().map(|entry| entry.key.to_string());
        let PutResult {} = self.change(methods::PUT, put, &keys.collect::<Vec<_>>())?;
        Ok(())
    }

    fn put_image_pull_secret(
        &self,
        put: &PutImagePullSecretParams,
        _: &Session,
    ) -> Result<(), ChangeError> {
        let PutResult {} = self.change(methods::PUT_IMAGE_PULL_SECRET, put, &[])?;
        Ok(())
    }

    fn unset(&self, unset: &UnsetParams, _: &Session) -> Result<Vec<Key>, ChangeError> {
        let keys: Vec<String> = unset.keys.iter().map(ToString::to_string).collect();
        let UnsetResult { missing } = self.change(methods::UNSET, unset, &keys)?;
        let is_missing = |key: &&Key| missing.iter().any(|name| name == key.as_str());
        Ok(unset.keys.iter().filter(is_missing).cloned().collect())
    }

    fn delete(&self, delete: &DeleteParams, _: &Session) -> Result<bool, ChangeError> {
        let DeleteResult { deleted } = self.change(methods::DELETE, delete, &[])?;
        Ok(deleted)
    }
}

fn named(name: &SetName) -> NameParams {
    NameParams { name: name.clone() }
}
