//! The methods of a secrets backend over the clusters of a scope.

mod change;

use std::collections::{BTreeMap, BTreeSet};

use bot_cli_protocol::SettingSpec;
use bot_cli_protocol::secret::Secret;
use bot_cli_sdk::session::Session;
use bot_cli_secrets::messages::{
    Ability, CredentialsResult, DeleteParams, Limits, OpenParams, OpenResult, Organization,
    PutImagePullSecretParams, PutParams, Region, Regions, SetDetails, SetKind, SetSummary,
    UnsetParams,
};
use bot_cli_secrets::{Backend, ChangeError, Code, Error};
use k8s_openapi::api::core::v1::{Namespace, Secret as ApiSecret};
use kube::core::{ObjectList, PartialObjectMeta};
use serde::de::DeserializeOwned;

use crate::cluster::{Cluster, ONCE, Request, SEVERAL, not_the_api};
use crate::object::{
    DOCKER_CONFIG, DOCKER_CONFIG_KEY, MAX_SECRET_SIZE, OPAQUE, Object, credentials, docker_config,
};
use crate::pace::Pace;
use crate::settings::{self, one_line};
use crate::{naming, object, sites};
use change::Change;

/// The secrets of one scope.
pub struct Kubernetes {
    clusters: Vec<Cluster>,
    /// The region that the user named, or the one that a set is made in when nobody says otherwise.
    preferred: Option<String>,
}

/// The object with the name of a set.
enum SetLookup<'a> {
    /// Nothing.
    Nothing,
    /// A set, in this cluster.
    Ours(&'a Cluster, Box<Object>),
    /// A Secret that is not one of our sets.
    Foreign,
}

impl Backend for Kubernetes {
    const NAME: &'static str = "secrets-kubernetes";
    const ABOUT: &'static str = "Keep secret sets in a Kubernetes cluster";
    const ENVIRONMENT: &'static [(&'static str, &'static str)] = &[
        ("KUBECONFIG", "The kubeconfig files, as for `kubectl`"),
        (
            "HTTPS_PROXY",
            "The proxy to the cluster, where the kubeconfig names none",
        ),
        ("NO_PROXY", "Hosts that are reached without the proxy"),
    ];

    fn settings() -> Vec<SettingSpec> {
        settings::specs()
    }

    fn open(scope: OpenParams, session: &mut Session) -> Result<(Self, OpenResult), Error> {
        Self::open_at(Pace::USUAL, &scope, session)
    }

    fn list(
        &mut self,
        region: Option<&str>,
        session: &mut Session,
    ) -> Result<Vec<SetSummary>, Error> {
        let mut sets = Vec::new();
        for cluster in self.in_region(region)? {
            for type_ in [OPAQUE, DOCKER_CONFIG] {
                sets.append(&mut sets_of_type(cluster, type_, session)?);
            }
            if sets.is_empty() {
                namespace_exists(cluster, session)?;
            }
        }
        Ok(sets)
    }

    fn get(&mut self, name: &str, session: &mut Session) -> Result<Option<SetDetails>, Error> {
        let SetLookup::Ours(cluster, object) = self.find(name, session)? else {
            return Ok(None);
        };
        let (status, error) = object::status(object.metadata());
        Ok(Some(SetDetails {
            name: name.to_owned(),
            kind: object.kind(),
            region: cluster.region.clone(),
            status,
            error,
            keys: object.keys().into_iter().collect(),
        }))
    }

    fn values(
        &mut self,
        name: &str,
        session: &mut Session,
    ) -> Result<Option<BTreeMap<String, Secret>>, Error> {
        let SetLookup::Ours(_, object) = self.find(name, session)? else {
            return Ok(None);
        };
        let is_secret = object.kind() == SetKind::Secret;
        is_secret.then(|| object.values()).transpose()
    }

    fn credentials(
        &mut self,
        name: &str,
        session: &mut Session,
    ) -> Result<CredentialsResult, Error> {
        if let SetLookup::Ours(_, object) = self.find(name, session)?
            && object.kind() == SetKind::ImagePullSecret
        {
            let message = format!("`{name}` does not have the credentials of exactly one registry");
            let found = credentials(&object).ok_or_else(|| Error::new(Code::Refused, message));
            return found.map(|(host, credentials)| CredentialsResult { host, credentials });
        }
        let message = format!("no image pull secret is named `{name}`");
        Err(Error::new(Code::NotFound, message))
    }

    fn organizations(&mut self, session: &mut Session) -> Result<Vec<Organization>, Error> {
        let mut names = BTreeSet::new();
        for cluster in &self.clusters {
            let listed = listed::<Namespace>(cluster, &Request::namespaces()?, session)?;
            let alive = listed.filter(|namespace| namespace.metadata.deletion_timestamp.is_none());
            names.extend(alive.filter_map(|namespace| namespace.metadata.name));
        }
        let organization = |name| Organization { name, label: None };
        Ok(names.into_iter().map(organization).collect())
    }

    fn put(&mut self, put: PutParams, session: &mut Session) -> Result<(), ChangeError> {
        let wanted = put.entries.into_iter();
        let change = Change {
            name: &put.name,
            type_: Some(OPAQUE),
            wanted: wanted.map(|(key, value)| (key, Some(value))).collect(),
            region: put.region,
            prior: Some(put.prior),
        };
        self.carry_out(&change, session).map(drop)
    }

    fn put_image_pull_secret(
        &mut self,
        put: PutImagePullSecretParams,
        session: &mut Session,
    ) -> Result<(), ChangeError> {
        let config = docker_config(&put.host, &put.credentials);
        let change = Change {
            name: &put.name,
            type_: Some(DOCKER_CONFIG),
            wanted: vec![(DOCKER_CONFIG_KEY.to_owned(), Some(config))],
            region: put.region,
            prior: Some(put.prior),
        };
        self.carry_out(&change, session).map(drop)
    }

    fn unset(
        &mut self,
        unset: UnsetParams,
        session: &mut Session,
    ) -> Result<Vec<String>, ChangeError> {
        let keys = unset.keys.iter().cloned();
        let change = Change {
            name: &unset.name,
            type_: Some(OPAQUE),
            wanted: keys.map(|key| (key, None)).collect(),
            region: None,
            prior: unset.prior,
        };
        let found = self.carry_out(&change, session)?;
        let keys = found.map(|object| object.keys()).unwrap_or_default();
        let missing = unset.keys.into_iter().filter(|key| !keys.contains(key));
        Ok(missing.collect())
    }

    fn delete(&mut self, name: &str, session: &mut Session) -> Result<bool, ChangeError> {
        let (name, prior) = (name.to_owned(), None);
        self.delete_as_seen(DeleteParams { name, prior }, session)
    }

    fn delete_as_seen(
        &mut self,
        delete: DeleteParams,
        session: &mut Session,
    ) -> Result<bool, ChangeError> {
        let change = Change {
            name: &delete.name,
            prior: delete.prior,
            ..Change::default()
        };
        Ok(self.carry_out(&change, session)?.is_some())
    }
}

