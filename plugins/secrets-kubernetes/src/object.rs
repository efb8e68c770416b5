//! Kubernetes Secrets that contain secret sets. Values are zeroed on drop.

use std::collections::{BTreeMap, BTreeSet};

use bot_cli_protocol::secret::Secret;
use bot_cli_secrets::messages::{SetKind, SetStatus};
use bot_cli_secrets::{Code, Error};
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret as ApiSecret;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::{Deserialize, Serialize};
use zeroize::Zeroize as _;

use crate::naming;

pub const MANAGED_BY: (&str, &str) = ("app.kubernetes.io/managed-by", "bot-cli");

/// The type of a Secret with arbitrary keys.
pub const OPAQUE: &str = "Opaque";

/// The type of a Secret with registry credentials.
pub const DOCKER_CONFIG: &str = "kubernetes.io/dockerconfigjson";

/// The only key of a [`DOCKER_CONFIG`] Secret.
pub const DOCKER_CONFIG_KEY: &str = ".dockerconfigjson";

/// The maximum total size of a Secret's values, in bytes (`MaxSecretSize` in the Kubernetes API).
pub const MAX_SECRET_SIZE: usize = 1024 * 1024;

#[derive(Deserialize)]
#[serde(transparent)]
pub struct Object(ApiSecret);

/// The keys that a change affects, with their new values. A key without a value is removed.
pub type Touched = BTreeMap<String, Option<Secret>>;

/// A new Secret, or a merge patch of one version of a Secret.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Written<'a> {
    api_version: &'static str,
    kind: &'static str,
    metadata: ObjectMeta,
    #[serde(rename = "type")]
    type_: &'a str,
    data: BTreeMap<&'a str, Option<ByteString>>,
}

impl<'a> Written<'a> {
    /// Builds the body of a request that creates the Secret `name` or patches its version `base`.
    pub fn new(name: &str, type_: &'a str, base: Option<&Object>, touched: &'a Touched) -> Self {
        let (label, value) = MANAGED_BY;
        let bytes = |value: &Secret| ByteString(value.expose().as_bytes().to_vec());
        let data = touched.iter();
        Self {
            api_version: "v1",
            kind: "Secret",
            metadata: ObjectMeta {
                name: Some(name.to_owned()),
                labels: Some([(label.to_owned(), value.to_owned())].into()),
                resource_version: base.and_then(|base| base.metadata().resource_version.clone()),
                ..ObjectMeta::default()
            },
            type_,
            data: data
                .map(|(key, value)| (key.as_str(), value.as_ref().map(bytes)))
                .collect(),
        }
    }
}

impl Drop for Written<'_> {
    fn drop(&mut self) {
        for value in self.data.values_mut().flatten() {
            value.0.zeroize();
        }
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        for value in self.0.data.iter_mut().flat_map(BTreeMap::values_mut) {
            value.0.zeroize();
        }
    }
}

pub fn kind(type_: &str) -> SetKind {
    match type_ {
        OPAQUE | "" => SetKind::Secret,
        DOCKER_CONFIG => SetKind::ImagePullSecret,
        _ => SetKind::Unknown,
    }
}

/// Returns the set's name, or `None` if the object is not managed by `bot-cli`.
pub fn set_name(metadata: &ObjectMeta) -> Option<String> {
    let (label, value) = MANAGED_BY;
    let labels = metadata.labels.as_ref()?;
    let is_ours = labels.get(label).is_some_and(|found| found == value);
    let name = metadata.name.clone().filter(|_| is_ours)?;
    naming::is_label(&name).then_some(name)
}

/// Returns the status of a set, and the problem if the set can't be used.
pub fn status(metadata: &ObjectMeta) -> (SetStatus, Option<String>) {
    if metadata.deletion_timestamp.is_some() {
        (SetStatus::Failed, Some("is being deleted".to_owned()))
    } else {
        (SetStatus::Ready, None)
    }
}

impl Object {
    pub fn metadata(&self) -> &ObjectMeta {
        &self.0.metadata
    }

    /// Reports whether this is the Secret `name` and has the fields that only the API sets.
    pub fn is_secret(&self, name: &str) -> bool {
        let metadata = self.metadata();
        metadata.name.as_deref() == Some(name)
            && metadata.uid.is_some()
            && metadata.resource_version.is_some()
    }

    pub fn is_ours(&self) -> bool {
        set_name(self.metadata()).is_some() && self.kind() != SetKind::Unknown
    }

    pub fn is_being_deleted(&self) -> bool {
        self.metadata().deletion_timestamp.is_some()
    }

    pub fn is_immutable(&self) -> bool {
        self.0.immutable == Some(true)
    }

    pub fn kind(&self) -> SetKind {
        kind(self.0.type_.as_deref().unwrap_or_default())
    }

