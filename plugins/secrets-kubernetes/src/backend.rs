//! The methods of a secrets backend over the clusters of a scope.

mod change;
mod put;

use std::collections::BTreeMap;
use std::rc::Rc;

use bot_cli_protocol::SettingSpec;
use bot_cli_protocol::secret::Secret;
use bot_cli_sdk::session::Session;
use bot_cli_secrets::messages::{
    Ability, CredentialsResult, Limits, OpenParams, OpenResult, Organization,
    PutImagePullSecretParams, PutParams, Region, Regions, SetDetails, SetKind, SetSummary,
    UnsetParams,
};
use bot_cli_secrets::{Backend, ChangeError, Code, Error};

use crate::cluster::{Cluster, Request, Said, Tries, not_the_api};
use crate::naming;
use crate::object::{
    DOCKER_CONFIG, MAX_SECRET_SIZE, Metadata, MetadataList, OPAQUE, Object, credentials, kind,
};
use crate::pace::Pace;
use crate::settings;
use crate::sites::Sites;
use crate::words;

/// The secrets of one scope.
pub struct Kubernetes {
    sites: Sites,
}

/// The object with the name of a set.
enum SetLookup {
    /// Nothing.
    Nothing,
    /// A set, in this cluster.
    Ours(RegionalCluster, Box<Object>),
    /// A Secret that is not one of our sets.
    Foreign,
}

/// A cluster, and the code of its region where there are regions.
#[derive(Clone)]
struct RegionalCluster {
    cluster: Rc<Cluster>,
    region: Option<String>,
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
        for place in self.places(region, session)? {
            for type_ in [OPAQUE, DOCKER_CONFIG] {
                list_type(&place, type_, &mut sets, session)?;
            }
            if sets.is_empty() {
                namespace_exists(&place.cluster, session)?;
            }
        }
        Ok(sets)
    }

    fn get(&mut self, name: &str, session: &mut Session) -> Result<Option<SetDetails>, Error> {
        Ok(match self.find(name, session)? {
            SetLookup::Ours(place, object) => Some(details(name, &place, &object)),
            SetLookup::Nothing | SetLookup::Foreign => None,
        })
    }

    fn values(
        &mut self,
        name: &str,
        session: &mut Session,
    ) -> Result<Option<BTreeMap<String, Secret>>, Error> {
        match self.find(name, session)? {
            SetLookup::Ours(_, object) if object.kind() == SetKind::Secret => {
                object.values().map(Some)
            }
            SetLookup::Ours(..) | SetLookup::Nothing | SetLookup::Foreign => Ok(None),
        }
    }

    fn credentials(
        &mut self,
        name: &str,
        session: &mut Session,
    ) -> Result<CredentialsResult, Error> {
        match self.find(name, session)? {
            SetLookup::Ours(_, object) if object.kind() == SetKind::ImagePullSecret => {
                let (host, credentials) = credentials(&object).ok_or_else(|| {
                    Error::new(
                        Code::Refused,
                        format!("`{name}` does not have the credentials of exactly one registry"),
                    )
                })?;
                Ok(CredentialsResult { host, credentials })
            }
            SetLookup::Ours(..) | SetLookup::Nothing | SetLookup::Foreign => Err(Error::new(
                Code::NotFound,
                format!("no image pull secret is named `{name}`"),
            )),
        }
    }

    fn organizations(&mut self, session: &mut Session) -> Result<Vec<Organization>, Error> {
        let mut names: Vec<String> = Vec::new();
        for place in self.places(None, session)? {
            names.append(&mut namespaces(&place.cluster, session)?);
        }
        names.sort();
        names.dedup();
        let organization = |name| Organization {
            name,
            ..Organization::default()
        };
        Ok(names.into_iter().map(organization).collect())
    }

    fn put(&mut self, put: PutParams, session: &mut Session) -> Result<(), ChangeError> {
        self.put_entries(&put, session)
    }

    fn put_image_pull_secret(
        &mut self,
        put: PutImagePullSecretParams,
        session: &mut Session,
    ) -> Result<(), ChangeError> {
        self.put_credentials(&put, session)
    }

    fn unset(
        &mut self,
        unset: UnsetParams,
        session: &mut Session,
    ) -> Result<Vec<String>, ChangeError> {
        self.remove_keys(&unset, session)
    }

    fn delete(&mut self, name: &str, session: &mut Session) -> Result<bool, ChangeError> {
        self.remove_set(name, session)
    }
}

