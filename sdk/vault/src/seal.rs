//! Encryption in the age format, with a vault's key or a backup's passphrase.

use std::io::{self, BufRead, BufReader, Read};
use std::iter;

use age::secrecy::SecretString;
use age::{DecryptError, Decryptor, Encryptor, Identity, Recipient, scrypt, x25519};
use bot_cli_protocol::secret::Secret;

use super::plain::{Flaw, Plain};
use crate::random::random;

/// The scrypt work factor for new backups, as a power of two. Each guess at the passphrase takes 128 MiB and about half a second.
const WORK: u8 = if cfg!(test) { 4 } else { 17 };

/// The maximum accepted work factor, so that opening a file can't use up all memory.
const MOST_WORK: u8 = 20;

const CHANGED: &str = "bytes of it were changed or are missing";

/// Writes a document.
pub type Write<'a> = &'a dyn Fn(&mut dyn io::Write) -> io::Result<()>;

/// Encrypts a document of about `length` bytes with a vault's key.
pub fn with_key(
    length: usize,
    write: Write<'_>,
    key: &x25519::Identity,
) -> Result<Vec<u8>, String> {
    seal(length, write, &key.to_public())
}

/// Encrypts a document of about `length` bytes with a passphrase.
pub fn with_passphrase(
    length: usize,
    write: Write<'_>,
    passphrase: &Secret,
) -> Result<Vec<u8>, String> {
    let mut recipient = scrypt::Recipient::new(owned(passphrase));
    recipient.set_work_factor(WORK);
    seal(length, write, &recipient)
}

/// Decrypts a file of at most `length` bytes with a vault's key.
pub fn open_with_key(
    file: impl Read,
    length: usize,
    key: &x25519::Identity,
) -> Result<Plain, Flaw> {
    document(header(file)?, key, length)
}

/// Decrypts a file of at most `length` bytes with a passphrase.
pub fn open_with_passphrase(
    file: impl Read,
    length: usize,
    passphrase: &Secret,
) -> Result<Plain, Flaw> {
    let decryptor = header(file)?;
    if !decryptor.is_scrypt() {
        let reason = "it is not sealed with a passphrase";
        return Err(Flaw::Damaged(reason.to_owned()));
    }
    let mut identity = scrypt::Identity::new(owned(passphrase));
    identity.set_max_work_factor(MOST_WORK);
    document(decryptor, &identity, length)
}

fn seal(length: usize, write: Write<'_>, recipient: &dyn Recipient) -> Result<Vec<u8>, String> {
    // Without random numbers, age would panic.
    random(&mut [0; 32])?;
    let encryptor = Encryptor::with_recipients(iter::once(recipient));
    let encryptor = encryptor.map_err(|error| error.to_string())?;
    let mut bytes = Vec::with_capacity(length + length / 1024 + 4096);
    let written = encryptor.wrap_output(&mut bytes).and_then(|mut writer| {
        write(&mut writer)?;
        writer.finish().map(drop)
    });
    written.map_err(|error| error.to_string())?;
    Ok(bytes)
}

fn header<R: Read>(file: R) -> Result<Decryptor<BufReader<R>>, Flaw> {
    Decryptor::new_buffered(BufReader::new(file)).map_err(closed)
}

fn document(
    decryptor: Decryptor<impl BufRead>,
    identity: &dyn Identity,
    length: usize,
) -> Result<Plain, Flaw> {
    let reader = decryptor.decrypt(iter::once(identity)).map_err(closed)?;
    // The full capacity from the start: a growing buffer would leave copies that are not wiped.
    let mut document = Plain(Vec::with_capacity(length));
    let read = reader.take(length as u64).read_to_end(&mut document.0);
    read.map_err(|error| closed(error.into()))?;
    Ok(document)
}

fn closed(error: DecryptError) -> Flaw {
    #[expect(clippy::wildcard_enum_match_arm, reason = "age may add to it")]
    let reason = match error {
        DecryptError::NoMatchingKeys
        | DecryptError::KeyDecryptionFailed
        | DecryptError::DecryptionFailed => return Flaw::OtherKey,
        // An error of age has no number of the system.
        DecryptError::Io(error) if error.raw_os_error().is_some() => {
            return Flaw::Unread(error.into());
        }
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
