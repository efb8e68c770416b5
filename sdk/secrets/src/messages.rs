//! Parameters and results of the methods of secrets backends. `BACKENDS.md` is their normative text.
//!
//! Every request also has the `protocol`, `capabilities` and `context` of `run`: [`Call`] adds them.

#[cfg(test)]
mod document;
mod on_wire;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use bot_cli_protocol::secret::Secret;
use bot_cli_protocol::{Capabilities, Context};

pub use crate::error::{Bytes, Code, Effect, Parts};

/// The version of the methods that this library speaks.
pub const VERSION: &str = "1.0";

/// The prefix of a secrets backend's name: `secrets-acme` is the file `bot-cli-secrets-acme`.
pub const PREFIX: &str = "secrets-";

/// The names of the methods.
pub mod methods {
    /// Opens the place where secrets are kept: always the first request, and only once.
    pub const OPEN: &str = "secrets/open";
    /// Every set, of one region or of all.
    pub const LIST: &str = "secrets/list";
    /// One set with its keys.
    pub const GET: &str = "secrets/get";
    /// The values of a set.
    pub const VALUES: &str = "secrets/values";
    /// The registry and the credentials of an image pull secret.
    pub const CREDENTIALS: &str = "secrets/credentials";
    /// The organizations that the user may work in.
    pub const ORGANIZATIONS: &str = "secrets/organizations";
    /// Creates a set or adds to it.
    pub const PUT: &str = "secrets/put";
    /// Creates an image pull secret or replaces its credentials.
    pub const PUT_IMAGE_PULL_SECRET: &str = "secrets/put_image_pull_secret";
    /// Removes keys from a set.
    pub const UNSET: &str = "secrets/unset";
    /// Removes a set of either kind.
    pub const DELETE: &str = "secrets/delete";

    /// All of them.
    pub const ALL: [&str; 10] = [
        OPEN,
        LIST,
        GET,
        VALUES,
        CREDENTIALS,
        ORGANIZATIONS,
        PUT,
        PUT_IMAGE_PULL_SECRET,
        UNSET,
        DELETE,
    ];

    /// Those that change something.
    pub const CHANGES: [&str; 4] = [PUT, PUT_IMAGE_PULL_SECRET, UNSET, DELETE];

    /// Those that carry values or credentials, in the parameters or in the result.
    pub const SECRETIVE: [&str; 4] = [VALUES, CREDENTIALS, PUT, PUT_IMAGE_PULL_SECRET];
}

/// The parameters of a request with what every request has.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Call<'a, P> {
    /// The version of the protocol that the caller speaks: `1.0`.
    pub protocol: &'a str,
    /// The parameters of the method.
    #[serde(flatten)]
    pub params: &'a P,
    /// The capabilities of the caller while the backend works on this request.
    pub capabilities: &'a Capabilities,
    /// The surroundings of the run.
    pub context: &'a Context,
}

/// Parameters of `secrets/open`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct OpenParams {
    /// The version of the methods that the caller speaks: `1.0`.
    pub secrets: String,
    /// The organization that the user named; absent: the backend's own choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub organization: Option<String>,
    /// The region that the user named; absent: the backend's own choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// The backend's own settings, as the user has set them. Those that are not set are absent.
    #[serde(default)]
    pub settings: BTreeMap<String, String>,
}

/// Result of `secrets/open`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct OpenResult {
    /// The organization that is worked in; absent where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub organization: Option<String>,
    /// The place of the secrets, for people, in a few words: `namespace acme of cluster prod`.
    pub place: String,
    /// The regions of sets; absent where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regions: Option<Regions>,
    /// Which names a new set can have.
    pub names: NameRules,
    /// The limits.
    pub limits: Limits,
    /// The capabilities beyond the methods that every backend has.
    pub can: Vec<Ability>,
}

/// The regions of sets.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Regions {
    /// All of them.
    pub all: Vec<Region>,
    /// The code of the default region for new sets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
}

/// A region.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Region {
    /// The code that the user types: `us-west`.
    pub code: String,
    /// For people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
}

/// Which names a new set can have, within letters, digits and hyphens, 1 to 63, no hyphen at the ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NameRules {
    /// The fewest characters.
    pub shortest: usize,
    /// The most characters.
    pub longest: usize,
    /// Whether there may be capital letters.
    pub capitals: bool,
}

impl Default for NameRules {
    fn default() -> Self {
        Self {
            shortest: 1,
            longest: 63,
            capitals: true,
        }
    }
}

/// The limits of a backend. An absent one is not known to the backend.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// The bytes of a value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value_bytes: Option<u64>,
    /// The bytes of all keys and values of a set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set_bytes: Option<u64>,
    /// The keys of a set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keys: Option<u64>,
}

