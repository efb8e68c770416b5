//! The state of the stand-in.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use hyper::body::Bytes;
use serde_json::{Value, json};

use super::agents::{Agent, Line, PublicKey, Rollout, complete, resources};
use super::builds::{Build, Building};
use super::clock::Counted;
use super::faults::Injection;
use super::issuer::Issuer;
use super::uploads::Upload;
use super::{ORGANIZATION, OTHER_ORGANIZATION, PERSONAL_TOKEN, PRIVATE_KEY, USER_TOKEN};

/// The service's stored data and behavior settings.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "services differ in these")]
pub struct World {
    /// The organizations. The first is the default.
    pub organizations: Vec<Organization>,
    /// The access that each token grants.
    pub tokens: BTreeMap<String, Access>,
    /// The provisioning of sets written from now on.
    pub provisioning: Provisioning,
    /// The paths that accept a whole set in one request.
    pub list_form: ListForm,
    /// The delay before every response.
    pub latency: Duration,
    /// Whether deletions respond with an empty 204 instead of a 200 with `OK`.
    pub deletes_say_nothing: bool,
    /// Whether a list request for an organization without sets responds with 404.
    pub empty_list_is_missing: bool,
    /// The OAuth issuer.
    pub issuer: Issuer,
    /// The rollout of deployments created from now on.
    pub rollout: Rollout,
    /// The length and outcome of builds created from now on.
    pub building: Building,
    /// The self-hosted regions. Every organization can use them.
    pub self_hosted_regions: Vec<String>,
    /// Whether the times in requests for logs are seconds, not milliseconds.
    pub takes_seconds: bool,
    /// Whether requests for build logs take the token of the response before.
    pub takes_tokens: bool,
    /// The member that requests about agents lose. Empty if they lose none.
    pub drops: &'static str,
    /// Whether an agent shows only what the published description names.
    pub shows_little: bool,
    /// The paths of request members that the service doesn't know. The service drops such members without an error.
    pub unknown_members: Vec<String>,
    /// The uploaded files, by upload ID.
    pub uploads: BTreeMap<String, Upload>,
    /// The `Authorization` headers sent with uploads. An upload must not have such a header.
    pub leaked_tokens: Vec<String>,
    /// The organization and region for each upload URL that was issued, by upload ID.
    pub(super) offered_uploads: BTreeMap<String, (String, String)>,
    pub(super) url: String,
    pub(super) counted: Counted,
    pub(super) injections: Vec<Injection>,
    /// The faults for upcoming requests of any kind, in order.
    pub(super) script: VecDeque<Option<Injection>>,
    /// The number of requests in progress, including those of clients that have disconnected.
    pub(super) working: u32,
    /// The number of open connections.
    pub(super) open: u32,
    /// The requests so far.
    pub sent: Vec<Sent>,
    /// The sets that requests are currently changing, as `organization/set`.
    pub(super) busy: BTreeSet<String>,
}

/// The access that a token grants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Access {
    /// A user's access to the organization paths of these organizations.
    User(Vec<String>),
    /// A private API key's access to the published paths, for this organization.
    Key(String),
}

/// The provisioning of a set after a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Provisioning {
    /// The number of reads that see `pending` before provisioning ends.
    pub pending_reads: u32,
    /// The outcome of provisioning.
    pub outcome: Outcome,
}

/// The outcome of provisioning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The set can be used.
    Ready,
    /// The set can't be used, for this reason.
    Failed(&'static str),
}

/// The paths on which `PUT` accepts a whole set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListForm {
    /// Only the published paths, as documented.
    Published,
    /// Both families of paths.
    Everywhere,
    /// No paths. Each request sets one key.
    Nowhere,
}

/// An organization with its regions, sets, agents, builds and public keys.
#[derive(Debug, Clone)]
pub struct Organization {
    pub(super) name: String,
    pub(super) verbose_name: String,
    /// The code and name of each region.
    pub(super) regions: Vec<(&'static str, &'static str)>,
    pub(super) sets: BTreeMap<String, Set>,
    /// The default region that was chosen, or `None` for the first region.
    pub(super) default: Option<String>,
    pub(super) agents: BTreeMap<String, Agent>,
    /// The builds, oldest first.
    pub(super) builds: Vec<Build>,
    pub(super) keys: Vec<PublicKey>,
}

#[derive(Debug, Clone)]
pub(super) struct Set {
    pub(super) region: String,
    pub(super) content: Content,
    pub(super) pending_reads: u32,
    pub(super) outcome: Outcome,
}

#[derive(Debug, Clone)]
pub(super) enum Content {
    Keys(BTreeMap<String, String>),
    ImagePull {
        host: String,
        credentials: String,
    },
    /// The set is stored in the customer's own cluster.
    Referenced,
}

