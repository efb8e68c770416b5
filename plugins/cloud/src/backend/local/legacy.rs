//! `vault.redb`: the vault of earlier versions. It is read as it is and converted at the first change.
//!
//! The database has three tables. `about`: `format` is `1`, `check` a sealed text that tells the right key from a wrong one.
//! `sets`: organization, NUL, name → JSON with kind and region, and the host of an image pull secret. `values`:
//! organization, NUL, name, NUL, key → sealed value. Names, regions and hosts are not authenticated.

mod database;

use std::collections::BTreeMap;

use bot_cli_sdk::secret::Secret;
use serde::Deserialize;

use super::contents::{Sealed, Set, Sets, kind};
use super::keys::Key;
use super::seal::Seal;
use super::sealed::Flaw;
use database::Unreadable;

/// The place and the text of the sealed `check`.
const CHECK: &str = "check";

/// A vault of an earlier version.
#[derive(Debug)]
pub struct Legacy {
    /// The sets, with sealed values.
    pub sets: Sets,
    check: Vec<u8>,
}

#[derive(Deserialize)]
struct SetText {
    kind: String,
    region: String,
    host: Option<String>,
}

impl Legacy {
    /// Reads the bytes of `vault.redb`.
    pub fn decode(bytes: &[u8]) -> Result<Self, Flaw> {
        let mut tables = database::tables(bytes).map_err(|error| match error {
            Unreadable::Version => Flaw::Format,
            Unreadable::Damaged(reason) => Flaw::Damaged(reason.to_owned()),
        })?;
        let mut table = |name: &str| {
            let missing = || Flaw::Damaged(format!("it has no table `{name}`"));
            tables.remove(name.as_bytes()).ok_or_else(missing)
        };
        let mut about = table("about")?;
        if about.remove(&b"format"[..]).as_deref() != Some(b"1") {
            return Err(Flaw::Format);
        }
        let mut sets = Sets::new();
        for (place, text) in table("sets")? {
            let [organization, name] = parts(place)?;
            sets.insert((organization, name), set(&text)?);
        }
        for (place, bytes) in table("values")? {
            let [organization, name, key] = parts(place)?;
            let set = sets.get_mut(&(organization, name));
            let set = set.ok_or_else(|| damaged("a value belongs to no set"))?;
            set.values.insert(key, Sealed { version: 0, bytes });
        }
        Ok(Self {
            sets,
            check: about.remove(CHECK.as_bytes()).unwrap_or_default(),
        })
    }

    /// Whether the values were sealed with this key.
    #[must_use]
    pub fn fits(&self, key: &Key) -> bool {
        Seal::new(key.bytes()).open(CHECK, &self.check).is_some()
    }
}

/// Opens a value of such a vault.
#[must_use]
pub fn open(
    key: &Key,
    organization: &str,
    name: &str,
    value: &str,
    sealed: &Sealed,
) -> Option<Secret> {
    let place = [organization, name, value].join("\0");
    Seal::new(key.bytes()).open(&place, &sealed.bytes)
}

fn set(text: &[u8]) -> Result<Set, Flaw> {
    let text: SetText =
        serde_json::from_slice(text).map_err(|_| damaged("a set has no valid description"))?;
    Ok(Set {
        kind: kind(&text.kind).ok_or_else(|| damaged("a set is of an unknown kind"))?,
        region: text.region,
        host: text.host,
        values: BTreeMap::new(),
    })
}

fn parts<const COUNT: usize>(place: Vec<u8>) -> Result<[String; COUNT], Flaw> {
    let place = String::from_utf8(place).ok();
    let parts = place.map(|place| place.split('\0').map(str::to_owned).collect::<Vec<_>>());
    parts
        .and_then(|parts| parts.try_into().ok())
        .ok_or_else(|| damaged("a name is not valid"))
}

fn damaged(reason: &str) -> Flaw {
    Flaw::Damaged(reason.to_owned())
}

#[cfg(test)]
pub mod tests;