impl Kubernetes {
    /// Opens a scope for tests that are quicker than people are.
    pub fn open_at(
        pace: Pace,
        scope: &OpenParams,
        session: &mut Session,
    ) -> Result<(Self, OpenResult), Error> {
        let (clusters, preferred) = sites::find(pace, scope, session)?;
        let backend = Self {
            clusters,
            preferred,
        };
        let opened = backend.opened();
        Ok((backend, opened))
    }

    /// Returns the answer to `secrets/open`.
    fn opened(&self) -> OpenResult {
        let clusters = self.clusters.iter();
        let place =
            |cluster: &Cluster| format!("namespace {} of {}", cluster.namespace, cluster.shown);
        let places: Vec<String> = clusters.clone().map(place).collect();
        let mut namespaces: Vec<&String> = clusters.map(|cluster| &cluster.namespace).collect();
        namespaces.dedup();
        let region = |code: &String| Region {
            code: code.clone(),
            name: code.clone(),
        };
        let all: Vec<Region> = self.codes().map(region).collect();
        OpenResult {
            organization: match namespaces[..] {
                [one] => Some(one.clone()),
                _ => None,
            },
            place: places.join(", "),
            regions: (!all.is_empty()).then(|| Regions {
                all,
                default: self.preferred.clone(),
            }),
            limits: Limits {
                value_bytes: Some(MAX_SECRET_SIZE as u64),
                ..Limits::default()
            },
            can: vec![
                Ability::Values,
                Ability::ImagePullSecrets,
                Ability::Organizations,
            ],
            ..OpenResult::default()
        }
    }

    /// The codes of the regions, where there are regions.
    fn codes(&self) -> impl Iterator<Item = &String> {
        self.clusters
            .iter()
            .filter_map(|cluster| cluster.region.as_ref())
    }

