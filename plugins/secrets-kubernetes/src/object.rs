//! Secrets as the API writes them. Values stay in the base64 of the API until they are read.

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bot_cli_protocol::secret::Secret;
use bot_cli_secrets::Code;
use bot_cli_secrets::Error;
use bot_cli_secrets::messages::{SetKind, SetStatus};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::naming;

/// Marks a Secret as ours.
pub const MANAGED_BY: (&str, &str) = ("app.kubernetes.io/managed-by", "bot-cli");

/// Keeps the name of a set as the user gave it, for people who look with other tools.
pub const NAME_ANNOTATION: &str = "bot-cli/name";

/// Owns the fields that we write.
pub const FIELD_MANAGER: &str = "bot-cli";

/// The type of a Secret with keys and values.
pub const OPAQUE: &str = "Opaque";

/// The type of a Secret with credentials for registries.
pub const DOCKER_CONFIG: &str = "kubernetes.io/dockerconfigjson";

/// The one key of [`DOCKER_CONFIG`].
pub const DOCKER_CONFIG_KEY: &str = ".dockerconfigjson";

/// The most bytes that the values of a Secret can have together: `MaxSecretSize` of the API.
pub const MAX_SECRET_SIZE: usize = 1024 * 1024;

/// A Secret.
#[derive(Deserialize)]
pub struct Object {
    pub kind: String,
    pub metadata: Metadata,
    #[serde(rename = "type", default)]
    pub type_: String,
    #[serde(default)]
    pub data: Option<BTreeMap<String, Encoded>>,
    #[serde(default)]
    pub immutable: Option<bool>,
}

/// The metadata of any object.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Metadata {
    pub name: String,
    #[serde(default)]
    pub uid: String,
    #[serde(default)]
    pub resource_version: String,
    #[serde(default)]
    pub labels: Option<BTreeMap<String, String>>,
    #[serde(default)]
    pub deletion_timestamp: Option<String>,
    #[serde(default)]
    pub finalizers: Option<Vec<String>>,
    #[serde(default)]
    pub managed_fields: Option<Vec<ManagedFields>>,
}

/// The fields of one of the writers of an object.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ManagedFields {
    #[serde(default)]
    manager: String,
    #[serde(default)]
    fields_v1: Option<serde_json::Value>,
}

/// The beginnings of objects: no values travel for a listing.
#[derive(Deserialize)]
pub struct MetadataList {
    pub metadata: ListMetadata,
    /// `null` where there are none.
    #[serde(default)]
    pub items: Option<Vec<MetadataItem>>,
    pub kind: String,
}

#[derive(Deserialize)]
pub struct ListMetadata {
    #[serde(rename = "continue", default)]
    pub continue_: Option<String>,
}

#[derive(Deserialize)]
pub struct MetadataItem {
    pub metadata: Metadata,
}

/// A value in base64.
#[derive(Clone, PartialEq, Eq)]
pub struct Encoded(Secret);

impl Encoded {
    pub fn of(value: &str) -> Self {
        Self(Secret::new(STANDARD.encode(value)))
    }

    /// The bytes that it stands for.
    pub fn size(&self) -> usize {
        let text = self.0.expose();
        let padding = text.bytes().rev().take_while(|byte| *byte == b'=').count();
        (text.len() / 4 * 3).saturating_sub(padding)
    }

    /// The value; `None` when it is not text.
    pub fn text(&self) -> Option<Secret> {
        let bytes = STANDARD.decode(self.0.expose()).ok()?;
        match String::from_utf8(bytes) {
            Ok(text) => Some(Secret::new(text)),
            Err(error) => {
                drop(zeroize::Zeroizing::new(error.into_bytes()));
                None
            }
        }
    }
}

impl<'de> Deserialize<'de> for Encoded {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // A key without a value has `null` or nothing.
        let text = Option::<String>::deserialize(deserializer)?;
        Ok(Self(Secret::new(text.unwrap_or_default())))
    }
}

impl Serialize for Encoded {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.expose())
    }
}

/// Returns the kind of a Secret from its type.
pub fn kind(type_: &str) -> SetKind {
    match type_ {
        OPAQUE | "" => SetKind::Secret,
        DOCKER_CONFIG => SetKind::ImagePullSecret,
        _ => SetKind::Unknown,
    }
}

