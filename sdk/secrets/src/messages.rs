//! Parameters and results of the secrets backend methods. `BACKENDS.md` is the normative specification.
//!
//! Every request also contains the common members `protocol`, `capabilities` and `context`, which [`Call`] adds.

#[cfg(test)]
mod document;
mod on_wire;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use bot_cli_protocol::secret::Secret;
use bot_cli_protocol::{Capabilities, Context};

use crate::domain::{Entry, Key, Region, SetName};

pub use crate::error::{Bytes, Code, Effect, Parts};

/// The version of the backend methods that this library implements.
pub const VERSION: &str = "1.0";

/// The prefix of backend names. For example, the file name of the backend `secrets-acme` is `bot-cli-secrets-acme`.
pub const PREFIX: &str = "secrets-";

/// The method names.
pub mod methods {
    /// Opens the backend. This request is sent first, and only once.
    pub const OPEN: &str = "secrets/open";
    /// Lists the sets in one region or in all regions.
    pub const LIST: &str = "secrets/list";
    /// Returns a set with its keys.
    pub const GET: &str = "secrets/get";
    /// Returns the values in a set.
    pub const VALUES: &str = "secrets/values";
    /// Returns the registry and the credentials of an image pull secret.
    pub const CREDENTIALS: &str = "secrets/credentials";
    /// Lists the organizations available to the user.
    pub const ORGANIZATIONS: &str = "secrets/organizations";
    /// Creates a set or adds entries to an existing one.
    pub const PUT: &str = "secrets/put";
    /// Creates an image pull secret or replaces its credentials.
    pub const PUT_IMAGE_PULL_SECRET: &str = "secrets/put_image_pull_secret";
    /// Removes keys from a set.
    pub const UNSET: &str = "secrets/unset";
    /// Deletes a set of either kind.
    pub const DELETE: &str = "secrets/delete";

    /// All methods.
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

    /// The methods that change a set.
    pub const CHANGES: [&str; 4] = [PUT, PUT_IMAGE_PULL_SECRET, UNSET, DELETE];

    /// The methods whose parameters or results contain values or credentials.
    pub const SECRETIVE: [&str; 4] = [VALUES, CREDENTIALS, PUT, PUT_IMAGE_PULL_SECRET];
}

/// The parameters of a request together with the common members.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Call<'a, P> {
    /// The caller's protocol version, such as `1.0`.
    pub protocol: &'a str,
    /// The method's parameters.
    #[serde(flatten)]
    pub params: &'a P,
    /// The caller's capabilities during the request.
    pub capabilities: &'a Capabilities,
    /// The environment in which the command runs.
    pub context: &'a Context,
}

/// The parameters of `secrets/open`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct OpenParams {
    /// The version of the backend methods that the caller implements, such as `1.0`.
    pub secrets: String,
    /// The organization chosen by the user. If absent, the backend chooses one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub organization: Option<String>,
    /// The region chosen by the user. If absent, the backend chooses one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// The backend settings specified by the user.
    #[serde(default)]
    pub settings: BTreeMap<String, String>,
}

/// The result of `secrets/open`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct OpenResult {
    /// The organization in use. Absent if the backend has no organizations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub organization: Option<String>,
    /// A short, user-facing description of the storage location, such as `namespace acme of cluster prod`.
    pub place: String,
    /// The regions in which sets can be stored. Absent if the backend has no regions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regions: Option<Regions>,
    /// The naming rules for new sets.
    pub names: NameRules,
    /// The limits on sets and values.
    pub limits: Limits,
    /// The backend's optional capabilities.
    pub can: Vec<Ability>,
}

/// The regions in which sets can be stored.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Regions {
    /// All regions.
    pub all: Vec<RegionInfo>,
    /// The code of the default region for new sets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
}

/// A region in which sets can be stored.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegionInfo {
    /// The code that the user types, such as `us-west`.
    pub code: String,
    /// The display name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
}

/// The naming rules for new sets. Every name consists of 1 to 63 letters, digits and hyphens, and neither starts nor ends with a hyphen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NameRules {
    /// The minimum number of characters.
    pub shortest: usize,
    /// The maximum number of characters.
    pub longest: usize,
    /// Whether uppercase letters are allowed.
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

/// The limits on sets and values. Limits that the backend does not know are absent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// The maximum size of a value, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value_bytes: Option<u64>,
    /// The maximum total size of a set's keys and values, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set_bytes: Option<u64>,
    /// The maximum number of keys in a set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keys: Option<u64>,
}

/// An optional capability of a backend.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ability {
    /// Returns values through `secrets/values`. If image pull secrets are supported, also returns credentials through
    /// `secrets/credentials`.
    Values,
    /// Stores image pull secrets through `secrets/put_image_pull_secret`.
    ImagePullSecrets,
    /// Lists organizations through `secrets/organizations`.
    Organizations,
    /// An unknown ability from a later version.
    #[serde(untagged)]
    Other(String),
}

/// The parameters of `secrets/list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ListParams {
    /// The region whose sets are listed. If absent, all regions are included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
}

/// The result of `secrets/list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListResult {
    /// The sets, in any order.
    pub sets: Vec<SetInfo>,
}

