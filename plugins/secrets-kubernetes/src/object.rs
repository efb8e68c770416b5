//! Secrets of the API as sets. Values are wiped once nobody needs them.

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

/// Marks a Secret as ours.
pub const MANAGED_BY: (&str, &str) = ("app.kubernetes.io/managed-by", "bot-cli");

/// Keeps the name of a set as the user gave it, for people who look with other tools.
const NAME_ANNOTATION: &str = "bot-cli/name";

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
#[derive(Deserialize, Serialize)]
#[serde(transparent)]
pub struct Object(ApiSecret);

/// Keys of the data with the values that a change gives them; `None` for those that it removes.
pub type Touched = BTreeMap<String, Option<Secret>>;

impl Drop for Object {
    fn drop(&mut self) {
        for value in self.0.data.iter_mut().flat_map(BTreeMap::values_mut) {
            value.0.zeroize();
        }
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

/// Returns the name of the set that an object of this metadata keeps; `None` where it is not ours.
pub fn set_name(metadata: &ObjectMeta) -> Option<String> {
    let (label, value) = MANAGED_BY;
    let labels = metadata.labels.as_ref()?;
    let is_ours = labels.get(label).is_some_and(|found| found == value);
    naming::set_name(metadata.name.as_deref()?).filter(|_| is_ours)
}

/// Whether a set can be used, and why not.
pub fn status(metadata: &ObjectMeta) -> (SetStatus, Option<String>) {
    if metadata.deletion_timestamp.is_some() {
        (SetStatus::Failed, Some("is being deleted".to_owned()))
    } else {
        (SetStatus::Ready, None)
    }
}

impl Object {
    /// The Secret of a set as it is written: new, or onto the version `base`.
    pub fn written(
        set_name: &str,
        object_name: &str,
        type_: &str,
        base: Option<&Self>,
        touched: &Touched,
    ) -> Self {
        // What we have written before goes along, or the server would take it for removed.
        let owned = base.map(Self::owned_keys).unwrap_or_default();
        let kept = base.into_iter().flat_map(Self::data);
        let mut data: BTreeMap<String, ByteString> = kept
            .filter(|(key, _)| owned.contains(key.as_str()))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        for (key, value) in touched {
            let bytes = value.iter().map(|value| value.expose().as_bytes().to_vec());
            data.extend(bytes.map(|bytes| (key.clone(), ByteString(bytes))));
        }
        let text =
            |(key, value): (&str, &str)| BTreeMap::from([(key.to_owned(), value.to_owned())]);
        Self(ApiSecret {
            metadata: ObjectMeta {
                name: Some(object_name.to_owned()),
                labels: Some(text(MANAGED_BY)),
                annotations: Some(text((NAME_ANNOTATION, set_name))),
                uid: base.and_then(|base| base.metadata().uid.clone()),
                resource_version: base.and_then(|base| base.metadata().resource_version.clone()),
                ..ObjectMeta::default()
            },
            type_: Some(type_.to_owned()),
            data: Some(data),
            ..ApiSecret::default()
        })
    }

    pub fn metadata(&self) -> &ObjectMeta {
        &self.0.metadata
    }

    /// Whether this is the Secret of that name, as only the API writes it.
    pub fn is_secret(&self, name: &str) -> bool {
        self.metadata().name.as_deref() == Some(name) && self.metadata().uid.is_some()
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

    /// The value of a key of the data.
    pub fn value(&self, data_key: &str) -> Option<&[u8]> {
        Some(&self.0.data.as_ref()?.get(data_key)?.0)
    }

    /// Whether it is as a change would leave it.
    pub fn shows(&self, touched: &Touched) -> bool {
        touched.iter().all(|(key, value)| {
            self.value(key) == value.as_ref().map(|value| value.expose().as_bytes())
        })
    }

    /// The bytes that all values would have after a change.
    pub fn size_with(base: Option<&Self>, touched: &Touched) -> usize {
        let kept = base.into_iter().flat_map(Self::data);
        let kept = kept.filter(|(key, _)| !touched.contains_key(*key));
        let put = touched.values().flatten();
        kept.map(|(_, value)| value.0.len()).sum::<usize>()
            + put.map(|value| value.expose().len()).sum::<usize>()
    }

    /// The keys as the user knows them.
    pub fn keys(&self) -> BTreeSet<String> {
        if self.kind() == SetKind::ImagePullSecret {
            return BTreeSet::new();
        }
        self.data().map(|(key, _)| naming::key(key)).collect()
    }

    /// The keys of the data that read as `key`: ours, and any that somebody else has written in another form.
    pub fn data_keys(&self, key: &str) -> impl Iterator<Item = &String> {
        let found = self.data().map(|(data_key, _)| data_key);
        found.filter(move |data_key| naming::key(data_key) == key)
    }

    /// The values by their keys. The error names a key whose value is not text.
    pub fn values(&self) -> Result<BTreeMap<String, Secret>, Error> {
        let texts = self.data().map(|(key, value)| {
            let key = naming::key(key);
            let Ok(text) = str::from_utf8(&value.0) else {
                let message = "a value is not UTF-8 text, and only text can be returned";
                let mut error = Error::new(Code::NotText, message);
                error.key = Some(key.into());
                return Err(error);
            };
            Ok((key, Secret::new(text.to_owned())))
        });
        texts.collect()
    }

    /// The keys of the data that this program has written and still owns.
    fn owned_keys(&self) -> BTreeSet<&str> {
        let managed = self.metadata().managed_fields.iter().flatten();
        managed
            .filter(|fields| fields.manager.as_deref() == Some(FIELD_MANAGER))
            .filter_map(|fields| fields.fields_v1.as_ref()?.0.get("f:data")?.as_object())
            .flat_map(|data| data.keys().filter_map(|field| field.strip_prefix("f:")))
            .collect()
    }
}

/// The credentials for registries, as Docker keeps them.
#[derive(Deserialize)]
struct DockerConfig {
    auths: BTreeMap<String, BTreeMap<String, Secret>>,
}

/// The text of `.dockerconfigjson` for one registry; `credentials` are `user:password` in base64.
pub fn docker_config(host: &str, credentials: &Secret) -> Secret {
    let auth = BTreeMap::from([("auth", credentials.expose())]);
    let config = BTreeMap::from([("auths", BTreeMap::from([(host, auth)]))]);
    // Maps of texts always have a JSON form.
    Secret::new(serde_json::to_string(&config).unwrap_or_default())
}

/// The registry of an image pull secret and its credentials; `None` when it has not exactly one that can be read.
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
        assert!(!ours("prod.u0", "bot-cli", "Opaque"));
        assert!(!object(json!({ "metadata": { "name": "prod" } })).is_ours());
    }

    #[test]
    fn owned_keys_are_those_of_our_field_manager() {
        let object = object(json!({
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