/// A capability of a backend beyond the methods that every backend has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ability {
    /// Returns values and credentials: `secrets/values`, and `secrets/credentials` where it keeps image pull secrets.
    Values,
    /// Keeps image pull secrets: `secrets/put_image_pull_secret`.
    ImagePullSecrets,
    /// Lists organizations: `secrets/organizations`.
    Organizations,
    /// An ability of a later version.
    #[serde(untagged)]
    Other(String),
}

/// Parameters of `secrets/list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ListParams {
    /// Only those of this region.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
}

/// Result of `secrets/list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListResult {
    /// The sets, in any order.
    pub sets: Vec<SetSummary>,
}

/// The entry of a set in a listing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetSummary {
    /// The name, as the user gave it.
    pub name: String,
    /// The kind.
    pub kind: SetKind,
    /// The region; absent where there are no regions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// Whether it can be used.
    #[serde(default)]
    pub status: SetStatus,
    /// Why it can't, for people, in a line without values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The kind of a set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SetKind {
    /// Keys with values.
    #[default]
    Secret,
    /// Credentials for an image registry.
    ImagePullSecret,
    /// Something that this version does not know.
    #[serde(other)]
    Unknown,
}

impl SetKind {
    /// Returns the name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Secret => "secret",
            Self::ImagePullSecret => "image_pull_secret",
            Self::Unknown => "unknown",
        }
    }
}

/// Whether a set can be used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SetStatus {
    /// It can.
    #[default]
    Ready,
    /// It could not be put where it is used.
    Failed,
    /// Not yet. What later versions may add counts as this.
    #[serde(other)]
    Pending,
}

impl SetStatus {
    /// Returns the name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Failed => "failed",
            Self::Pending => "pending",
        }
    }
}

/// Parameters of the methods that look at one set: `secrets/get`, `values`, `credentials`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NameParams {
    /// The set's name.
    pub name: String,
}

/// Result of `secrets/get`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GetResult {
    /// The set; `null` when none has that name.
    pub set: Option<SetDetails>,
}

/// One set.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetDetails {
    /// The name, as the user gave it.
    pub name: String,
    /// The kind.
    pub kind: SetKind,
    /// The region; absent where there are no regions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// Whether it can be used.
    #[serde(default)]
    pub status: SetStatus,
    /// Why it can't, for people, in a line without values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The keys, in any order; none of an image pull secret.
    #[serde(default)]
    pub keys: Vec<String>,
}

/// Result of `secrets/values`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValuesResult {
    /// The values by their keys; `null` when no secret set has that name.
    #[serde(serialize_with = "on_wire::optional_values")]
    pub values: Option<BTreeMap<String, Secret>>,
}

/// Result of `secrets/credentials`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CredentialsResult {
    /// The registry, as it was put.
    pub host: String,
    /// The credentials, as they were put.
    #[serde(serialize_with = "on_wire::text")]
    pub credentials: Secret,
}

/// Result of `secrets/organizations`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrganizationsResult {
    /// The organizations that the user may work in.
    pub organizations: Vec<Organization>,
}

/// An organization.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Organization {
    /// The name that the user types.
    pub name: String,
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// The state of a set when the caller last looked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Prior {
    /// There was none of that name.
    Absent,
    /// It had these keys; none if it was an image pull secret.
    Keys(Vec<String>),
}

/// Parameters of `secrets/put`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PutParams {
    /// The set's name.
    pub name: String,
    /// The region of a new set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// The values by their keys; other keys of the set stay. May be empty: a new set then has no keys.
    #[serde(serialize_with = "on_wire::values")]
    pub entries: BTreeMap<String, Secret>,
    /// The state of the set when the caller last looked.
    pub prior: Prior,
}

/// Parameters of `secrets/put_image_pull_secret`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PutImagePullSecretParams {
    /// The image pull secret's name.
    pub name: String,
    /// The region of a new one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// The registry: `ghcr.io`, `https://registry.example/v1/`.
    pub host: String,
    /// `user:password` in base64.
    #[serde(serialize_with = "on_wire::text")]
    pub credentials: Secret,
    /// The state when the caller last looked.
    pub prior: Prior,
}

/// Parameters of `secrets/unset`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnsetParams {
    /// The set's name.
    pub name: String,
    /// The keys that are to go, at least one.
    pub keys: Vec<String>,
    /// The state of the set when the caller last looked, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prior: Option<Prior>,
}

/// Result of `secrets/unset`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnsetResult {
    /// Those of the keys that were not there.
    pub missing: Vec<String>,
}

/// Parameters of `secrets/delete`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeleteParams {
    /// The set's name.
    pub name: String,
    /// The state of the set when the caller last looked, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prior: Option<Prior>,
}

/// Result of `secrets/delete`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeleteResult {
    /// `false` when there was no such set.
    pub deleted: bool,
}

/// Result of `secrets/put` and `secrets/put_image_pull_secret`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PutResult {}
