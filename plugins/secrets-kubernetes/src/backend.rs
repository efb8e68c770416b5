//! The backend: each set is a Secret in a namespace.

mod change;

use std::collections::BTreeMap;
use std::time::Duration;

use bot_cli_protocol::secret::Secret;
use bot_cli_sdk::session::Session;
use bot_cli_secrets::messages::{
    Ability, CredentialsResult, DeleteParams, Limits, NameRules, OpenParams, OpenResult,
    OrganizationInfo, PutImagePullSecretParams, PutParams, RegionInfo, Regions, SetInfo, SetKind,
    UnsetParams,
};
use bot_cli_secrets::{Backend, ChangeError, Code, Error, Key, Region, SetName, Store};
use k8s_openapi::api::core::v1::{Namespace, Secret as ApiSecret};
use kube::core::{ObjectList, PartialObjectMeta};
use serde::de::DeserializeOwned;

use crate::cluster::{Cluster, PATIENCE, Request, not_the_api};
use crate::kubeconfig;
use crate::naming;
use crate::object::{
    self, DOCKER_CONFIG, DOCKER_CONFIG_KEY, MAX_SECRET_SIZE, OPAQUE, Object, credentials,
    docker_config,
};
use change::Change;

/// The secrets backend for one namespace of a cluster.
pub struct Kubernetes {
    cluster: Cluster,
    opened: OpenResult,
}

enum SetLookup {
    Nothing,
    Ours(Box<Object>),
    /// A Secret that is not a `bot-cli` secret set.
    Foreign,
}

impl Backend for Kubernetes {
    type Store = Self;

    fn open(scope: OpenParams, session: &Session) -> Result<Self, Error> {
        Self::open_with(PATIENCE, &scope, session)
    }
}

impl Store for Kubernetes {
    fn opened(&self) -> &OpenResult {
        &self.opened
    }

    fn list(&self, region: Option<&Region>, session: &Session) -> Result<Vec<SetInfo>, Error> {
        self.check_region(region)?;
        let mut sets = self.sets_of_type(OPAQUE, session)?;
        sets.append(&mut self.sets_of_type(DOCKER_CONFIG, session)?);
        if sets.is_empty() {
            self.check_namespace(session)?;
        }
        Ok(sets)
    }

    fn get(&self, name: &SetName, session: &Session) -> Result<Option<SetInfo>, Error> {
        let SetLookup::Ours(object) = self.find(name.as_str(), session)? else {
            return Ok(None);
        };
        let (status, error) = object::status(object.metadata());
        Ok(Some(SetInfo {
            name: name.to_string(),
            kind: object.kind(),
            region: self.cluster.region.clone(),
            status,
            error,
            keys: Some(object.keys()),
        }))
    }

    fn values(
        &self,
        name: &SetName,
        session: &Session,
    ) -> Result<Option<BTreeMap<String, Secret>>, Error> {
        let SetLookup::Ours(object) = self.find(name.as_str(), session)? else {
            return Ok(None);
        };
        let is_secret = object.kind() == SetKind::Secret;
        is_secret.then(|| object.values()).transpose()
    }

    fn credentials(&self, name: &SetName, session: &Session) -> Result<CredentialsResult, Error> {
        if let SetLookup::Ours(object) = self.find(name.as_str(), session)?
            && object.kind() == SetKind::ImagePullSecret
        {
            let message = format!("`{name}` does not have the credentials of exactly one registry");
            let found = credentials(&object).ok_or_else(|| Error::new(Code::Refused, message));
            return found.map(|(host, credentials)| CredentialsResult { host, credentials });
        }
        let message = format!("no image pull secret is named `{name}`");
        Err(Error::new(Code::NotFound, message))
    }

    fn organizations(&self, session: &Session) -> Result<Vec<OrganizationInfo>, Error> {
        let listed = self.listed::<Namespace>(&Request::namespaces()?, session)?;
        let alive = listed.filter(|namespace| namespace.metadata.deletion_timestamp.is_none());
        let organization = |name| OrganizationInfo { name, label: None };
        let names = alive.filter_map(|namespace| namespace.metadata.name);
        Ok(names.map(organization).collect())
    }

    fn put(&self, put: &PutParams, session: &Session) -> Result<(), ChangeError> {
        self.check_region(put.region.as_ref())
            .map_err(Error::not_done)?;
        let wanted = put.entries.iter();
        let wanted = wanted.map(|entry| (entry.key.to_string(), Some(entry.value.clone())));
        let change = Change {
            name: put.name.as_str(),
            type_: Some(OPAQUE),
            wanted: wanted.collect(),
            prior: Some(&put.prior),
        };
        self.carry_out(&change, session).map(drop)
    }

