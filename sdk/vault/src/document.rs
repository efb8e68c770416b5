//! The JSON document in a vault or backup, as described in `VAULT.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::ops::Range;

use bot_cli_protocol::secret::Secret;
use bot_cli_secrets::messages::SetKind;
use bot_cli_secrets::{Key, Organization, Region, SetName};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use super::Size;
use crate::plain::{Flaw, Plain};
use crate::secret_file::exposed;

const VERSION: u32 = 1;

const UNLIKE: &str = "its content is not a vault's";

/// An organization and the name of one of its sets.
pub type Place = (String, String);

/// All sets. Contents are decoded when they are asked for: most commands ask for one set, or for names.
#[derive(Debug, Default)]
pub struct Sets {
    text: Plain,
    rows: BTreeMap<Place, Row>,
}

/// What is known of a set without its contents.
#[derive(Debug)]
pub struct Row {
    pub region: String,
    pub kind: SetKind,
    stored: Stored,
}

#[derive(Debug)]
enum Stored {
    /// The contents are still as they were read.
    At(Range<usize>),
    New(Contents),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Set {
    pub region: String,
    pub contents: Contents,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Contents {
    #[serde(serialize_with = "exposed_values")]
    Secret(BTreeMap<String, Secret>),
    ImagePullSecret(ImagePullSecret),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImagePullSecret {
    pub host: String,
    #[serde(serialize_with = "exposed")]
    pub credentials: Secret,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document<'a> {
    version: u32,
    #[serde(borrow)]
    sets: Vec<Entry<'a>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry<'a> {
    organization: String,
    name: String,
    region: String,
    #[serde(borrow)]
    contents: Raw<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Raw<'a> {
    #[serde(borrow)]
    Secret(&'a RawValue),
    ImagePullSecret(&'a RawValue),
}

#[derive(Deserialize)]
struct Version {
    version: u32,
}

impl Contents {
    pub const fn kind(&self) -> SetKind {
        match self {
            Self::Secret(_) => SetKind::Secret,
            Self::ImagePullSecret(_) => SetKind::ImagePullSecret,
        }
    }

    /// Decodes contents. Fails if this program could not have stored them.
    fn decode(kind: SetKind, text: &[u8]) -> Result<Self, String> {
        let contents = match kind {
            SetKind::ImagePullSecret => serde_json::from_slice(text).map(Self::ImagePullSecret),
            SetKind::Secret | SetKind::Unknown => serde_json::from_slice(text).map(Self::Secret),
        };
        let contents = contents.map_err(|_| UNLIKE)?;
        contents.check()?;
        Ok(contents)
    }

    /// Returns the keys of a secret set. An image pull secret has none.
    pub fn keys(&self) -> Option<BTreeSet<String>> {
        match self {
            Self::Secret(values) => Some(values.keys().cloned().collect()),
            Self::ImagePullSecret(_) => None,
        }
    }

    fn values(&self) -> Vec<&Secret> {
        match self {
            Self::Secret(values) => values.values().collect(),
            Self::ImagePullSecret(secret) => vec![&secret.credentials],
        }
    }

    fn check(&self) -> Result<(), String> {
        match self {
            Self::Secret(values) => {
                for key in values.keys() {
                    Key::parse_existing(key).map_err(|problem| format!("the key {problem}"))?;
                }
            }
            Self::ImagePullSecret(secret) => {
                registry(&secret.host).map_err(|problem| format!("the registry {problem}"))?;
            }
        }
        let mut values = self.values().into_iter();
        if values.any(|value| value.expose().contains('\0')) {
            return Err("a value has a NUL character".to_owned());
        }
        Ok(())
    }
}

fn exposed_values<S: Serializer>(
    values: &BTreeMap<String, Secret>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(values.iter().map(|(key, value)| (key, value.expose())))
}

impl Sets {
    /// Decodes a document, except for the contents of its sets. Fails if this program could not have stored it.
    pub fn decode(text: Plain) -> Result<Self, Flaw> {
        let document: Result<Document<'_>, _> = serde_json::from_slice(&text.0);
        let document = document.map_err(|_| {
            let later =
                serde_json::from_slice(&text.0).is_ok_and(|it: Version| it.version > VERSION);
            if later {
                Flaw::Later
            } else {
                Flaw::Damaged(UNLIKE.to_owned())
            }
        })?;
        if document.version > VERSION {
            return Err(Flaw::Later);
        }
        let mut rows = BTreeMap::new();
        for (index, entry) in document.sets.into_iter().enumerate() {
            // The message uses the set's number, because the name may be the problem.
            let wrong = |problem: String| Flaw::Damaged(format!("set {}: {problem}", index + 1));
            entry.check().map_err(wrong)?;
            let (kind, raw) = match entry.contents {
                Raw::Secret(raw) => (SetKind::Secret, raw.get()),
                Raw::ImagePullSecret(raw) => (SetKind::ImagePullSecret, raw.get()),
            };
            let start = raw.as_ptr().addr() - text.0.as_ptr().addr();
            let row = Row {
                region: entry.region,
                kind,
                stored: Stored::At(start..start + raw.len()),
            };
            let place = (entry.organization, entry.name);
            if rows.insert(place, row).is_some() {
                return Err(wrong("an earlier one has its name".to_owned()));
            }
        }
        Ok(Self { text, rows })
    }

    pub fn iter(&self) -> impl Iterator<Item = (&Place, &Row)> {
        self.rows.iter()
    }

    /// Decodes one set. Fails if this program could not have stored it.
    pub fn get(&self, place: &Place) -> Result<Option<Set>, Flaw> {
        let Some(row) = self.rows.get(place) else {
            return Ok(None);
        };
        let contents = match &row.stored {
            Stored::New(contents) => contents.clone(),
            Stored::At(range) => {
                let (organization, name) = place;
                let wrong =
                    |problem| Flaw::Set(format!("the set `{name}` of `{organization}`: {problem}"));
                let text = &self.text.0[range.clone()];
                Contents::decode(row.kind, text).map_err(wrong)?
            }
        };
        let region = row.region.clone();
        Ok(Some(Set { region, contents }))
    }

    /// Replaces a set, or removes it.
    pub fn put(&mut self, place: Place, set: Option<Set>) {
        let Some(set) = set else {
            self.rows.remove(&place);
            return;
        };
        let row = Row {
            region: set.region,
            kind: set.contents.kind(),
            stored: Stored::New(set.contents),
        };
        self.rows.insert(place, row);
    }

    /// Decodes everything, and counts it.
    pub fn size(&self) -> Result<Size, Flaw> {
        let mut size = Size::default();
        for place in self.rows.keys() {
            let set = self.get(place)?;
            size.sets += 1;
            size.values += set.map_or(0, |set| set.contents.values().len());
        }
        Ok(size)
    }

    /// The approximate length of the document.
    pub fn length(&self) -> usize {
        self.text.0.len()
    }

    /// Writes the document.
    pub fn write(&self, mut out: impl Write) -> io::Result<()> {
        write!(out, r#"{{"version":{VERSION},"sets":["#)?;
        let mut comma = "";
        for ((organization, name), row) in &self.rows {
            let [organization, name, region, kind] = [
                Value::from(organization.as_str()),
                Value::from(name.as_str()),
                Value::from(row.region.as_str()),
                Value::from(row.kind.name()),
            ];
            write!(
                out,
                r#"{comma}{{"organization":{organization},"name":{name},"region":{region},"contents":{{{kind}:"#
            )?;
            match &row.stored {
                Stored::At(range) => {
                    out.write_all(&self.text.0[range.clone()])?;
                }
                Stored::New(contents) => serde_json::to_writer(&mut out, contents)?,
            }
            out.write_all(b"}}")?;
            comma = ",";
        }
        out.write_all(b"]}")
    }
}

impl Entry<'_> {
    fn check(&self) -> Result<(), String> {
        let of = |what: &'static str| move |problem: String| format!("the {what} {problem}");
        Organization::parse(&self.organization).map_err(of("organization"))?;
        SetName::parse_existing(&self.name).map_err(of("name"))?;
        Region::parse(&self.region).map_err(of("region"))?;
        Ok(())
    }
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
    use super::{Flaw, Plain, Sets, registry};

    const WHOLE: &str = r#"{"version":1,"sets":[
        {"organization":"acme","name":"prod","region":"us-west","contents":{"secret":{"A":"1","B.c":""}}},
        {"organization":"acme","name":"pull","region":"us-west","contents":{"image_pull_secret":{"host":"ghcr.io","credentials":"x"}}}
    ]}"#;

    fn decode(text: &str) -> Result<Sets, Flaw> {
        let sets = Sets::decode(Plain(text.into()))?;
        sets.size().map(|_| sets)
    }

    #[test]
    fn a_document_is_read_as_it_was_written() {
        let mut sets = decode(WHOLE).unwrap();
        for _ in 0..2 {
            let mut written = Vec::new();
            sets.write(&mut written).unwrap();
            let without_blanks: String = WHOLE.split_whitespace().collect();
            assert_eq!(String::from_utf8(written).unwrap(), without_blanks);
            // A set that was decoded and put back is written as before.
            for name in ["prod", "pull"] {
                let place = ("acme".to_owned(), name.to_owned());
                let set = sets.get(&place).unwrap();
                assert!(set.is_some(), "{name}");
                sets.put(place, set);
            }
        }
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
            (
                r#""A""#,
                r#""..""#,
                "the set `prod` of `acme`: the key can't be a key",
            ),
            (
                r#""1""#,
                r#""\u0000""#,
                "the set `prod` of `acme`: a value has a NUL character",
            ),
            (
                "ghcr.io",
                "a b",
                "the set `pull` of `acme`: the registry has a blank in it",
            ),
            ("pull\"", "prod\"", "set 2: an earlier one has its name"),
            (
                r#""A":"#,
                r#""A":1,"C":"#,
                "the set `prod` of `acme`: its content is not a vault's",
            ),
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
                "the set `pull` of `acme`: its content is not a vault's",
            ),
            ("]}", "]", "its content is not a vault's"),
        ] {
            let spoiled = WHOLE.replacen(from, to, 1);
            assert_ne!(spoiled, WHOLE, "{from}");
            let flaw = if problem.starts_with("the set") {
                Flaw::Set(problem.to_owned())
            } else {
                Flaw::Damaged(problem.to_owned())
            };
            assert_eq!(decode(&spoiled).unwrap_err(), flaw, "{spoiled}");
        }
        let later = r#"{"version":2,"all":"new"}"#;
        assert_eq!(decode(later).unwrap_err(), Flaw::Later);
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