impl Metadata {
    pub fn is_ours(&self) -> bool {
        let (label, value) = MANAGED_BY;
        let labels = self.labels.as_ref();
        labels.is_some_and(|labels| labels.get(label).is_some_and(|found| found == value))
            && naming::set_name(&self.name).is_some()
    }

    /// Whether the set can be used, and why not.
    pub fn status(&self) -> (SetStatus, Option<String>) {
        if self.deletion_timestamp.is_some() {
            (SetStatus::Failed, Some("is being deleted".to_owned()))
        } else {
            (SetStatus::Ready, None)
        }
    }
}

impl Object {
    /// Whether this is the Secret of that name, as only the API writes it.
    pub fn is_secret(&self, name: &str) -> bool {
        self.kind == "Secret" && self.metadata.name == name && !self.metadata.uid.is_empty()
    }

    pub fn is_ours(&self) -> bool {
        self.metadata.is_ours() && kind(&self.type_) != SetKind::Unknown
    }

    pub fn kind(&self) -> SetKind {
        kind(&self.type_)
    }

    pub fn data(&self) -> impl Iterator<Item = (&String, &Encoded)> {
        self.data.iter().flatten()
    }

    /// The keys as the user knows them.
    pub fn keys(&self) -> Vec<String> {
        if self.kind() == SetKind::ImagePullSecret {
            return Vec::new();
        }
        let keys: BTreeSet<String> = self.data().map(|(key, _)| naming::key(key)).collect();
        keys.into_iter().collect()
    }

    /// The key of the data that keeps `key`, whoever has written it.
    pub fn data_key(&self, key: &str) -> Option<&str> {
        self.data_keys(key).next()
    }

    /// The same where somebody else has written a key that reads like the escaped form of ours.
    pub fn data_keys(&self, key: &str) -> impl Iterator<Item = &str> {
        let found = self.data().map(|(data_key, _)| data_key.as_str());
        found.filter(move |data_key| naming::key(data_key) == key)
    }

    /// The values by their keys. The error names a key whose value is not text.
    pub fn values(&self) -> Result<BTreeMap<String, Secret>, Error> {
        let texts = self.data().map(|(key, value)| {
            let key = naming::key(key);
            if let Some(text) = value.text() {
                return Ok((key, text));
            }
            let message = "a value is not UTF-8 text, and only text can be returned";
            let mut error = Error::new(Code::NotText, message);
            error.key = Some(key.into());
            Err(error)
        });
        texts.collect()
    }

    /// The keys of the data that this program has written and still owns.
    pub fn owned_keys(&self) -> BTreeSet<&str> {
        let ours = self.metadata.managed_fields.iter().flatten();
        let fields = ours
            .filter(|fields| fields.manager == FIELD_MANAGER)
            .filter_map(|fields| fields.fields_v1.as_ref()?.get("f:data")?.as_object());
        fields
            .flat_map(|data| data.keys().filter_map(|field| field.strip_prefix("f:")))
            .collect()
    }
}

/// The credentials for registries, as Docker keeps them.
#[derive(Deserialize)]
struct DockerConfig {
    #[serde(default)]
    auths: BTreeMap<String, DockerAuth>,
}

#[derive(Deserialize)]
struct DockerAuth {
    #[serde(default)]
    auth: Option<String>,
    #[serde(default)]
    username: Option<String>,
    #[serde(default)]
    password: Option<String>,
}

/// The text of `.dockerconfigjson` for one registry; `credentials` are `user:password` in base64.
pub fn docker_config(host: &str, credentials: &Secret) -> Encoded {
    #[derive(Serialize)]
    struct Auth<'a> {
        auth: &'a str,
    }
    let auth = Auth {
        auth: credentials.expose(),
    };
    let auths = BTreeMap::from([(host, auth)]);
    let config = BTreeMap::from([("auths", auths)]);
    // Maps of texts always have a JSON form.
    let text = Secret::new(serde_json::to_string(&config).unwrap_or_default());
    Encoded::of(text.expose())
}