    fn put_image_pull_secret(
        &self,
        put: &PutImagePullSecretParams,
        session: &Session,
    ) -> Result<(), ChangeError> {
        self.check_region(put.region.as_ref())
            .map_err(Error::not_done)?;
        let config = docker_config(&put.host, &put.credentials);
        let change = Change {
            name: put.name.as_str(),
            type_: Some(DOCKER_CONFIG),
            wanted: vec![(DOCKER_CONFIG_KEY.to_owned(), Some(config))],
            prior: Some(&put.prior),
        };
        self.carry_out(&change, session).map(drop)
    }

    fn unset(&self, unset: &UnsetParams, session: &Session) -> Result<Vec<Key>, ChangeError> {
        let keys = unset.keys.iter().map(ToString::to_string);
        let change = Change {
            name: unset.name.as_str(),
            type_: Some(OPAQUE),
            wanted: keys.map(|key| (key, None)).collect(),
            prior: unset.prior.as_ref(),
        };
        let found = self.carry_out(&change, session)?;
        let keys = found.map(|object| object.keys()).unwrap_or_default();
        let missing = unset.keys.iter().filter(|key| !keys.contains(key.as_str()));
        Ok(missing.cloned().collect())
    }

    fn delete(&self, delete: &DeleteParams, session: &Session) -> Result<bool, ChangeError> {
        let change = Change {
            name: delete.name.as_str(),
            prior: delete.prior.as_ref(),
            ..Change::default()
        };
        Ok(self.carry_out(&change, session)?.is_some())
    }
}

impl Kubernetes {
    /// Opens a scope, with `patience` as the time limit for responses. Tests pass a shorter limit.
    pub fn open_with(
        patience: Duration,
        scope: &OpenParams,
        session: &Session,
    ) -> Result<Self, Error> {
        let cluster = kubeconfig::find(patience, scope, session)?;
        let region = |code: &String| RegionInfo {
            code: code.clone(),
            name: code.clone(),
        };
        let opened = OpenResult {
            organization: Some(cluster.namespace.clone()),
            place: format!("namespace {} of {}", cluster.namespace, cluster.shown),
            regions: cluster.region.as_ref().map(|code| Regions {
                all: vec![region(code)],
                default: Some(code.clone()),
            }),
            names: NameRules {
                capitals: false,
                ..NameRules::default()
            },
            limits: Limits {
                value_bytes: Some(MAX_SECRET_SIZE as u64),
                ..Limits::default()
            },
            can: vec![
                Ability::Values,
                Ability::ImagePullSecrets,
                Ability::Organizations,
            ],
        };
        Ok(Self { cluster, opened })
    }

    /// Fails if `region` is given and differs from the scope's region.
    fn check_region(&self, region: Option<&Region>) -> Result<(), Error> {
        match region {
            Some(region) if self.cluster.region.as_deref() != Some(region.as_str()) => Err(
                Error::new(Code::NotFound, format!("there is no region `{region}`")),
            ),
            Some(_) | None => Ok(()),
        }
    }

    /// Fails if the namespace doesn't exist. A list request can't detect a missing namespace, because the API returns an empty list.
    fn check_namespace(&self, session: &Session) -> Result<(), Error> {
        let request = Request::namespace(&self.cluster.namespace)?;
        match self.cluster.send(&request, session) {
            Err(failed) if failed.cause.code == Code::NoPlace => Err(failed.cause),
            // Few accounts may read namespaces, and the listing succeeded anyway.
            Ok(_) | Err(_) => Ok(()),
        }
    }

    fn find(&self, name: &str, session: &Session) -> Result<SetLookup, Error> {
        if !naming::is_label(name) {
            return Ok(SetLookup::Nothing);
        }
        Ok(match self.cluster.look(name, session)? {
            Some(object) if object.is_ours() => SetLookup::Ours(Box::new(object)),
            Some(_) => SetLookup::Foreign,
            None => SetLookup::Nothing,
        })
    }

    fn sets_of_type(&self, type_: &str, session: &Session) -> Result<Vec<SetInfo>, Error> {
        let request = Request::list(&self.cluster.namespace, type_)?;
        let set = |object: PartialObjectMeta<ApiSecret>| {
            let (status, error) = object::status(&object.metadata);
            Some(SetInfo {
                name: object::set_name(&object.metadata)?,
                kind: object::kind(type_),
                region: self.cluster.region.clone(),
                status,
                error,
                keys: None,
            })
        };
        let listed = self.listed::<ApiSecret>(&request, session)?;
        Ok(listed.filter_map(set).collect())
    }

    /// Sends a list request and returns the metadata of the listed objects.
    fn listed<T: Clone>(
        &self,
        request: &Request,
        session: &Session,
    ) -> Result<impl Iterator<Item = PartialObjectMeta<T>> + use<T>, Error>
    where
        PartialObjectMeta<T>: DeserializeOwned,
    {
        let answer = self.cluster.send(request, session);
        let answer = answer.map_err(|failed| failed.cause)?;
        let list: Option<ObjectList<PartialObjectMeta<T>>> = answer.decode();
        let list = list.filter(|list| list.types.kind.ends_with("List"));
        Ok(list.ok_or_else(not_the_api)?.items.into_iter())
    }
}
