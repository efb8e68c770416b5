//! `vault.sealed`: the form of a vault as bytes. `VAULT.md` documents it.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bot_cli_sdk::secret::Secret;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::contents::{Sealed, Set, Sets, kind};
use super::keys::{Derived, hex, unhex};
use crate::random::random;

/// The first line.
const MAGIC: &str = "bot-cli vault 2\n";

/// The first line of every version.
const FAMILY: &str = "bot-cli vault ";

const LINE_ENDS: &str =
    "an editor or a transfer changed its line ends, which `dos2unix` changes back";

/// The bytes of an id.
const ID: usize = 16;

/// Why bytes are not a vault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Flaw {
    /// A version that this program does not know wrote it.
    Format,
    /// It is damaged.
    Damaged(String),
}

/// A vault, with its values sealed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Book {
    /// Tells this vault from all others: 16 random bytes in hexadecimal.
    pub id: String,
    /// The number of writes.
    pub generation: u64,
    pub sets: Sets,
}

/// A vault as it was read: its checksum fits, and whoever has the key can authenticate it.
#[derive(Debug)]
pub struct Unverified {
    pub book: Book,
    /// The name of its key.
    pub key: String,
    body: String,
    code: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BookText {
    id: String,
    key: String,
    generation: u64,
    sets: Vec<SetText>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SetText {
    organization: String,
    name: String,
    kind: String,
    region: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    host: Option<String>,
    values: Vec<ValueText>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ValueText {
    key: String,
    version: u64,
    sealed: String,
}

impl Book {
    /// A vault with nothing in it; the error is that of the system's random numbers.
    pub fn new() -> Result<Self, String> {
        let mut id = [0; ID];
        random(&mut id)?;
        Ok(Self {
            id: hex(&id),
            generation: 0,
            sets: Sets::new(),
        })
    }

    /// Seals a value for its place and for this generation.
    #[must_use]
    pub fn seal(
        &self,
        keys: &Derived,
        organization: &str,
        name: &str,
        key: &str,
        value: &Secret,
    ) -> Option<Sealed> {
        let place = self.place(organization, name, key, self.generation);
        Some(Sealed {
            version: self.generation,
            bytes: keys.seal.close(&place, value)?,
        })
    }

    /// Opens a value.
    #[must_use]
    pub fn open(
        &self,
        keys: &Derived,
        organization: &str,
        name: &str,
        key: &str,
        sealed: &Sealed,
    ) -> Option<Secret> {
        let place = self.place(organization, name, key, sealed.version);
        keys.seal.open(&place, &sealed.bytes)
    }

    /// Returns the data that is authenticated with a value, so that a sealed value is valid only in one place and version.
    fn place(&self, organization: &str, name: &str, key: &str, version: u64) -> String {
        [&self.id, organization, name, key, &version.to_string()].join("\0")
    }

    /// The bytes of the file.
    pub fn encode(&self, keys: &Derived) -> Result<Vec<u8>, String> {
        let body = format!("{MAGIC}{}\n", self.text(keys.name.clone())?);
        let code = keys.code(body.as_bytes());
        Ok(with_checksum(format!("{body}mac {code}\n")).into_bytes())
    }

    fn text(&self, key: String) -> Result<String, String> {
        let set = |((organization, name), set): (&(String, String), &Set)| SetText {
            organization: organization.clone(),
            name: name.clone(),
            kind: set.kind.name().to_owned(),
            region: set.region.clone(),
            host: set.host.clone(),
            values: set.values.iter().map(value).collect(),
        };
        let text = BookText {
            id: self.id.clone(),
            key,
            generation: self.generation,
            sets: self.sets.iter().map(set).collect(),
        };
        serde_json::to_string(&text).map_err(|error| error.to_string())
    }
}

impl Unverified {
    /// Reads the bytes of the file. Every accidental damage is found, with or without the key.
    pub fn decode(bytes: &[u8]) -> Result<Self, Flaw> {
        let damaged = |reason: &str| Flaw::Damaged(reason.to_owned());
        let text = std::str::from_utf8(bytes).map_err(|_| damaged("it is not a vault"))?;
        if !text.starts_with(FAMILY) {
            return Err(damaged("it is not a vault"));
        }
        let checked = checked(text).ok_or_else(|| damaged(flaw(text, "its checksum is wrong")))?;
        if !checked.starts_with(MAGIC) {
            return Err(Flaw::Format);
        }
        let parts = checked.strip_suffix('\n').and_then(|lines| {
            let (body, code) = lines.rsplit_once("\nmac ")?;
            // The line break belongs to the body.
            Some((checked.get(..=body.len())?, code))
        });
        let (body, code) = parts.ok_or_else(|| damaged("it is not authenticated"))?;
        let line = &body[MAGIC.len()..];
        let (book, key) = book(line).ok_or_else(|| damaged("its contents are not valid"))?;
        Ok(Self {
            book,
            key,
            body: body.to_owned(),
            code: code.to_owned(),
        })
    }

    /// Whether everything in it was written with this key.
    #[must_use]
    pub fn is_authentic(&self, keys: &Derived) -> bool {
        keys.authenticates(self.body.as_bytes(), &self.code)
    }
}

fn value((key, sealed): (&String, &Sealed)) -> ValueText {
    ValueText {
        key: key.clone(),
        version: sealed.version,
        sealed: STANDARD.encode(&sealed.bytes),
    }
}

/// Text with the line of its checksum.
pub(super) fn with_checksum(text: String) -> String {
    let sum = hex(&Sha256::digest(text.as_bytes()));
    text + "sum " + &sum + "\n"
}

/// The text before the line of its checksum, if that is right.
pub(super) fn checked(text: &str) -> Option<&str> {
    let (before, _) = text.strip_suffix('\n')?.rsplit_once("\nsum ")?;
    let before = text.get(..=before.len())?;
    (with_checksum(before.to_owned()) == text).then_some(before)
}

/// Returns the problem of a text: changed line ends, or `otherwise`.
pub(super) fn flaw(text: &str, otherwise: &'static str) -> &'static str {
    if text.contains("\r\n") && checked(&text.replace("\r\n", "\n")).is_some() {
        LINE_ENDS
    } else {
        otherwise
    }
}

/// The contents of the one line of JSON, and the name of the key. There is one text for each book: no other order, no other
/// spelling, nothing twice.
fn book(line: &str) -> Option<(Book, String)> {
    let text: BookText = serde_json::from_str(line).ok()?;
    let mut sets = Sets::new();
    for set in text.sets {
        let mut values = BTreeMap::new();
        for value in set.values {
            if value.version > text.generation {
                return None;
            }
            let sealed = Sealed {
                version: value.version,
                bytes: STANDARD.decode(value.sealed).ok()?,
            };
            values.insert(value.key, sealed);
        }
        let found = Set {
            kind: kind(&set.kind)?,
            region: set.region,
            host: set.host,
            values,
        };
        sets.insert((set.organization, set.name), found);
    }
    let book = Book {
        id: text.id,
        generation: text.generation,
        sets,
    };
    let is_id = unhex(&book.id).is_some_and(|id| id.len() == ID);
    let same = book.text(text.key.clone()).ok()? + "\n" == line;
    (is_id && same).then_some((book, text.key))
}
