mod change;

use std::collections::BTreeMap;
use std::time::Duration;

use bot_cli_protocol::secret::Secret;
use bot_cli_sdk::session::Session;
use bot_cli_secrets::messages::{
    Ability, CredentialsResult, DeleteParams, Limits, NameRules, OpenParams, OpenResult,
    Organization, PutImagePullSecretParams, PutParams, Region, Regions, SetDetails, SetKind,
    SetSummary, UnsetParams,
};
use bot_cli_secrets::{Backend, ChangeError, Code, Error};
use k8s_openapi::api::core::v1::{Namespace, Secret as ApiSecret};
use kube::core::{ObjectList, PartialObjectMeta};
use serde::de::DeserializeOwned;

use crate::cluster::{Cluster, PATIENCE, Request, not_the_api};
use crate::kubeconfig::{self, one_line};
use crate::naming;
use crate::object::{
    self, DOCKER_CONFIG, DOCKER_CONFIG_KEY, MAX_SECRET_SIZE, OPAQUE, Object, credentials,
    docker_config,
};
use change::Change;

/// The secrets backend for one namespace of a cluster.
pub struct Kubernetes {
    cluster: Cluster,
}

enum SetLookup {
    Nothing,
    Ours(Box<Object>),
    /// A Secret that is not a `bot-cli` secret set.
    Foreign,
}

impl Backend for Kubernetes {
    fn open(scope: OpenParams, session: &Session) -> Result<(Self, OpenResult), Error> {
        Self::open_with(PATIENCE, &scope, session)
    }

    fn list(&mut self, region: Option<&str>, session: &Session) -> Result<Vec<SetSummary>, Error> {
        self.check_region(region)?;
        let mut sets = self.sets_of_type(OPAQUE, session)?;
        sets.append(&mut self.sets_of_type(DOCKER_CONFIG, session)?);
        if sets.is_empty() {
            self.check_namespace(session)?;
        }
        Ok(sets)
    }

    fn get(&mut self, name: &str, session: &Session) -> Result<Option<SetDetails>, Error> {
        let SetLookup::Ours(object) = self.find(name, session)? else {
            return Ok(None);
        };
        let (status, error) = object::status(object.metadata());
        Ok(Some(SetDetails {
            name: name.to_owned(),
            kind: object.kind(),
            region: self.cluster.region.clone(),
            status,
            error,
            keys: object.keys().into_iter().collect(),
        }))
    }

    fn values(
        &mut self,
        name: &str,
        session: &Session,
    ) -> Result<Option<BTreeMap<String, Secret>>, Error> {
        let SetLookup::Ours(object) = self.find(name, session)? else {
            return Ok(None);
        };
        let is_secret = object.kind() == SetKind::Secret;
        is_secret.then(|| object.values()).transpose()
    }

    fn credentials(&mut self, name: &str, session: &Session) -> Result<CredentialsResult, Error> {
        if let SetLookup::Ours(object) = self.find(name, session)?
            && object.kind() == SetKind::ImagePullSecret
        {
            let message = format!("`{name}` does not have the credentials of exactly one registry");
            let found = credentials(&object).ok_or_else(|| Error::new(Code::Refused, message));
            return found.map(|(host, credentials)| CredentialsResult { host, credentials });
        }
        let message = format!("no image pull secret is named `{name}`");
        Err(Error::new(Code::NotFound, message))
    }

    fn organizations(&mut self, session: &Session) -> Result<Vec<Organization>, Error> {
        let listed = self.listed::<Namespace>(&Request::namespaces()?, session)?;
        let alive = listed.filter(|namespace| namespace.metadata.deletion_timestamp.is_none());
        let organization = |name| Organization { name, label: None };
        let names = alive.filter_map(|namespace| namespace.metadata.name);
        Ok(names.map(organization).collect())
    }

    fn put(&mut self, put: PutParams, session: &Session) -> Result<(), ChangeError> {
        self.check_region(put.region.as_deref())
            .map_err(Error::not_done)?;
        let wanted = put.entries.into_iter();
        let change = Change {
            name: &put.name,
            type_: Some(OPAQUE),
            wanted: wanted.map(|(key, value)| (key, Some(value))).collect(),
            prior: Some(put.prior),
        };
        self.carry_out(&change, session).map(drop)
    }

    fn put_image_pull_secret(
        &mut self,
        put: PutImagePullSecretParams,
        session: &Session,
    ) -> Result<(), ChangeError> {
        self.check_region(put.region.as_deref())
            .map_err(Error::not_done)?;
        let config = docker_config(&put.host, &put.credentials);
        let change = Change {
            name: &put.name,
            type_: Some(DOCKER_CONFIG),
            wanted: vec![(DOCKER_CONFIG_KEY.to_owned(), Some(config))],
            prior: Some(put.prior),
        };
        self.carry_out(&change, session).map(drop)
    }

    fn unset(&mut self, unset: UnsetParams, session: &Session) -> Result<Vec<String>, ChangeError> {
        let keys = unset.keys.iter().cloned();
        let change = Change {
            name: &unset.name,
            type_: Some(OPAQUE),
            wanted: keys.map(|key| (key, None)).collect(),
            prior: unset.prior,
        };
        let found = self.carry_out(&change, session)?;
        let keys = found.map(|object| object.keys()).unwrap_or_default();
        let missing = unset.keys.into_iter().filter(|key| !keys.contains(key));
        Ok(missing.collect())
    }

    fn delete(&mut self, delete: DeleteParams, session: &Session) -> Result<bool, ChangeError> {
        let change = Change {
            name: &delete.name,
            prior: delete.prior,
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
    ) -> Result<(Self, OpenResult), Error> {
        let cluster = kubeconfig::find(patience, scope, session)?;
        let region = |code: &String| Region {
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
        Ok((Self { cluster }, opened))
    }

    /// Fails if `region` is given and differs from the scope's region.
    fn check_region(&self, region: Option<&str>) -> Result<(), Error> {
        match region {
            Some(region) if self.cluster.region.as_deref() != Some(region) => Err(Error::new(
                Code::NotFound,
                format!("there is no region `{}`", one_line(region)),
            )),
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

    fn sets_of_type(&self, type_: &str, session: &Session) -> Result<Vec<SetSummary>, Error> {
        let request = Request::list(&self.cluster.namespace, type_)?;
        let set = |object: PartialObjectMeta<ApiSecret>| {
            let (status, error) = object::status(&object.metadata);
            Some(SetSummary {
                name: object::set_name(&object.metadata)?,
                kind: object::kind(type_),
                region: self.cluster.region.clone(),
                status,
                error,
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