    /// The clusters of a region, or all.
    fn in_region(&self, region: Option<&str>) -> Result<Vec<&Cluster>, Error> {
        let is_wanted =
            |cluster: &&Cluster| region.is_none() || cluster.region.as_deref() == region;
        let found: Vec<&Cluster> = self.clusters.iter().filter(is_wanted).collect();
        if !found.is_empty() {
            return Ok(found);
        }
        let message = format!(
            "there is no region `{}`",
            one_line(region.unwrap_or_default())
        );
        let codes = quoted(self.codes());
        Err(
            Error::new(Code::NotFound, message).hint(if codes.is_empty() {
                "the setting `contexts` makes contexts of the kubeconfig regions".to_owned()
            } else {
                format!("the regions are {codes}")
            }),
        )
    }

    /// Looks for what has the name of a set, in all regions.
    fn find(&self, name: &str, session: &mut Session) -> Result<SetLookup<'_>, Error> {
        let object_name = object_name(name)?;
        let mut ours = Vec::new();
        let mut foreign = false;
        for cluster in &self.clusters {
            match look(cluster, &object_name, SEVERAL, session)? {
                Some(object) if object.is_ours() => ours.push((cluster, object)),
                Some(_) => foreign = true,
                None => {}
            }
        }
        if ours.len() > 1 {
            let codes = quoted(
                ours.iter()
                    .filter_map(|(cluster, _)| cluster.region.as_ref()),
            );
            ours.retain(|(cluster, _)| cluster.region == self.preferred);
            if ours.is_empty() {
                let message = format!("`{name}` is in several regions: {codes}");
                return Err(Error::new(Code::Refused, message).hint(
                    "name the region, or have the setting `contexts` name one of them only",
                ));
            }
        }
        Ok(match ours.pop() {
            Some((cluster, object)) => SetLookup::Ours(cluster, Box::new(object)),
            None if foreign => SetLookup::Foreign,
            None => SetLookup::Nothing,
        })
    }
}

fn quoted<'a>(codes: impl Iterator<Item = &'a String>) -> String {
    let codes: Vec<String> = codes.map(|code| format!("`{code}`")).collect();
    codes.join(", ")
}

/// The name of the Secret that keeps a set.
fn object_name(name: &str) -> Result<String, Error> {
    naming::object_name(name).map_err(|problem| {
        let message = format!("the name `{}` {problem}", one_line(name));
        Error::new(Code::InvalidName, message)
    })
}

/// Looks at one Secret; `None` where the API says that there is none.
fn look(
    cluster: &Cluster,
    object_name: &str,
    tries: u32,
    session: &mut Session,
) -> Result<Option<Object>, Error> {
    let request = Request::get(&cluster.namespace, object_name)?;
    match cluster.send(&request, tries, session) {
        Ok(answer) => {
            let object = answer.decode::<Object>();
            let object = object.filter(|object| object.is_secret(object_name));
            object.map(Some).ok_or_else(not_the_api)
        }
        Err(failed) if failed.error.code == Code::NotFound => Ok(None),
        Err(failed) => Err(failed.error),
    }
}

fn sets_of_type(
    cluster: &Cluster,
    type_: &str,
    session: &mut Session,
) -> Result<Vec<SetSummary>, Error> {
    let request = Request::list(&cluster.namespace, type_)?;
    let set = |object: PartialObjectMeta<ApiSecret>| {
        let (status, error) = object::status(&object.metadata);
        Some(SetSummary {
            name: object::set_name(&object.metadata)?,
            kind: object::kind(type_),
            region: cluster.region.clone(),
            status,
            error,
        })
    };
    let listed = listed::<ApiSecret>(cluster, &request, session)?;
    Ok(listed.filter_map(set).collect())
}

/// The objects of a listing without what they hold.
fn listed<T: Clone>(
    cluster: &Cluster,
    request: &Request,
    session: &mut Session,
) -> Result<impl Iterator<Item = PartialObjectMeta<T>> + use<T>, Error>
where
    PartialObjectMeta<T>: DeserializeOwned,
{
    let answer = cluster.send(request, SEVERAL, session)?;
    let list: Option<ObjectList<PartialObjectMeta<T>>> = answer.decode();
    let list = list.filter(|list| list.types.kind.ends_with("List"));
    Ok(list.ok_or_else(not_the_api)?.items.into_iter())
}

/// Tells an empty namespace from one that is not there, as far as the account may know.
fn namespace_exists(cluster: &Cluster, session: &mut Session) -> Result<(), Error> {
    let request = Request::namespace(&cluster.namespace)?;
    match cluster.send(&request, ONCE, session) {
        Err(failed) if failed.error.code == Code::NoPlace => Err(failed.error),
        // Few accounts may look at namespaces, and the listing was answered.
        Ok(_) | Err(_) => Ok(()),
    }
}
