//! A backup: every set with its values in one file, sealed with a passphrase. `VAULT.md` documents its form.

use std::collections::BTreeSet;

use argon2::{Algorithm, Argon2, Params, Version};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bot_cli_sdk::secret::Secret;
use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::contents::{CREDENTIALS, kind};
use super::sealed::{checked, flaw, with_checksum};
use crate::domain::{Key, Organization, Region, RegistryHost, SetKind, SetName};
use crate::random::random;

/// The first line.
const MAGIC: &str = "bot-cli vault backup 1\n";

/// The cost of guessing the passphrase of a new backup: 64 MiB and three passes per guess.
const COST: Cost = Cost {
    memory: 64 * 1024,
    passes: 3,
    lanes: 1,
};

/// The largest cost that is read, so that a file can't demand all of the memory.
const DEAREST: Cost = Cost {
    memory: 1024 * 1024,
    passes: 64,
    lanes: 16,
};

/// Why a file can't be restored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Closed {
    /// It is not a backup, or a damaged one.
    NotABackup(String),
    /// There is too little memory for what its passphrase costs, in KiB.
    OutOfMemory(u32),
    /// The passphrase is another one.
    WrongPassphrase,
}

/// Why sets can't be sealed.
#[derive(Debug)]
pub enum Unsealed {
    /// There is too little memory for what a passphrase costs, in KiB.
    OutOfMemory(u32),
    /// Something else.
    Failed(String),
}

impl From<String> for Unsealed {
    fn from(reason: String) -> Self {
        Self::Failed(reason)
    }
}

/// A set with its values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copied {
    pub organization: String,
    pub name: String,
    pub kind: SetKind,
    /// The code of its region.
    pub region: String,
    /// The registry of an image pull secret.
    pub host: Option<String>,
    /// By key.
    pub values: Vec<(String, Secret)>,
}

#[derive(Clone, Copy)]
struct Cost {
    memory: u32,
    passes: u32,
    lanes: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    kdf: String,
    memory: u32,
    passes: u32,
    lanes: u32,
    salt: String,
    nonce: String,
}

#[derive(Serialize)]
struct Text<'a> {
    sets: Vec<SetText<'a>>,
}

#[derive(Serialize)]
struct SetText<'a> {
    organization: &'a str,
    name: &'a str,
    kind: &'a str,
    region: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    host: Option<&'a str>,
    values: Vec<(&'a str, &'a str)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadText {
    sets: Vec<ReadSet>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadSet {
    organization: String,
    name: String,
    kind: String,
    region: String,
    host: Option<String>,
    values: Vec<(String, String)>,
}

/// The bytes of a backup of `sets`.
pub fn encode(sets: &[Copied], passphrase: &Secret) -> Result<Vec<u8>, Unsealed> {
    let (mut salt, mut nonce) = ([0; 16], [0; 24]);
    random(&mut salt)?;
    random(&mut nonce)?;
    encode_with(sets, passphrase, COST, salt, nonce)
}

fn encode_with(
    sets: &[Copied],
    passphrase: &Secret,
    cost: Cost,
    salt: [u8; 16],
    nonce: [u8; 24],
) -> Result<Vec<u8>, Unsealed> {
    let text = Text {
        sets: sets.iter().map(set_text).collect(),
    };
    let text = serde_json::to_vec(&text).map_err(|error| error.to_string())?;
    let text = Zeroizing::new(text);
    let header = Header {
        kdf: "argon2id".to_owned(),
        memory: cost.memory,
        passes: cost.passes,
        lanes: cost.lanes,
        salt: STANDARD.encode(salt),
        nonce: STANDARD.encode(nonce),
    };
    let header = serde_json::to_string(&header).map_err(|error| error.to_string())?;
    let header = format!("{MAGIC}{header}\n");
    let payload = Payload {
        msg: &text,
        aad: header.as_bytes(),
    };
    let cipher = cipher(passphrase, &salt, cost).map_err(|error| match closed(error, cost) {
        Closed::OutOfMemory(memory) => Unsealed::OutOfMemory(memory),
        Closed::NotABackup(_) | Closed::WrongPassphrase => Unsealed::Failed(error.to_string()),
    })?;
    let sealed = cipher
        .encrypt(&XNonce::from(nonce), payload)
        .map_err(|_| "it can't be sealed".to_owned())?;
    let sealed = STANDARD.encode(sealed);
    Ok(with_checksum(format!("{header}{sealed}\n")).into_bytes())
}

/// The sets of a backup.
pub fn decode(bytes: &[u8], passphrase: &Secret) -> Result<Vec<Copied>, Closed> {
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    if !text.starts_with(MAGIC) {
        return Err(not_a_backup(flaw(text, "it begins differently")));
    }
    let text = checked(text).ok_or_else(|| not_a_backup(flaw(text, "its checksum is wrong")))?;
    let invalid = || not_a_backup("its contents are not valid");
    let (first, sealed) = text[MAGIC.len()..].split_once('\n').ok_or_else(invalid)?;
    let header: Header = serde_json::from_str(first).map_err(|_| invalid())?;
    let cost = Cost {
        memory: header.memory,
        passes: header.passes,
        lanes: header.lanes,
    };
    if header.kdf != "argon2id"
        || cost.memory > DEAREST.memory
        || cost.passes > DEAREST.passes
        || cost.lanes > DEAREST.lanes
    {
        return Err(not_a_backup(
            "its passphrase is used in a way that this version does not know",
        ));
    }
    let salt = STANDARD.decode(&header.salt).map_err(|_| invalid())?;
    let nonce: [u8; 24] = STANDARD
        .decode(&header.nonce)
        .ok()
        .and_then(|nonce| nonce.try_into().ok())
        .ok_or_else(invalid)?;
    let sealed = STANDARD
        .decode(sealed.trim_end_matches('\n'))
        .map_err(|_| invalid())?;
    let payload = Payload {
        msg: &sealed,
        aad: &bytes[..=MAGIC.len() + first.len()],
    };
    let cipher = cipher(passphrase, &salt, cost).map_err(|error| closed(error, cost))?;
    let text = cipher
        .decrypt(&XNonce::from(nonce), payload)
        .map(Zeroizing::new)
        .map_err(|_| Closed::WrongPassphrase)?;
    let text: ReadText = serde_json::from_slice(&text).map_err(|_| invalid())?;
    let sets = text.sets.into_iter().map(copied);
    let sets = sets.collect::<Option<Vec<_>>>().ok_or_else(invalid)?;
    check(&sets).map_err(Closed::NotABackup)?;
    Ok(sets)
}

fn closed(error: argon2::Error, cost: Cost) -> Closed {
    if error == argon2::Error::OutOfMemory {
        Closed::OutOfMemory(cost.memory)
    } else {
        not_a_backup("its contents are not valid")
    }
}

fn not_a_backup(why: &str) -> Closed {
    Closed::NotABackup(why.to_owned())
}

/// Checks that every set could have been stored here, each of them once. The error says which one could not, by its number:
/// its name may be what is wrong.
pub fn check(sets: &[Copied]) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    for (index, set) in sets.iter().enumerate() {
        let wrong = |problem: String| format!("set {}: {problem}", index + 1);
        check_set(set).map_err(wrong)?;
        if !seen.insert((&set.organization, &set.name)) {
            return Err(wrong("an earlier one has its name".to_owned()));
        }
    }
    Ok(())
}

