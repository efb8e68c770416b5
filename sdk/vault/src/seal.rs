//! Encryption in the age format, with a vault's key or a backup's passphrase.

use std::io::{Read, Write};
use std::iter;

use age::secrecy::SecretString;
use age::{DecryptError, Decryptor, Encryptor, Identity, Recipient, scrypt, x25519};
use bot_cli_protocol::secret::Secret;
use zeroize::Zeroizing;

use super::document::Flaw;
use crate::random::random;

/// The scrypt work factor for new backups, as a power of two. Each guess at the passphrase takes 128 MiB and about half a second.
const WORK: u8 = if cfg!(test) { 4 } else { 17 };

/// The maximum accepted work factor, so that opening a file can't use up all memory.
const MOST_WORK: u8 = 20;

const CHANGED: &str = "bytes of it were changed or are missing";

pub fn with_key(document: &[u8], key: &x25519::Identity) -> Result<Vec<u8>, String> {
    seal(document, &key.to_public())
}

pub fn with_passphrase(document: &[u8], passphrase: &Secret) -> Result<Vec<u8>, String> {
    let mut recipient = scrypt::Recipient::new(owned(passphrase));
    recipient.set_work_factor(WORK);
    seal(document, &recipient)
}

pub fn open_with_key(bytes: &[u8], key: &x25519::Identity) -> Result<Zeroizing<Vec<u8>>, Flaw> {
    document(header(bytes)?, key, bytes.len())
}

pub fn open_with_passphrase(bytes: &[u8], passphrase: &Secret) -> Result<Zeroizing<Vec<u8>>, Flaw> {
    let decryptor = header(bytes)?;
    if !decryptor.is_scrypt() {
        let reason = "it is not sealed with a passphrase";
        return Err(Flaw::Damaged(reason.to_owned()));
    }
    let mut identity = scrypt::Identity::new(owned(passphrase));
    identity.set_max_work_factor(MOST_WORK);
    document(decryptor, &identity, bytes.len())
}

fn seal(document: &[u8], recipient: &dyn Recipient) -> Result<Vec<u8>, String> {
    // Without random numbers, age would panic.
    random(&mut [0; 32])?;
    let encryptor = Encryptor::with_recipients(iter::once(recipient));
    let encryptor = encryptor.map_err(|error| error.to_string())?;
    let mut bytes = Vec::with_capacity(document.len() + 1024);
    let written = encryptor.wrap_output(&mut bytes).and_then(|mut writer| {
        writer.write_all(document)?;
        writer.finish().map(drop)
    });
    written.map_err(|error| error.to_string())?;
    Ok(bytes)
}

fn header(bytes: &[u8]) -> Result<Decryptor<&[u8]>, Flaw> {
    Decryptor::new_buffered(bytes).map_err(|error| closed(&error))
}

fn document(
    decryptor: Decryptor<&[u8]>,
    identity: &dyn Identity,
    length: usize,
) -> Result<Zeroizing<Vec<u8>>, Flaw> {
    let reader = decryptor.decrypt(iter::once(identity));
    // The full capacity from the start: a growing buffer would leave copies that are not wiped.
    let mut document = Zeroizing::new(Vec::with_capacity(length));
    reader
        .map_err(|error| closed(&error))?
        .read_to_end(&mut document)
        .map_err(|_| Flaw::Damaged(CHANGED.to_owned()))?;
    Ok(document)
}

fn closed(error: &DecryptError) -> Flaw {
    #[expect(clippy::wildcard_enum_match_arm, reason = "age may add to it")]
    let reason = match error {
        DecryptError::NoMatchingKeys
        | DecryptError::KeyDecryptionFailed
        | DecryptError::DecryptionFailed => return Flaw::OtherKey,
        DecryptError::ExcessiveWork { .. } => "its passphrase costs more than this version accepts",
        DecryptError::UnknownFormat | DecryptError::InvalidHeader => {
            "it is no file of age, or its beginning was changed"
        }
        _ => CHANGED,
    };
    Flaw::Damaged(reason.to_owned())
}

fn owned(passphrase: &Secret) -> SecretString {
    passphrase.expose().to_owned().into()
}
