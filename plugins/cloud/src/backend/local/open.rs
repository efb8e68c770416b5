//! The vault with its key: what is authenticated, and what opens values.

use std::fmt;
use std::path::PathBuf;

use bot_cli_sdk::secret::Secret;

use super::contents::{Sealed, Sets};
use super::home::{Home, Locked, VaultState};
use super::keys::{Derived, Key};
use super::sealed::Book;
use super::{VaultError, key, legacy};
use crate::keyring::KeyringError;
use crate::secret_file::Storage;

/// The maximum number of attempts to read a vault while another process replaces its key.
const ATTEMPTS: u32 = 20;

/// A vault and its key.
pub struct Open {
    pub book: Book,
    /// The key.
    pub key: Key,
    pub keys: Derived,
    /// Whether an earlier version wrote it.
    pub is_legacy: bool,
    /// Whether everything in it was written with the key.
    pub is_authentic: bool,
    pub path: PathBuf,
}

impl fmt::Debug for Open {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Open")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl VaultState {
    /// Whether this is the key of the vault.
    #[must_use]
    pub fn fits(&self, key: &Key) -> bool {
        match self {
            Self::Nothing => false,
            Self::Legacy(legacy) => legacy.fits(key),
            Self::Sealed(sealed) => Derived::new(key, &sealed.book.id).name == sealed.key,
        }
    }

    /// The vault with its key; `None` when there is no vault.
    #[must_use]
    pub fn unlocked(self, key: Key, home: &Home<'_>) -> Option<Open> {
        match self {
            Self::Nothing => None,
            Self::Legacy(legacy) => Some(Open {
                keys: Derived::new(&key, ""),
                key,
                book: Book {
                    id: String::new(),
                    generation: 0,
                    sets: legacy.sets,
                },
                is_legacy: true,
                is_authentic: true,
                path: home.legacy(),
            }),
            Self::Sealed(sealed) => {
                let keys = Derived::new(&key, &sealed.book.id);
                Some(Open {
                    is_authentic: sealed.is_authentic(&keys),
                    book: sealed.book,
                    key,
                    keys,
                    is_legacy: false,
                    path: home.sealed(),
                })
            }
        }
    }
}

impl Home<'_> {
    /// The sets without their values, authenticated if the key can be had without asking anybody. `None` when there is no
    /// vault.
    pub fn sets(&self) -> Result<Option<Sets>, VaultError> {
        settled(|| {
            let found = self.read(Locked::No)?;
            let key = match found {
                VaultState::Sealed(_) => self.key_at_hand(&found)?,
                VaultState::Nothing | VaultState::Legacy(_) => None,
            };
            if let Some(key) = key {
                return authentic(found.unlocked(key, self)).map(|open| Some(open.book.sets));
            }
            let (sets, why) = match found {
                VaultState::Nothing => return Ok(None),
                VaultState::Legacy(legacy) => (legacy.sets, "an earlier version wrote the vault"),
                VaultState::Sealed(sealed) => (sealed.book.sets, "that needs the vault's key"),
            };
            self.watch.detail(&format!(
                "the names in the vault are not authenticated: {why}"
            ));
            Ok(Some(sets))
        })
    }

    /// The vault with its key, authenticated; `None` when there is no vault.
    pub fn open(&self, locked: Locked) -> Result<Option<Open>, VaultError> {
        settled(|| match self.open_unverified(locked)? {
            None => Ok(None),
            open => authentic(open).map(Some),
        })
    }

    /// The vault with its key; `None` when there is no vault.
    pub fn open_unverified(&self, locked: Locked) -> Result<Option<Open>, VaultError> {
        settled(|| match self.read(locked)? {
            VaultState::Nothing => Ok(None),
            found @ (VaultState::Legacy(_) | VaultState::Sealed(_)) => {
                let key = self.key_of(&found)?;
                Ok(found.unlocked(key, self))
            }
        })
    }

    /// The key of a vault. The one that is to take its place counts, too: a new key may have come to the end of its way
    /// only half.
    pub fn key_of(&self, found: &VaultState) -> Result<Key, VaultError> {
        let file = self.key_file();
        let current = key::read(&file);
        let path = file.path().to_owned();
        match current {
            Ok(Some(key)) if found.fits(&key) => Ok(key),
            current => match (key::read(&self.next_key_file()), current) {
                (Ok(Some(key)), _) if found.fits(&key) => Ok(key),
                (_, Err(error)) | (Err(error), Ok(_)) => Err(error),
                (Ok(_), Ok(Some(_))) => Err(VaultError::WrongKey { path }),
                (Ok(_), Ok(None)) => Err(VaultError::NoKey { path }),
            },
        }
    }

    /// The same if nobody has to be asked: the keyring may want to be unlocked.
    fn key_at_hand(&self, found: &VaultState) -> Result<Option<Key>, VaultError> {
        let file = self.key_file();
        if !file.exists() || file.place() == Storage::Keyring {
            return Ok(None);
        }
        let key = key::read(&file);
        let next = self.next_key_file();
        match key {
            Ok(Some(key)) if found.fits(&key) => Ok(Some(key)),
            Ok(_) | Err(_) if next.exists() && next.place() == Storage::Keyring => Ok(None),
            Ok(_) | Err(_) => self.key_of(found).map(Some),
        }
    }
}

impl Open {
    /// The value of a key in a set.
    pub fn value(
        &self,
        (organization, name): &(String, String),
        key: &str,
        sealed: &Sealed,
    ) -> Result<Secret, VaultError> {
        let value = if self.is_legacy {
            legacy::open(&self.key, organization, name, key, sealed)
        } else {
            self.book.open(&self.keys, organization, name, key, sealed)
        };
        value.ok_or_else(|| {
            let reason = format!("the value of `{key}` in `{name}` can't be opened");
            VaultError::damaged(&self.path, reason)
        })
    }

    /// Seals a value for its place.
    pub fn seal(
        &self,
        (organization, name): &(String, String),
        key: &str,
        value: &Secret,
    ) -> Result<Sealed, VaultError> {
        let sealed = self.book.seal(&self.keys, organization, name, key, value);
        sealed.ok_or_else(|| VaultError::not_written(&self.path, "a value can't be sealed"))
    }
}

fn authentic(open: Option<Open>) -> Result<Open, VaultError> {
    match open {
        Some(open) if open.is_authentic => Ok(open),
        Some(open) => Err(VaultError::damaged(
            &open.path,
            "it was changed without the vault's key",
        )),
        None => Err(VaultError::Refused("there is no vault".to_owned())),
    }
}

/// Reads again where vault and key don't fit: another process may be replacing both.
fn settled<T>(read: impl Fn() -> Result<T, VaultError>) -> Result<T, VaultError> {
    let mut attempt = 1;
    loop {
        match read() {
            Err(
                VaultError::NoKey { .. }
                | VaultError::WrongKey { .. }
                | VaultError::Keyring(KeyringError::NoEntry(_)),
            ) if attempt < ATTEMPTS => attempt += 1,
            result => return result,
        }
    }
}