/// A request as received.
#[derive(Debug, Clone)]
pub struct Sent {
    /// The HTTP method, such as `GET`.
    pub method: String,
    /// The path and query, not decoded.
    pub target: String,
    /// The headers, with names in lowercase.
    pub headers: BTreeMap<String, String>,
    /// The body as text. Invalid UTF-8 is replaced.
    pub body: String,
    /// The body as received.
    pub bytes: Bytes,
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
            default: None,
            agents: BTreeMap::new(),
            builds: Vec::new(),
            keys: Vec::new(),
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
            rollout: Rollout::default(),
            building: Building::default(),
            self_hosted_regions: Vec::new(),
            takes_seconds: false,
            takes_tokens: false,
            drops: "",
            shows_little: false,
            unknown_members: Vec::new(),
            uploads: BTreeMap::new(),
            leaked_tokens: Vec::new(),
            offered_uploads: BTreeMap::new(),
            url: url.to_owned(),
            counted: Counted::default(),
            injections: Vec::new(),
            script: VecDeque::new(),
            working: 0,
            open: 0,
            sent: Vec::new(),
            busy: BTreeSet::new(),
        }
    }

    /// Adds a set that is stored in the customer's own cluster.
    pub fn reference(&mut self, organization: &str, name: &str, region: &str) {
        self.put_there(organization, name, region, Content::Referenced);
    }

    /// Adds a ready set with these values.
    pub fn store(&mut self, organization: &str, name: &str, region: &str, values: &[(&str, &str)]) {
        let values = values
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect();
        self.put_there(organization, name, region, Content::Keys(values));
    }

    /// Stores an image pull secret.
    pub fn store_pull(&mut self, organization: &str, name: &str, region: &str) {
        let (host, credentials) = ("ghcr.io".to_owned(), String::new());
        let content = Content::ImagePull { host, credentials };
        self.put_there(organization, name, region, content);
    }

    /// Adds an agent that is ready. `members` are the members of a request to create an agent, without the name.
    pub fn deploy(&mut self, organization: &str, name: &str, members: &Value) {
        let mut organizations = self.organizations.iter_mut();
        let Some(organization) = organizations.find(|one| one.name == organization) else {
            return;
        };
        let region = members["region"].as_str();
        let region = region.unwrap_or_else(|| organization.default_region());
        let counted = &mut self.counted;
        let wanted = complete(members);
        let mut agent = Agent::new(counted, region, wanted, Rollout::default());
        agent.read(counted);
        organization.agents.insert(name.to_owned(), agent);
    }

    /// Adds lines to an agent's log, with times in milliseconds since the epoch. The lines belong to the newest active session, if any.
    pub fn log(&mut self, organization: &str, agent: &str, lines: &[(i64, &str)]) {
        let organization = self.organization(organization);
        let Some(agent) = organization.and_then(|found| found.agents.get_mut(agent)) else {
            return;
        };
        let session = agent.active().next_back().map(|session| session.id.clone());
        agent.logs.extend(lines.iter().map(|(time, text)| Line {
            time: *time,
            text: (*text).to_owned(),
            deployment: agent.desired.id.clone(),
            session: session.clone(),
        }));
    }

    /// Creates a public key and returns it, or `None` if the organization does not exist.
    pub fn add_key(&mut self, organization: &str, name: &str) -> Option<String> {
        let mut organizations = self.organizations.iter_mut();
        let organization = organizations.find(|one| one.name == organization)?;
        let made = PublicKey::new(&mut self.counted, name);
        let key = made.key.clone();
        organization.keys.push(made);
        Some(key)
    }

    /// Returns the organization's public keys that have not been revoked.
    pub fn keys(&self, organization: &str) -> Vec<String> {
        let mut organizations = self.organizations.iter();
        let organization = organizations.find(|one| one.name == organization);
        let keys = organization.into_iter().flat_map(|found| &found.keys);
        keys.filter(|key| !key.is_revoked)
            .map(|key| key.key.clone())
            .collect()
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
        self.organizations
            .iter()
            .map(|organization| (organization.name.clone(), organization.stored()))
            .collect::<serde_json::Map<_, _>>()
            .into()
    }
}

impl Organization {
    pub(super) fn has_region(&self, code: &str) -> bool {
        self.regions.iter().any(|(known, _)| *known == code)
    }

    pub(super) fn default_region(&self) -> &str {
        let first = self.regions.first().map_or("us-west", |(code, _)| code);
        self.default.as_deref().unwrap_or(first)
    }

    /// Returns the sets by name. Agents, builds and keys are stored under names that no set can have, such as `/agents`.
    fn stored(&self) -> Value {
        let sets = self.sets.iter();
        let mut stored: Value = sets
            .map(|(name, set)| (name.clone(), set.stored()))
            .collect::<serde_json::Map<_, _>>()
            .into();
        for (name, agent) in &self.agents {
            stored["/agents"][name] = json!({
                "region": agent.region,
                "spec": agent.desired.spec(),
                "id": agent.desired.id,
                "wanted": agent.desired.wanted,
                "earlier": agent.earlier.last().map(|one| &one.wanted),
                "resources": resources(&agent.desired.wanted),
                "earlier_resources": agent.earlier.last().map(|one| resources(&one.wanted)),
                "buildId": agent.desired.wanted["buildId"],
                "sessions": agent.active().map(|session| &session.id).collect::<Vec<_>>(),
            });
        }
        if !self.builds.is_empty() {
            stored["/builds"] = json!(self.builds.len());
        }
        for key in &self.keys {
            stored["/keys"][&key.key] = json!({"name": key.name, "revoked": key.is_revoked});
        }
        stored
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
