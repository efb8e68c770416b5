//! Request paths and the bodies of requests and responses. Unknown fields in responses are ignored.

use std::collections::BTreeSet;

use bot_cli_protocol::secret::Secret;
use bot_cli_secrets::messages::SetInfo;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ServiceError;
use crate::domain::{Entry, Region, SetKind, SetName, SetStatus};

/// The characters to percent-encode: all except the unreserved characters of a URL. Dots need no encoding, because the domain types reject
/// `.` and `..`.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// Percent-encodes a path segment.
pub fn segment(text: &str) -> String {
    utf8_percent_encode(text, SEGMENT).to_string()
}

/// Joins segments into a path under `/v1`.
pub fn path(parts: &[&str]) -> String {
    let mut path = "/v1".to_owned();
    for part in parts {
        path.push('/');
        path.push_str(&segment(part));
    }
    path
}

#[derive(Deserialize)]
pub struct SetList {
    sets: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    region: String,
    #[serde(default = "pending")]
    status: SetStatus,
    error_message: Option<String>,
}

impl SetList {
    /// Returns the listed sets, sorted by name.
    pub fn summaries(self) -> Vec<SetInfo> {
        let mut summaries: Vec<_> = self
            .sets
            .into_iter()
            .map(|row| SetInfo {
                kind: kind(&row.kind),
                status: row.status,
                name: row.name,
                region: Some(row.region),
                error: row.error_message,
                keys: None,
            })
            .collect();
        summaries.sort_by(|one, other| one.name.cmp(&other.name));
        summaries
    }
}

fn kind(text: &str) -> SetKind {
    match text {
        "secret" => SetKind::Secret,
        "imagePullSecret" => SetKind::ImagePullSecret,
        _ => SetKind::Unknown,
    }
}

const fn pending() -> SetStatus {
    SetStatus::Pending
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredSet {
    #[serde(default)]
    region: String,
    #[serde(default = "pending")]
    status: SetStatus,
    error_message: Option<String>,
    secrets: Option<Vec<Field>>,
    source: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Field {
    field_name: String,
}

impl StoredSet {
    pub fn details(self, name: &SetName) -> Result<SetInfo, ServiceError> {
        let mut keys: Option<BTreeSet<String>> = self
            .secrets
            .map(|fields| fields.into_iter().map(|field| field.field_name).collect());
        if self.source.as_deref() == Some("referenced") {
            keys = None;
        } else if keys.is_none() {
            let what = "it has no `secrets`".to_owned();
            return Err(ServiceError::InvalidResponse(what));
        }
        Ok(SetInfo {
            name: name.to_string(),
            kind: SetKind::Secret,
            region: Some(self.region),
            status: self.status,
            error: self.error_message,
            keys,
        })
    }
}

/// Returns the rows of a list as pairs of the members `name` and `label`. A row without a label has its name as the label.
pub fn pairs(
    answer: &Value,
    list: &str,
    name: &str,
    label: &str,
) -> Result<Vec<(String, String)>, ServiceError> {
    let pair = |row: &Value| {
        let name = row[name].as_str()?;
        let label = row[label].as_str().unwrap_or(name);
        Some((name.to_owned(), label.to_owned()))
    };
    let rows = answer[list].as_array();
    let pairs = rows.and_then(|rows| rows.iter().map(pair).collect());
    pairs.ok_or_else(|| ServiceError::InvalidResponse(format!("it has no `{list}`")))
}

pub struct Body {
    pub text: Secret,
    /// The values in the body that must be redacted in responses.
    pub secrets: Vec<Secret>,
}

#[derive(Serialize)]
struct WholeSet<'a> {
    secrets: Vec<Pair<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Pair<'a> {
    secret_key: &'a str,
    secret_value: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OneKey<'a> {
    name: &'a str,
    is_image_pull_secret: bool,
    secret_key: &'a str,
    secret_value: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ImagePullSecretBody<'a> {
    is_image_pull_secret: bool,
    host: &'a str,
    secret_value: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<&'a str>,
}

/// Builds the body of a request that writes several keys at once.
pub fn whole_set(entries: &[Entry], region: Option<&Region>) -> Body {
    let body = WholeSet {
        secrets: entries
            .iter()
            .map(|entry| Pair {
                secret_key: entry.key.as_str(),
                secret_value: entry.value.expose(),
            })
            .collect(),
        region: region.map(Region::as_str),
    };
    let values = entries.iter().map(|entry| entry.value.clone());
    Body::new(&body, values)
}

pub fn one_key(name: &SetName, entry: &Entry, region: Option<&Region>) -> Body {
    let body = OneKey {
        name: name.as_str(),
        is_image_pull_secret: false,
        secret_key: entry.key.as_str(),
        secret_value: entry.value.expose(),
        region: region.map(Region::as_str),
    };
    Body::new(&body, [entry.value.clone()])
}

pub fn image_pull_secret(host: &str, credentials: &Secret, region: Option<&Region>) -> Body {
    let body = ImagePullSecretBody {
        is_image_pull_secret: true,
        host,
        secret_value: credentials.expose(),
        region: region.map(Region::as_str),
    };
    Body::new(&body, [credentials.clone()])
}

impl Body {
    /// Builds a body without secrets.
    pub fn plain(body: &Value) -> Self {
        Self::new(body, [])
    }

    fn new(body: &impl Serialize, secrets: impl IntoIterator<Item = Secret>) -> Self {
        Self {
            // A struct of strings always serializes.
            text: Secret::new(serde_json::to_string(body).unwrap_or_default()),
            secrets: secrets.into_iter().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{image_pull_secret, one_key, path, whole_set};
    use crate::domain::{Entry, Key, Region, SetName};
    use bot_cli_protocol::secret::Secret;

    #[test]
    fn segments_are_quoted() {
        assert_eq!(
            path(&["secrets", "a b/c?d#e%f", "é"]),
            "/v1/secrets/a%20b%2Fc%3Fd%23e%25f/%C3%A9"
        );
        assert_eq!(path(&["secrets", "a.b-c_d~e"]), "/v1/secrets/a.b-c_d~e");
    }

    #[test]
    fn bodies_are_as_the_service_reads_them() {
        let entry = Entry {
            key: Key::parse("A").unwrap(),
            value: Secret::new("x\"y".to_owned()),
        };
        let region = Region::parse("us-west").unwrap();
        assert_eq!(
            whole_set(std::slice::from_ref(&entry), Some(&region))
                .text
                .expose(),
            r#"{"secrets":[{"secretKey":"A","secretValue":"x\"y"}],"region":"us-west"}"#
        );
        assert_eq!(
            one_key(&SetName::parse("s").unwrap(), &entry, None)
                .text
                .expose(),
            r#"{"name":"s","isImagePullSecret":false,"secretKey":"A","secretValue":"x\"y"}"#
        );
        let host = "ghcr.io";
        assert_eq!(
            image_pull_secret(host, &Secret::new("dTpw".to_owned()), Some(&region))
                .text
                .expose(),
            r#"{"isImagePullSecret":true,"host":"ghcr.io","secretValue":"dTpw","region":"us-west"}"#
        );
    }
}