/// The registry of an image pull secret and its credentials; `None` when it has not exactly one that can be read.
pub fn credentials(object: &Object) -> Option<(String, Secret)> {
    let (_, value) = object.data().find(|(key, _)| *key == DOCKER_CONFIG_KEY)?;
    let text = value.text()?;
    let config: DockerConfig = serde_json::from_str(text.expose()).ok()?;
    let mut auths = config.auths.into_iter();
    let (host, auth) = auths.next()?;
    let credentials = match (auth.auth, auth.username, auth.password) {
        (Some(auth), _, _) if !auth.is_empty() => Secret::new(auth),
        (_, Some(username), Some(password)) => {
            let pair = Secret::new(format!("{username}:{password}"));
            drop(Secret::new(password));
            Secret::new(STANDARD.encode(pair.expose()))
        }
        _ => return None,
    };
    auths.next().is_none().then_some((host, credentials))
}

#[cfg(test)]
mod tests {
    use bot_cli_protocol::secret::Secret;
    use serde_json::json;

    use super::{Encoded, Object, credentials, docker_config};

    fn object(value: serde_json::Value) -> Object {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn sizes_are_those_of_the_values() {
        for value in ["", "a", "ab", "abc", "abcd", "ü"] {
            assert_eq!(Encoded::of(value).size(), value.len(), "{value:?}");
            assert_eq!(Encoded::of(value).text().unwrap().expose(), value);
        }
    }

    #[test]
    fn ours_has_the_label_and_a_name_of_a_set() {
        let ours = |name: &str, label: &str, type_: &str| {
            object(json!({
                "kind": "Secret",
                "metadata": { "name": name, "labels": { "app.kubernetes.io/managed-by": label } },
                "type": type_,
            }))
            .is_ours()
        };
        assert!(ours("prod", "bot-cli", "Opaque"));
        assert!(ours("prod", "bot-cli", "kubernetes.io/dockerconfigjson"));
        assert!(!ours("prod", "Helm", "Opaque"));
        assert!(!ours("prod", "bot-cli", "kubernetes.io/tls"));
        assert!(!ours("prod.u0", "bot-cli", "Opaque"));
        let bare = object(json!({ "kind": "Secret", "metadata": { "name": "prod" } }));
        assert!(!bare.is_ours());
    }

    #[test]
    fn owned_keys_are_those_of_our_field_manager() {
        let object = object(json!({
            "kind": "Secret",
            "metadata": { "name": "prod", "managedFields": [
                { "manager": "bot-cli", "operation": "Update", "fieldsV1": { "f:data": { ".": {}, "f:A": {} }, "f:type": {} } },
                { "manager": "bot-cli", "operation": "Apply", "fieldsV1": { "f:data": { "f:B": {} } } },
                { "manager": "kubectl-edit", "operation": "Update", "fieldsV1": { "f:data": { "f:C": {} } } },
                { "manager": "empty" },
            ] },
        }));
        let owned: Vec<&str> = object.owned_keys().into_iter().collect();
        assert_eq!(owned, ["A", "B"]);
    }

    #[test]
    fn credentials_are_read_back_as_they_were_written() {
        let written = docker_config(
            "https://index.docker.io/v1/",
            &Secret::new("dTpw".to_owned()),
        );
        let text = written.text().unwrap();
        assert_eq!(
            text.expose(),
            r#"{"auths":{"https://index.docker.io/v1/":{"auth":"dTpw"}}}"#
        );
        let with = |text: &str| {
            credentials(&object(json!({
                "kind": "Secret",
                "metadata": { "name": "r" },
                "data": { ".dockerconfigjson": Encoded::of(text) },
            })))
        };
        let (host, read) = with(text.expose()).unwrap();
        assert_eq!(
            (host.as_str(), read.expose()),
            ("https://index.docker.io/v1/", "dTpw")
        );
        let (_, read) = with(r#"{"auths":{"ghcr.io":{"username":"u","password":"p"}}}"#).unwrap();
        assert_eq!(read.expose(), "dTpw");
        for none in [
            "{}",
            "not json",
            r#"{"auths":{"a":{"auth":"x"},"b":{"auth":"y"}}}"#,
            r#"{"auths":{"a":{}}}"#,
        ] {
            assert!(with(none).is_none(), "{none}");
        }
    }
}