/// A set, without its values.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetInfo {
    /// The set's name, as the user entered it.
    pub name: String,
    /// The kind of set.
    pub kind: SetKind,
    /// The set's region. Absent if the backend has no regions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// The deployment status of the set.
    #[serde(default)]
    pub status: SetStatus,
    /// The reason the set is not ready, as one line for the user. Contains no values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The keys, in any order. Absent in a list, and if nobody can see them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keys: Option<BTreeSet<String>>,
}

impl SetInfo {
    /// Reports whether a set from `secrets/get` is in the customer's own cluster, and its keys are visible only there.
    pub fn is_referenced(&self) -> bool {
        self.kind == SetKind::Secret && self.keys.is_none()
    }
}

/// The kind of set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SetKind {
    /// A set of keys with values.
    #[default]
    Secret,
    /// Credentials for an image registry.
    ImagePullSecret,
    /// An unknown kind from a later version.
    #[serde(other)]
    Unknown,
}

impl SetKind {
    /// Returns the kind's name in the protocol.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Secret => "secret",
            Self::ImagePullSecret => "image_pull_secret",
            Self::Unknown => "unknown",
        }
    }
}

/// The deployment status of a set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SetStatus {
    /// The set is ready.
    #[default]
    Ready,
    /// The set could not be deployed.
    Failed,
    /// The set is not ready yet. Unknown states from later versions decode as this variant.
    #[serde(other)]
    Pending,
}

impl SetStatus {
    /// Returns the status's name in the protocol.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Failed => "failed",
            Self::Pending => "pending",
        }
    }
}

/// The parameters of the methods that read a set: `secrets/get`, `secrets/values` and `secrets/credentials`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NameParams {
    /// The set's name.
    pub name: SetName,
}

/// The result of `secrets/get`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GetResult {
    /// The set, or `null` if it does not exist.
    pub set: Option<SetInfo>,
}

/// The result of `secrets/values`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValuesResult {
    /// The values by key, or `null` if there is no secret set with this name.
    #[serde(serialize_with = "on_wire::optional_values")]
    pub values: Option<BTreeMap<String, Secret>>,
}

/// The result of `secrets/credentials`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CredentialsResult {
    /// The registry, exactly as stored.
    pub host: String,
    /// The credentials, exactly as stored.
    #[serde(serialize_with = "on_wire::text")]
    pub credentials: Secret,
}

/// The result of `secrets/organizations`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrganizationsResult {
    /// The organizations available to the user.
    pub organizations: Vec<OrganizationInfo>,
}

/// An organization available to the user.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrganizationInfo {
    /// The name that the user types.
    pub name: String,
    /// The display name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// The state of a set when the caller last read it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Prior {
    /// The set did not exist.
    Absent,
    /// The set had these keys. Empty for an image pull secret.
    Keys(BTreeSet<String>),
}

/// The parameters of `secrets/put`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PutParams {
    /// The set's name.
    pub name: SetName,
    /// The region for a new set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
    /// The values by key. Existing keys that are not listed remain in the set. If empty, a new set has no keys.
    #[serde(with = "on_wire::entries")]
    pub entries: Vec<Entry>,
    /// The state of the set when the caller last read it.
    pub prior: Prior,
}

/// The parameters of `secrets/put_image_pull_secret`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PutImagePullSecretParams {
    /// The image pull secret's name.
    pub name: SetName,
    /// The region for a new image pull secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
    /// The registry, such as `ghcr.io` or `https://registry.example/v1/`.
    pub host: String,
    /// The credentials: `user:password` in base64.
    #[serde(serialize_with = "on_wire::text")]
    pub credentials: Secret,
    /// The state of the image pull secret when the caller last read it.
    pub prior: Prior,
}

/// The parameters of `secrets/unset`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnsetParams {
    /// The set's name.
    pub name: SetName,
    /// The keys to remove. Must not be empty.
    pub keys: Vec<Key>,
    /// The state of the set when the caller last read it. Absent if the caller has not read the set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prior: Option<Prior>,
}

/// The result of `secrets/unset`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnsetResult {
    /// The requested keys that were not in the set.
    pub missing: Vec<String>,
}

/// The parameters of `secrets/delete`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeleteParams {
    /// The set's name.
    pub name: SetName,
    /// The state of the set when the caller last read it. Absent if the caller has not read the set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prior: Option<Prior>,
}

/// The result of `secrets/delete`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeleteResult {
    /// Whether the set existed and was deleted.
    pub deleted: bool,
}

/// The result of `secrets/put` and `secrets/put_image_pull_secret`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PutResult {}

#[cfg(test)]
mod tests {
    use bot_cli_protocol::shape;
    use serde_json::json;

    use super::GetResult;

    #[test]
    fn a_member_of_a_set_with_the_wrong_shape_is_named() {
        for (set, problem) in [
            (json!("prod"), "`result.set` must be an object"),
            (json!({ "name": 5 }), "`result.set.name` must be a string"),
            (
                json!({ "name": "prod", "kind": "secret", "keys": 5 }),
                "`result.set.keys` must be a list",
            ),
        ] {
            let read = shape::read::<GetResult>("result", json!({ "set": set }));
            assert_eq!(read.unwrap_err(), problem);
        }
    }
}