impl Kubernetes {
    /// Opens a scope for tests that are quicker than people are.
    pub fn open_at(
        pace: Pace,
        scope: &OpenParams,
        session: &mut Session,
    ) -> Result<(Self, OpenResult), Error> {
        let sites = Sites::find(pace, scope, session)?;
        let opened = opened(&sites);
        Ok((Self { sites }, opened))
    }

    /// The clusters of a region, or all.
    fn places(
        &mut self,
        region: Option<&str>,
        session: &mut Session,
    ) -> Result<Vec<RegionalCluster>, Error> {
        let positions = self.sites.in_region(region);
        if positions.is_empty() {
            return Err(self.no_region(region.unwrap_or_default()));
        }
        let mut places = Vec::new();
        for position in positions {
            let cluster = self.sites.cluster(position, session)?;
            let region = self.sites.all()[position].region.clone();
            places.push(RegionalCluster { cluster, region });
        }
        Ok(places)
    }

    fn no_region(&self, region: &str) -> Error {
        let codes = self
            .sites
            .all()
            .iter()
            .filter_map(|site| site.region.as_ref());
        let codes: Vec<String> = codes.map(|code| format!("`{code}`")).collect();
        let message = format!("there is no region `{}`", words::one_line(region));
        let error = Error::new(Code::NotFound, message);
        if codes.is_empty() {
            error.hint("the setting `contexts` makes contexts of the kubeconfig regions")
        } else {
            error.hint(format!("the regions are {}", codes.join(", ")))
        }
    }

    /// Looks for what has the name of a set, in all regions.
    fn find(&mut self, name: &str, session: &mut Session) -> Result<SetLookup, Error> {
        let object_name = object_name(name)?;
        let mut ours: Vec<(RegionalCluster, Box<Object>)> = Vec::new();
        let mut foreign = false;
        for place in self.places(None, session)? {
            match look(&place.cluster, &object_name, Tries::Several, session)? {
                Some(object) if object.is_ours() => ours.push((place, Box::new(object))),
                Some(_) => foreign = true,
                None => {}
            }
        }
        if ours.len() > 1 {
            let preferred = self.sites.preferred.clone();
            let is_preferred =
                |(place, _): &(RegionalCluster, Box<Object>)| place.region == preferred;
            let Some(position) = ours.iter().position(is_preferred) else {
                return Err(several(name, &ours));
            };
            ours.swap(0, position);
        }
        Ok(match ours.into_iter().next() {
            Some((place, object)) => SetLookup::Ours(place, object),
            None if foreign => SetLookup::Foreign,
            None => SetLookup::Nothing,
        })
    }
}

/// Returns the answer to `secrets/open`.
fn opened(sites: &Sites) -> OpenResult {
    let mut opened = OpenResult::default();
    let mut namespaces: Vec<&str> = sites
        .all()
        .iter()
        .map(|site| site.namespace.as_str())
        .collect();
    namespaces.dedup();
    if let [one] = namespaces[..] {
        opened.organization = Some(one.to_owned());
    }
    let places: Vec<String> = sites
        .all()
        .iter()
        .map(|site| format!("namespace {} of {}", site.namespace, site.place))
        .collect();
    opened.place = places.join(", ");
    let codes: Vec<&String> = sites
        .all()
        .iter()
        .filter_map(|site| site.region.as_ref())
        .collect();
    if !codes.is_empty() {
        opened.regions = Some(Regions {
            all: codes
                .into_iter()
                .map(|code| Region {
                    code: code.clone(),
                    name: code.clone(),
                })
                .collect(),
            default: sites.preferred.clone(),
        });
    }
    opened.limits = Limits {
        value_bytes: u64::try_from(MAX_SECRET_SIZE).ok(),
        ..Limits::default()
    };
    opened.can = vec![
        Ability::Values,
        Ability::ImagePullSecrets,
        Ability::Organizations,
    ];
    opened
}

fn several(name: &str, ours: &[(RegionalCluster, Box<Object>)]) -> Error {
    let codes: Vec<String> = ours
        .iter()
        .filter_map(|(place, _)| place.region.as_ref())
        .map(|code| format!("`{code}`"))
        .collect();
    Error::new(
        Code::Refused,
        format!("`{name}` is in several regions: {}", codes.join(", ")),
    )
    .hint("name the region, or have the setting `contexts` name one of them only")
}