fn check_set(set: &Copied) -> Result<(), String> {
    let of = |what: &'static str| move |problem: String| format!("the {what} {problem}");
    Organization::parse(&set.organization).map_err(of("organization"))?;
    SetName::parse_existing(&set.name).map_err(of("name"))?;
    Region::parse(&set.region).map_err(of("region"))?;
    match (set.kind, &set.host) {
        (SetKind::ImagePullSecret, Some(host)) => {
            RegistryHost::parse(host).map_err(of("registry"))?;
            if !matches!(set.values.as_slice(), [(key, _)] if key == CREDENTIALS) {
                return Err("an image pull secret has one value, its credentials".to_owned());
            }
        }
        (SetKind::Secret, None) => {
            let mut keys = BTreeSet::new();
            for (key, _) in &set.values {
                Key::parse_existing(key).map_err(of("key"))?;
                if !keys.insert(key) {
                    return Err("a key is there twice".to_owned());
                }
            }
        }
        (SetKind::ImagePullSecret, None) => {
            return Err("an image pull secret has no registry".to_owned());
        }
        (SetKind::Secret, Some(_)) => return Err("a secret set has a registry".to_owned()),
        (SetKind::Unknown, _) => return Err("its kind is unknown".to_owned()),
    }
    let mut values = set.values.iter();
    if values.any(|(_, value)| value.expose().contains('\0')) {
        return Err("a value has a NUL character".to_owned());
    }
    Ok(())
}

fn cipher(
    passphrase: &Secret,
    salt: &[u8],
    cost: Cost,
) -> Result<XChaCha20Poly1305, argon2::Error> {
    let parameters = Params::new(cost.memory, cost.passes, cost.lanes, Some(32))?;
    let mut key = Zeroizing::new([0; 32]);
    Argon2::new(Algorithm::Argon2id, Version::V0x13, parameters).hash_password_into(
        passphrase.expose().as_bytes(),
        salt,
        key.as_mut_slice(),
    )?;
    Ok(XChaCha20Poly1305::new((&*key).into()))
}

fn set_text(set: &Copied) -> SetText<'_> {
    let values = set.values.iter();
    SetText {
        organization: &set.organization,
        name: &set.name,
        kind: set.kind.name(),
        region: &set.region,
        host: set.host.as_deref(),
        values: values
            .map(|(key, value)| (key.as_str(), value.expose()))
            .collect(),
    }
}

fn copied(set: ReadSet) -> Option<Copied> {
    let values = set.values.into_iter();
    Some(Copied {
        organization: set.organization,
        name: set.name,
        kind: kind(&set.kind)?,
        region: set.region,
        host: set.host,
        values: values
            .map(|(key, value)| (key, Secret::new(value)))
            .collect(),
    })
}

#[cfg(test)]
pub mod tests;
