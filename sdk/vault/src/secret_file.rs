//! Secrets stored at a path, either in the file itself or in a keyring entry that the file refers to.
//!
//! The file always determines whether a secret exists and where it is stored, so a single rename replaces the secret. A file that refers to
//! an entry consists of the line `keyring = "NAME"`. Every secret has its own entry.

use std::path::{Path, PathBuf};
use std::{fs, io};

use bot_cli_protocol::secret::Secret;
use bot_cli_sdk::session::Session;
use serde::Serializer;

use crate::files::{
    self, Reason, WriteError, foreign_owner, refuse_special, sweep, too_open, write_private,
};
use crate::keyring::{self, KeyringError};
use crate::random::random;

/// The storage of a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storage {
    /// The file itself.
    File,
    /// The desktop keyring.
    Keyring,
}

impl Storage {
    /// Returns the storage's name in JSON output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Keyring => "keyring",
        }
    }

    /// Describes the storage of the secret at `path`, for use in messages.
    pub fn words(self, path: &Path) -> String {
        match self {
            Self::File => path.display().to_string(),
            Self::Keyring => "the keyring".to_owned(),
        }
    }
}

/// The reason that a secret can't be read or kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the variants are")]
pub enum SecretFileError {
    #[error("others can read or write it (mode {mode:o})")]
    TooOpen { mode: u32 },
    #[error("it belongs to another user (uid {owner})")]
    Foreign { owner: u32 },
    #[error("it was written, but the disk did not confirm it: {0}")]
    NotSynced(#[source] Reason),
    /// The file can't be read, or its contents are not valid.
    #[error("{0}")]
    File(#[source] Reason),
    #[error(transparent)]
    Keyring(#[from] KeyringError),
}

/// A file that contains a secret or refers to a keyring entry. The file may not exist yet.
#[derive(Clone)]
pub struct SecretFile<'a> {
    path: PathBuf,
    session: &'a Session,
}

impl<'a> SecretFile<'a> {
    /// Creates a handle to the secret at `path`. Waits for the keyring are shown in the session.
    pub fn new(path: PathBuf, session: &'a Session) -> Self {
        Self { path, session }
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reports whether the file exists, without opening it. An unreadable path and a dangling link count as existing.
    pub fn exists(&self) -> bool {
        !matches!(fs::symlink_metadata(&self.path), Err(error) if error.kind() == io::ErrorKind::NotFound)
    }

    /// Returns the secret, or `None` if the file doesn't exist.
    pub fn read(&self) -> Result<Option<Secret>, SecretFileError> {
        let Some(text) = self.file()? else {
            return Ok(None);
        };
        match entry(&text) {
            Some(name) => Ok(Some(keyring::read(name, self.session)?)),
            None => Ok(Some(text)),
        }
    }

    /// Returns where the secret is kept.
    pub fn place(&self) -> Storage {
        match self.entry() {
            Some(_) => Storage::Keyring,
            None => Storage::File,
        }
    }

    /// Replaces the secret and returns the storage used. Falls back to the file if the keyring is unavailable.
    pub fn write(&self, text: &Secret, wanted: Storage) -> Result<Storage, SecretFileError> {
        let entry = match wanted {
            Storage::File => None,
            Storage::Keyring => self.new_entry(text)?,
        };
        let before = self.entry();
        let place = entry.as_ref().map_or(Storage::File, |_| Storage::Keyring);
        let line = entry.as_ref().map(|name| format!("keyring = \"{name}\"\n"));
        let content = line.as_deref().unwrap_or(text.expose());
        let written = write_private(&self.path, content.as_bytes());
        // An unused entry is harmless, so a failure to remove it is ignored.
        let unneeded = match &written {
            Ok(()) => before,
            Err(WriteError::NotWritten(_)) => entry,
            // After a power failure, either version of the file may exist, so both entries are kept.
            Err(WriteError::NotSynced(_)) => None,
        };
        if let Some(name) = unneeded {
            let _ = keyring::remove(&name, self.session);
        }
        match written {
            Ok(()) => Ok(place),
            Err(WriteError::NotWritten(error)) => Err(SecretFileError::File(error.into())),
            Err(WriteError::NotSynced(error)) => Err(SecretFileError::NotSynced(error.into())),
        }
    }

    /// Creates an entry with a unique name. Returns `None` if no keyring can store the entry.
    fn new_entry(&self, text: &Secret) -> Result<Option<String>, SecretFileError> {
        // The first part of the name helps users recognize the entry in their keyring.
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let kind = name.split('.').next().unwrap_or_default();
        let mut number = [0; 8];
        random(&mut number).map_err(|reason| SecretFileError::File(reason.into()))?;
        let name = format!("{kind}-{:016x}", u64::from_be_bytes(number));
        match keyring::write(&name, text, self.session) {
            Ok(()) => return Ok(Some(name)),
            Err(KeyringError::Cancelled) => return Err(KeyringError::Cancelled.into()),
            Err(KeyringError::None(_)) => {}
            Err(error) => {
                let path = self.path.display();
                self.session
                    .warn(&format!("{error}, so `{path}` is used instead"));
            }
        }
        Ok(None)
    }

    /// Removes the file and its keyring entry. Returns `false` if there was no file.
    ///
    /// If the entry can't be removed, fails and leaves the file in place.
    pub fn remove(&self) -> Result<bool, SecretFileError> {
        if let Some(name) = self.entry() {
            match keyring::remove(&name, self.session) {
                Ok(()) | Err(KeyringError::NoEntry(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        if let Some(folder) = self.path.parent() {
            sweep(folder, files::STALE);
        }
        match fs::remove_file(&self.path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(SecretFileError::File(error.into())),
        }
    }

    /// Reads the file. Returns `None` if the file doesn't exist, and fails if other users can access it.
    fn file(&self) -> Result<Option<Secret>, SecretFileError> {
        match self.private_text() {
            Err(SecretFileError::File(_)) if !self.exists() => Ok(None),
            // A dangling link has its own message.
            Err(SecretFileError::File(why)) => Err(SecretFileError::File(
                files::exists(&self.path).map_or_else(Reason::from, |_| why),
            )),
            text => text.map(Some),
        }
    }

    fn private_text(&self) -> Result<Secret, SecretFileError> {
        let failed = |error: io::Error| SecretFileError::File(error.into());
        if let Some(mode) = too_open(&self.path).map_err(failed)? {
            return Err(SecretFileError::TooOpen { mode });
        }
        let metadata = fs::metadata(&self.path).map_err(failed)?;
        refuse_special(&metadata).map_err(failed)?;
        if let Some(owner) = foreign_owner(&metadata) {
            return Err(SecretFileError::Foreign { owner });
        }
        fs::read_to_string(&self.path)
            .map(Secret::new)
            .map_err(failed)
    }

    fn entry(&self) -> Option<String> {
        let text = self.file().ok()??;
        entry(&text).map(str::to_owned)
    }
}

/// Serializes a secret as plain text.
pub fn exposed<S: Serializer>(secret: &Secret, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(secret.expose())
}

/// Returns the name of the keyring entry that the file's text refers to, if any.
fn entry(text: &Secret) -> Option<&str> {
    let name = text.expose().trim_end().strip_prefix("keyring = \"")?;
    name.strip_suffix('"')
        .filter(|name| !name.contains(['"', '\n']))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use bot_cli_protocol::secret::Secret;

    use super::{SecretFile, SecretFileError, entry};
    use bot_cli_sdk::session::Session;

    #[test]
    fn what_is_no_file_of_its_owner_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("text");
        let session = Session::silent();
        let file = SecretFile::new(path.clone(), &session);
        std::fs::write(&path, "one").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
        assert_eq!(file.read(), Err(SecretFileError::TooOpen { mode: 0o640 }));
        std::fs::remove_file(&path).unwrap();
        symlink("nowhere", &path).unwrap();
        assert!(matches!(file.read(), Err(SecretFileError::File(_))));
    }

    #[test]
    fn a_file_names_an_entry_only_in_the_one_form() {
        let named = |text: &str| entry(&Secret::new(text.to_owned())).map(str::to_owned);
        assert_eq!(named("keyring = \"a-1\"\n"), Some("a-1".to_owned()));
        for other in [
            "token = \"a\"",
            "keyring = a",
            "keyring = \"a\"\ntoken = \"b\"",
            "",
        ] {
            assert_eq!(named(other), None, "{other}");
        }
    }
}
