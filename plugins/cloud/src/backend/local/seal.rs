//! Documents sealed in the format of age: to the key of a vault, or to the passphrase of a backup.

use std::io::{Read, Write};
use std::iter;

use age::secrecy::SecretString;
use age::{DecryptError, Decryptor, Encryptor, scrypt};
use bot_cli_protocol::secret::Secret;
use zeroize::Zeroizing;

use super::key::Key;
use crate::random::random;

/// The cost of guessing the passphrase of a new backup, as a power of two: 128 MiB and half a second per guess.
const WORK: u8 = if cfg!(test) { 4 } else { 17 };

/// The largest cost that is read, so that a file can't demand all of the memory.
const MOST_WORK: u8 = 20;

/// Why something sealed can't be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Closed {
    /// It is nothing sealed, or damaged.
    Damaged(&'static str),
    /// It is sealed to another key or passphrase.
    OtherKey,
    /// There is too little memory for what its passphrase costs, in MiB.
    OutOfMemory(u32),
}

/// Why a document can't be sealed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unsealed {
    /// There is too little memory for what a passphrase costs, in MiB.
    OutOfMemory(u32),
    Failed(String),
}

/// Seals a document to the key of a vault.
pub fn with_key(document: &[u8], key: &Key) -> Result<Vec<u8>, String> {
    let recipient = key.0.to_public();
    // There is a recipient, so this is always there.
    let encryptor = Encryptor::with_recipients(iter::once(&recipient as _));
    seal(encryptor.map_err(|error| error.to_string())?, document)
}

/// Seals a document to the passphrase of a backup.
pub fn with_passphrase(document: &[u8], passphrase: &Secret) -> Result<Vec<u8>, Unsealed> {
    room_for(WORK).map_err(Unsealed::OutOfMemory)?;
    let mut recipient = scrypt::Recipient::new(owned(passphrase));
    recipient.set_work_factor(WORK);
    let encryptor = Encryptor::with_recipients(iter::once(&recipient as _))
        .map_err(|error| Unsealed::Failed(error.to_string()))?;
    seal(encryptor, document).map_err(Unsealed::Failed)
}

/// Opens what was sealed to the key of a vault.
pub fn open_with_key(bytes: &[u8], key: &Key) -> Result<Zeroizing<Vec<u8>>, Closed> {
    open(bytes, &key.0, Kind::Key)
}

/// Opens what was sealed to the passphrase of a backup.
pub fn open_with_passphrase(
    bytes: &[u8],
    passphrase: &Secret,
) -> Result<Zeroizing<Vec<u8>>, Closed> {
    if let Some(work) = work(bytes).filter(|work| *work <= MOST_WORK) {
        room_for(work).map_err(Closed::OutOfMemory)?;
    }
    let mut identity = scrypt::Identity::new(owned(passphrase));
    identity.set_max_work_factor(MOST_WORK);
    open(bytes, &identity, Kind::Passphrase)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Key,
    Passphrase,
}

fn seal(encryptor: Encryptor, document: &[u8]) -> Result<Vec<u8>, String> {
    // Where the system gives none, age would panic.
    random(&mut [0; 32])?;
    let mut bytes = Vec::with_capacity(document.len() + 1024);
    let written = encryptor.wrap_output(&mut bytes).and_then(|mut writer| {
        writer.write_all(document)?;
        writer.finish().map(drop)
    });
    written.map_err(|error| error.to_string())?;
    Ok(bytes)
}

fn open(
    bytes: &[u8],
    identity: &dyn age::Identity,
    kind: Kind,
) -> Result<Zeroizing<Vec<u8>>, Closed> {
    let decryptor = Decryptor::new_buffered(bytes).map_err(|error| closed(&error))?;
    if decryptor.is_scrypt() != (kind == Kind::Passphrase) {
        return Err(Closed::Damaged(match kind {
            Kind::Key => "it is sealed with a passphrase",
            Kind::Passphrase => "it is not sealed with a passphrase",
        }));
    }
    let mut reader = decryptor
        .decrypt(iter::once(identity))
        .map_err(|error| closed(&error))?;
    // As large as it will be: what a growing buffer leaves behind would not be wiped.
    let mut document = Zeroizing::new(Vec::with_capacity(bytes.len()));
    reader
        .read_to_end(&mut document)
        .map_err(|_| Closed::Damaged(CHANGED))?;
    Ok(document)
}

const CHANGED: &str = "bytes of it were changed or are missing";

fn closed(error: &DecryptError) -> Closed {
    #[expect(clippy::wildcard_enum_match_arm, reason = "age may add to it")]
    match error {
        DecryptError::NoMatchingKeys
        | DecryptError::KeyDecryptionFailed
        | DecryptError::DecryptionFailed => Closed::OtherKey,
        DecryptError::ExcessiveWork { .. } => {
            Closed::Damaged("its passphrase costs more than this version accepts")
        }
        DecryptError::UnknownFormat | DecryptError::InvalidHeader => {
            Closed::Damaged("it is no file of age, or its beginning was changed")
        }
        _ => Closed::Damaged(CHANGED),
    }
}

/// The cost of the passphrase that a file names.
fn work(bytes: &[u8]) -> Option<u8> {
    let line = bytes.split(|byte| *byte == b'\n').nth(1)?;
    let line = std::str::from_utf8(line).ok()?;
    line.strip_prefix("-> scrypt ")?
        .rsplit(' ')
        .next()?
        .parse()
        .ok()
}

/// Fails where there is too little memory for a passphrase of this cost, because age would abort. The error is what it
/// needs, in MiB.
fn room_for(work: u8) -> Result<(), u32> {
    // As scrypt has it: 128 bytes, 8 blocks.
    let bytes = 1024_usize << work;
    Vec::<u8>::new()
        .try_reserve_exact(bytes)
        .map_err(|_| 1_u32.max(1 << work.saturating_sub(10)))
}

fn owned(passphrase: &Secret) -> SecretString {
    passphrase.expose().to_owned().into()
}