    fn data(&self) -> impl Iterator<Item = (&String, &ByteString)> {
        self.0.data.iter().flatten()
    }

    pub fn value(&self, key: &str) -> Option<&[u8]> {
        Some(&self.0.data.as_ref()?.get(key)?.0)
    }

    /// Reports whether the Secret has the values that a change sets, and lacks the keys that the change removes.
    pub fn shows(&self, touched: &Touched) -> bool {
        touched.iter().all(|(key, value)| {
            self.value(key) == value.as_ref().map(|value| value.expose().as_bytes())
        })
    }

    /// Returns the total size of all values after a change, in bytes.
    pub fn size_with(base: Option<&Self>, touched: &Touched) -> usize {
        let kept = base.into_iter().flat_map(Self::data);
        let kept = kept.filter(|(key, _)| !touched.contains_key(*key));
        let put = touched.values().flatten();
        kept.map(|(_, value)| value.0.len()).sum::<usize>()
            + put.map(|value| value.expose().len()).sum::<usize>()
    }

    /// Returns the set's keys. An image pull secret has none.
    pub fn keys(&self) -> BTreeSet<String> {
        if self.kind() == SetKind::ImagePullSecret {
            return BTreeSet::new();
        }
        self.data().map(|(key, _)| key.clone()).collect()
    }

    /// Returns the values by key. If a value is not UTF-8 text, the error names its key.
    pub fn values(&self) -> Result<BTreeMap<String, Secret>, Error> {
        let texts = self.data().map(|(key, value)| {
            let Ok(text) = str::from_utf8(&value.0) else {
                let message = "a value is not UTF-8 text, and only text can be returned";
                let mut error = Error::new(Code::NotText, message);
                error.key = Some(key.as_str().into());
                return Err(error);
            };
            Ok((key.clone(), Secret::new(text.to_owned())))
        });
        texts.collect()
    }
}

#[derive(Deserialize)]
struct DockerConfig {
    auths: BTreeMap<String, BTreeMap<String, Secret>>,
}

/// Returns the `.dockerconfigjson` contents for one registry. `credentials` is `user:password` encoded in base64.
pub fn docker_config(host: &str, credentials: &Secret) -> Secret {
    let auth = BTreeMap::from([("auth", credentials.expose())]);
    let config = BTreeMap::from([("auths", BTreeMap::from([(host, auth)]))]);
    // A map of strings always serializes.
    Secret::new(serde_json::to_string(&config).unwrap_or_default())
}

/// Returns the registry and credentials from an image pull secret. Returns `None` unless the secret has exactly one readable entry.
pub fn credentials(object: &Object) -> Option<(String, Secret)> {
    let text = object.value(DOCKER_CONFIG_KEY)?;
    let config: DockerConfig = serde_json::from_slice(text).ok()?;
    let mut auths = config.auths.into_iter();
    let (host, mut auth) = auths.next()?;
    auths
        .next()
        .is_none()
        .then_some((host, auth.remove("auth")?))
}

#[cfg(test)]
mod tests {
    use bot_cli_protocol::secret::Secret;
    use k8s_openapi::ByteString;
    use serde_json::json;

    use super::{Object, credentials, docker_config};

    fn object(value: serde_json::Value) -> Object {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn ours_has_the_label_and_a_name_of_a_set() {
        let ours = |name: &str, label: &str, type_: &str| {
            object(json!({
                "metadata": { "name": name, "labels": { "app.kubernetes.io/managed-by": label } },
                "type": type_,
            }))
            .is_ours()
        };
        assert!(ours("prod", "bot-cli", "Opaque"));
        assert!(ours("prod", "bot-cli", "kubernetes.io/dockerconfigjson"));
        assert!(!ours("prod", "Helm", "Opaque"));
        assert!(!ours("prod", "bot-cli", "kubernetes.io/tls"));
        assert!(!ours("prod.a", "bot-cli", "Opaque"));
        assert!(!object(json!({ "metadata": { "name": "prod" } })).is_ours());
    }

    #[test]
    fn credentials_are_read_back_as_they_were_written() {
        let text = docker_config(
            "https://index.docker.io/v1/",
            &Secret::new("dTpw".to_owned()),
        );
        assert_eq!(
            text.expose(),
            r#"{"auths":{"https://index.docker.io/v1/":{"auth":"dTpw"}}}"#
        );
        let with = |text: &str| {
            let data = json!({ ".dockerconfigjson": ByteString(text.as_bytes().to_vec()) });
            credentials(&object(
                json!({ "metadata": { "name": "r" }, "data": data }),
            ))
        };
        let (host, read) = with(text.expose()).unwrap();
        assert_eq!(
            (host.as_str(), read.expose()),
            ("https://index.docker.io/v1/", "dTpw")
        );
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
