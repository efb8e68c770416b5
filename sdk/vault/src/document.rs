//! The JSON document in a vault or backup, as described in `VAULT.md`.

use std::collections::BTreeMap;

use bot_cli_protocol::secret::Secret;
use bot_cli_secrets::messages::SetKind;
use bot_cli_secrets::{Key, Organization, Region, SetName};
use serde::{Deserialize, Serialize, Serializer};
use zeroize::Zeroizing;

use super::Size;
use crate::secret_file::exposed;

const VERSION: u32 = 1;

/// All sets, keyed by organization and name.
pub type Sets = BTreeMap<(String, String), Set>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Set {
    pub region: String,
    pub contents: Contents,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Contents {
    #[serde(serialize_with = "exposed_values")]
    Secret(BTreeMap<String, Secret>),
    ImagePullSecret {
        host: String,
        #[serde(serialize_with = "exposed")]
        credentials: Secret,
    },
}

/// The reason why an encrypted document can't be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Flaw {
    /// The document is encrypted with another key or passphrase.
    OtherKey,
    /// A later version of this program wrote the document.
    Later,
    /// The document is damaged or was not written by this program.
    Damaged(String),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document<C> {
    version: u32,
    sets: Vec<Row<C>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row<C> {
    organization: String,
    name: String,
    region: String,
    contents: C,
}

#[derive(Deserialize)]
struct Version {
    version: u32,
}

impl Set {
    pub const fn kind(&self) -> SetKind {
        match self.contents {
            Contents::Secret(_) => SetKind::Secret,
            Contents::ImagePullSecret { .. } => SetKind::ImagePullSecret,
        }
    }
}

impl Contents {
    fn values(&self) -> Vec<&Secret> {
        match self {
            Self::Secret(values) => values.values().collect(),
            Self::ImagePullSecret { credentials, .. } => vec![credentials],
        }
    }
}

fn exposed_values<S: Serializer>(
    values: &BTreeMap<String, Secret>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(values.iter().map(|(key, value)| (key, value.expose())))
}

pub fn size(sets: &Sets) -> Size {
    Size {
        sets: sets.len(),
        values: sets.values().map(|set| set.contents.values().len()).sum(),
    }
}

pub fn encode(sets: &Sets) -> Result<Zeroizing<Vec<u8>>, String> {
    let rows = sets.iter().map(|((organization, name), set)| Row {
        organization: organization.clone(),
        name: name.clone(),
        region: set.region.clone(),
        contents: &set.contents,
    });
    let document = Document {
        version: VERSION,
        sets: rows.collect(),
    };
    serde_json::to_vec(&document)
        .map(Zeroizing::new)
        .map_err(|error| error.to_string())
}

/// Decodes a document. Fails if the document contains a set that this program could not have stored.
pub fn decode(bytes: &[u8]) -> Result<Sets, Flaw> {
    let unlike = |_| Flaw::Damaged("its content is not a vault's".to_owned());
    let Version { version } = serde_json::from_slice(bytes).map_err(unlike)?;
    if version > VERSION {
        return Err(Flaw::Later);
    }
    let document: Document<Contents> = serde_json::from_slice(bytes).map_err(unlike)?;
    let mut sets = Sets::new();
    for (index, row) in document.sets.into_iter().enumerate() {
        // The message uses the set's number, because the name may be the problem.
        let wrong = |problem: String| Flaw::Damaged(format!("set {}: {problem}", index + 1));
        check(&row).map_err(wrong)?;
        let set = Set {
            region: row.region,
            contents: row.contents,
        };
        if sets.insert((row.organization, row.name), set).is_some() {
            return Err(wrong("an earlier one has its name".to_owned()));
        }
    }
    Ok(sets)
}

fn check(row: &Row<Contents>) -> Result<(), String> {
    let of = |what: &'static str| move |problem: String| format!("the {what} {problem}");
    Organization::parse(&row.organization).map_err(of("organization"))?;
    SetName::parse_existing(&row.name).map_err(of("name"))?;
    Region::parse(&row.region).map_err(of("region"))?;
    match &row.contents {
        Contents::Secret(values) => {
            for key in values.keys() {
                Key::parse_existing(key).map_err(of("key"))?;
            }
        }
        Contents::ImagePullSecret { host, .. } => {
            registry(host).map_err(of("registry"))?;
        }
    }
    let mut values = row.contents.values().into_iter();
    if values.any(|value| value.expose().contains('\0')) {
        return Err("a value has a NUL character".to_owned());
    }
    Ok(())
}

/// Checks the address of a container image registry, such as `https://registry.example/v1/` or `ghcr.io`: a host with an optional scheme,
/// port and path. Fails if the address contains a user name or password.
pub fn registry(text: &str) -> Result<String, String> {
    if text.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err("has a blank in it".to_owned());
    }
    let scheme = if text.contains("://") { "" } else { "https://" };
    let parsed = url::Url::parse(&format!("{scheme}{text}")).ok();
    let parsed = parsed.filter(|url| {
        let is_host = url.host_str().is_some_and(|host| !host.is_empty());
        let has_more = url.query().is_some() || url.fragment().is_some();
        ["https", "http"].contains(&url.scheme()) && is_host && !has_more
    });
    let url = parsed.ok_or("is not an address, such as `https://registry.example/v1/`")?;
    if url.username().is_empty() && url.password().is_none() {
        return Ok(text.to_owned());
    }
    Err("has a user name in it; credentials are an argument of their own".to_owned())
}

#[cfg(test)]
mod tests {
    use super::{Flaw, decode, encode, registry};

    const WHOLE: &str = r#"{"version":1,"sets":[
        {"organization":"acme","name":"prod","region":"us-west","contents":{"secret":{"A":"1","B.c":""}}},
        {"organization":"acme","name":"pull","region":"us-west","contents":{"image_pull_secret":{"host":"ghcr.io","credentials":"x"}}}
    ]}"#;

    #[test]
    fn a_document_is_read_as_it_was_written() {
        let sets = decode(WHOLE.as_bytes()).unwrap();
        assert_eq!(decode(&encode(&sets).unwrap()), Ok(sets));
    }

    #[test]
    fn what_could_not_have_been_stored_is_refused() {
        for (from, to, problem) in [
            (
                r#""acme""#,
                r#""a/b""#,
                "set 1: the organization has a character that no organization has",
            ),
            (
                r#""prod""#,
                r#""-""#,
                "set 1: the name has a hyphen at an end",
            ),
            (
                r#""us-west""#,
                r#""""#,
                "set 1: the region is not the code of a region, such as `us-west`",
            ),
            (r#""A""#, r#""..""#, "set 1: the key can't be a key"),
            (
                r#""1""#,
                r#""\u0000""#,
                "set 1: a value has a NUL character",
            ),
            ("ghcr.io", "a b", "set 2: the registry has a blank in it"),
            ("pull\"", "prod\"", "set 2: an earlier one has its name"),
            (r#""A":"#, r#""A":1,"C":"#, "its content is not a vault's"),
            (
                r#""sets""#,
                r#""more":1,"sets""#,
                "its content is not a vault's",
            ),
            (
                r#""name""#,
                r#""more":1,"name""#,
                "its content is not a vault's",
            ),
            (
                r#""host""#,
                r#""more":1,"host""#,
                "its content is not a vault's",
            ),
            ("]}", "]", "its content is not a vault's"),
        ] {
            let spoiled = WHOLE.replacen(from, to, 1);
            assert_ne!(spoiled, WHOLE, "{from}");
            let flaw = Flaw::Damaged(problem.to_owned());
            assert_eq!(decode(spoiled.as_bytes()), Err(flaw), "{spoiled}");
        }
        let later = r#"{"version":2,"all":"new"}"#;
        assert_eq!(decode(later.as_bytes()), Err(Flaw::Later));
    }

    #[test]
    fn registry_hosts_are_addresses_without_credentials() {
        for host in [
            "https://index.docker.io/v1/",
            "ghcr.io",
            "registry.example:5000/team",
            "http://localhost:5000",
            "localhost:5000",
        ] {
            assert!(registry(host).is_ok(), "{host:?}");
        }
        for host in [
            "",
            "https://",
            "ftp://a",
            "https://user:pass@a/",
            "user@a",
            "a b",
            "https://a/?x",
            "https://a/#x",
        ] {
            assert!(registry(host).is_err(), "{host:?}");
        }
    }
}