/// The name of the Secret that keeps a set.
fn object_name(name: &str) -> Result<String, Error> {
    naming::object_name(name).map_err(|problem| {
        let message = format!("the name `{}` {problem}", words::one_line(name));
        Error::new(Code::InvalidName, message)
    })
}

/// Looks at one Secret; `None` where the API says that there is none.
fn look(
    cluster: &Cluster,
    object_name: &str,
    tries: Tries,
    session: &mut Session,
) -> Result<Option<Object>, Error> {
    let request = written(Request::get(cluster.namespace(), object_name))?;
    match cluster.send(&request, tries, session) {
        Ok(answer) => {
            let object = answer.decode::<Object>();
            let object = object.filter(|object| object.is_secret(object_name));
            object.map(Some).ok_or_else(not_the_api)
        }
        Err(failed) if failed.said == Said::NotFound => Ok(None),
        Err(failed) => Err(failed.error),
    }
}

/// A request that could be written.
fn written(request: Option<Request>) -> Result<Request, Error> {
    request.ok_or_else(|| Error::new(Code::Internal, "the request could not be written"))
}

fn list_type(
    place: &RegionalCluster,
    type_: &str,
    sets: &mut Vec<SetSummary>,
    session: &mut Session,
) -> Result<(), Error> {
    for metadata in pages(&place.cluster, session, |continue_| {
        Request::list(place.cluster.namespace(), type_, continue_)
    })? {
        if let Some(name) = naming::set_name(&metadata.name)
            && metadata.is_ours()
        {
            let (status, error) = metadata.status();
            sets.push(SetSummary {
                name,
                kind: kind(type_),
                region: place.region.clone(),
                status,
                error,
            });
        }
    }
    Ok(())
}

fn namespaces(cluster: &Cluster, session: &mut Session) -> Result<Vec<String>, Error> {
    let all = pages(cluster, session, Request::namespaces)?;
    let alive = all
        .into_iter()
        .filter(|metadata| metadata.deletion_timestamp.is_none());
    Ok(alive.map(|metadata| metadata.name).collect())
}

/// All pages of a listing. One whose rest the cluster has forgotten is read anew.
fn pages(
    cluster: &Cluster,
    session: &mut Session,
    request: impl Fn(Option<&str>) -> Option<Request>,
) -> Result<Vec<Metadata>, Error> {
    let mut all: Vec<Metadata> = Vec::new();
    let mut continue_: Option<String> = None;
    let mut anew = 0;
    loop {
        let page = cluster.send(
            &written(request(continue_.as_deref()))?,
            Tries::Several,
            session,
        );
        let page = match page {
            Err(failed) if failed.said == Said::Gone && continue_.is_some() && anew < 3 => {
                anew += 1;
                all.clear();
                continue_ = None;
                continue;
            }
            page => page.map_err(|failed| failed.error)?,
        };
        let page: Option<MetadataList> = page.decode();
        let page = page.filter(|page| page.kind.ends_with("List"));
        let page = page.ok_or_else(not_the_api)?;
        let items = page.items.into_iter().flatten();
        all.extend(items.map(|item| item.metadata));
        continue_ = page.metadata.continue_.filter(|token| !token.is_empty());
        if continue_.is_none() {
            return Ok(all);
        }
    }
}

/// Tells an empty namespace from one that is not there, as far as the account may know.
fn namespace_exists(cluster: &Cluster, session: &mut Session) -> Result<(), Error> {
    let request = written(Request::namespace(cluster.namespace()))?;
    match cluster.send(&request, Tries::One, session) {
        Err(failed) if failed.said == Said::NoNamespace => {
            Err(words::no_namespace(cluster.namespace()))
        }
        // Few accounts may look at namespaces, and the listing was answered.
        Ok(_) | Err(_) => Ok(()),
    }
}

fn details(name: &str, place: &RegionalCluster, object: &Object) -> SetDetails {
    let (status, error) = object.metadata.status();
    let mut details = SetDetails::default();
    name.clone_into(&mut details.name);
    details.kind = object.kind();
    details.region.clone_from(&place.region);
    details.status = status;
    details.error = error;
    details.keys = object.keys();
    details
}
