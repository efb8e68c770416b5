//! The state of the stand-in.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use serde_json::{Value, json};

use super::faults::Injection;
use super::issuer::Issuer;
use super::{ORGANIZATION, OTHER_ORGANIZATION, PERSONAL_TOKEN, PRIVATE_KEY, USER_TOKEN};

/// Everything the service knows, and how it behaves.
#[derive(Debug)]
pub struct World {
    /// The first is the default.
    pub organizations: Vec<Organization>,
    /// The access of each token.
    pub tokens: BTreeMap<String, Access>,
    /// The provisioning of sets that are written from now on.
    pub provisioning: Provisioning,
    /// The paths on which a whole set in one request is understood.
    pub list_form: ListForm,
    /// Before every answer.
    pub latency: Duration,
    /// Deletions answer 204 with nothing instead of 200 with `OK`.
    pub deletes_say_nothing: bool,
    /// An organization without sets answers 404 to a listing.
    pub empty_list_is_missing: bool,
    /// Signing in.
    pub issuer: Issuer,
    pub(super) injections: Vec<Injection>,
    /// The faults of the next requests, one after the other, whatever they are.
    pub(super) script: VecDeque<Option<Injection>>,
    /// The number of requests that are being carried out, also for clients that have gone.
    pub(super) working: u32,
    /// The number of connections that are open.
    pub(super) open: u32,
    /// The requests so far.
    pub sent: Vec<Sent>,
    /// Sets that a request is changing: `organization/set`.
    pub(super) busy: BTreeSet<String>,
}

/// The access of a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Access {
    /// A user's: the organization paths of these organizations.
    User(Vec<String>),
    /// A private API key's: the published paths, for this organization.
    Key(String),
}

/// The state of a set after it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Provisioning {
    /// The number of readers that are told `pending` before it is over.
    pub pending_reads: u32,
    /// The way it ends.
    pub outcome: Outcome,
}

/// The way provisioning ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It can be used.
    Ready,
    /// It can't be used; the reason goes along.
    Failed(&'static str),
}

/// The paths on which `PUT` understands a whole set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListForm {
    /// On the published paths, as documented.
    Published,
    /// On both families of paths.
    Everywhere,
    /// Nowhere: one key a request.
    Nowhere,
}

/// An organization.
#[derive(Debug)]
pub struct Organization {
    pub(super) name: String,
    pub(super) verbose_name: String,
    /// Codes with their names; the first is the default.
    pub(super) regions: Vec<(&'static str, &'static str)>,
    pub(super) sets: BTreeMap<String, Set>,
}

#[derive(Debug)]
pub(super) struct Set {
    pub(super) region: String,
    pub(super) content: Content,
    pub(super) pending_reads: u32,
    pub(super) outcome: Outcome,
}

#[derive(Debug)]
pub(super) enum Content {
    Keys(BTreeMap<String, String>),
    ImagePull {
        host: String,
        credentials: String,
    },
    /// In the customer's own cluster.
    Referenced,
}

/// A request as it came.
#[derive(Debug, Clone)]
pub struct Sent {
    /// `GET`, `PUT` or `DELETE`.
    pub method: String,
    /// Path and query, not decoded.
    pub target: String,
    /// Names in lower case.
    pub headers: BTreeMap<String, String>,
    /// As text.
    pub body: String,
}

impl Sent {
    pub(super) fn line(&self) -> String {
        format!("{} {}", self.method, self.target)
    }
}

impl World {
    pub(super) fn new(url: &str) -> Self {
        let organization = |name: &str, verbose_name: &str, regions: &[_]| Organization {
            name: name.to_owned(),
            verbose_name: verbose_name.to_owned(),
            regions: regions.to_vec(),
            sets: BTreeMap::new(),
        };
        let user = Access::User(vec![ORGANIZATION.to_owned(), OTHER_ORGANIZATION.to_owned()]);
        Self {
            organizations: vec![
                organization(
                    ORGANIZATION,
                    "First Organization",
                    &[
                        ("us-west", "US West"),
                        ("us-east", "US East"),
                        ("eu-central", "Europe"),
                    ],
                ),
                organization(
                    OTHER_ORGANIZATION,
                    "Second Organization",
                    &[("ap-south", "Asia Pacific"), ("us-west", "US West")],
                ),
            ],
            tokens: BTreeMap::from([
                (USER_TOKEN.to_owned(), user.clone()),
                (PERSONAL_TOKEN.to_owned(), user),
                (PRIVATE_KEY.to_owned(), Access::Key(ORGANIZATION.to_owned())),
            ]),
            provisioning: Provisioning {
                pending_reads: 0,
                outcome: Outcome::Ready,
            },
            list_form: ListForm::Published,
            latency: Duration::ZERO,
            deletes_say_nothing: false,
            empty_list_is_missing: false,
            issuer: Issuer::new(url),
            injections: Vec::new(),
            script: VecDeque::new(),
            working: 0,
            open: 0,
            sent: Vec::new(),
            busy: BTreeSet::new(),
        }
    }

    /// Puts a set there that lives in the customer's own cluster.
    pub fn reference(&mut self, organization: &str, name: &str, region: &str) {
        self.put_there(organization, name, region, Content::Referenced);
    }

    /// Puts a set there with keys and values, ready.
    pub fn store(&mut self, organization: &str, name: &str, region: &str, values: &[(&str, &str)]) {
        let values = values
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect();
        self.put_there(organization, name, region, Content::Keys(values));
    }

    fn put_there(&mut self, organization: &str, name: &str, region: &str, content: Content) {
        let set = Set {
            region: region.to_owned(),
            content,
            pending_reads: 0,
            outcome: Outcome::Ready,
        };
        if let Some(organization) = self.organization(organization) {
            organization.sets.insert(name.to_owned(), set);
        }
    }

    pub(super) fn organization(&mut self, name: &str) -> Option<&mut Organization> {
        self.organizations.iter_mut().find(|one| one.name == name)
    }

    pub(super) fn stored(&self) -> Value {
        let sets = |organization: &Organization| -> Value {
            organization
                .sets
                .iter()
                .map(|(name, set)| (name.clone(), set.stored()))
                .collect::<serde_json::Map<_, _>>()
                .into()
        };
        self.organizations
            .iter()
            .map(|organization| (organization.name.clone(), sets(organization)))
            .collect::<serde_json::Map<_, _>>()
            .into()
    }
}

impl Organization {
    pub(super) fn has_region(&self, code: &str) -> bool {
        self.regions.iter().any(|(known, _)| *known == code)
    }

    pub(super) fn default_region(&self) -> &'static str {
        self.regions.first().map_or("us-west", |(code, _)| code)
    }
}

impl Set {
    fn stored(&self) -> Value {
        match &self.content {
            Content::Keys(values) => json!({"region": self.region, "secrets": values}),
            Content::ImagePull { host, credentials } => {
                json!({"region": self.region, "host": host, "credentials": credentials})
            }
            Content::Referenced => json!({"region": self.region, "source": "referenced"}),
        }
    }
}
