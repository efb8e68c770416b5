//! Changes of the vault: read, changed in memory, and put in place by one rename.

use std::fs;
use std::path::Path;
use std::time::Duration;

use super::contents::Set;
use super::home::{Home, Locked, VaultState};
use super::keys::{Derived, Key};
use super::open::Open;
use super::sealed::Book;
use super::{Effect, VaultError, key};
use crate::files::{self, Overwrite, Reason, Reserved, WriteError, private_folder, sweep};
use crate::secret_file::Storage;

/// The behaviour if there is no vault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// Nothing.
    Leave,
    /// One is made.
    Create,
}

impl Home<'_> {
    /// Changes the vault; `None`, and nothing written, when there is no vault or `work` has nothing to change.
    pub fn change<T>(
        &self,
        missing: Missing,
        work: impl FnOnce(&mut Open) -> Result<Option<T>, VaultError>,
    ) -> Result<Option<T>, VaultError> {
        // Other processes don't wait while the keyring asks to be unlocked.
        let key = match self.read(Locked::No)? {
            VaultState::Nothing if missing == Missing::Leave => return Ok(None),
            VaultState::Nothing => None,
            VaultState::Legacy(_) | VaultState::Sealed(_) => {
                self.open(Locked::No)?.map(|open| open.key)
            }
        };
        private_folder(&self.folder)
            .map_err(|error| VaultError::not_written(&self.folder, error))?;
        let _lock = self.lock()?;
        let open = match self.open_with(key)? {
            Some(open) => open,
            None if missing == Missing::Leave => return Ok(None),
            None => self.create()?,
        };
        let mut open = next_generation(open)?;
        let Some(result) = work(&mut open)? else {
            return Ok(None);
        };
        self.save(&open)?;
        self.settle(&open)?;
        Ok(Some(result))
    }

    /// Seals everything with a new key and forgets the old one; where the new key is.
    ///
    /// The new key waits in a file of its own until the vault is sealed with it. Readers try both, so that the vault opens
    /// at every moment.
    pub fn rekey(&self) -> Result<Storage, VaultError> {
        let no_vault = || VaultError::NoVault {
            path: self.sealed(),
        };
        let key = self.open(Locked::No)?.ok_or_else(no_vault)?.key;
        let _lock = self.lock()?;
        let open = self.open_with(Some(key))?.ok_or_else(no_vault)?;
        let open = next_generation(open)?;
        let next = self.next_key_file();
        let file = self.key_file();
        let target = file.target();
        if let Some(target) = target.map_err(|error| VaultError::file(file.path(), error))? {
            // Once the vault is sealed with the new key, it is too late to find out.
            Reserved::new(&target, 0).map_err(|error| VaultError::not_written(&target, error))?;
        }
        // The vault may be sealed with the key in that file since an earlier attempt.
        self.settle_keys(&open.key).map_err(not_done)?;
        let (key, place) = key::create(&next, self.key)?;
        let resealed = resealed(&open, key);
        let saved = resealed.and_then(|open| self.save(&open).map(|()| open));
        match saved {
            Ok(open) => self.settle(&open).map(|()| place),
            // Either vault may be there after a power failure, so either key is needed.
            Err(error @ VaultError::NotSynced { .. }) => Err(error),
            Err(error) => {
                // A key that nothing is sealed with is litter and not a failure.
                let _ = next.remove();
                Err(error)
            }
        }
    }

    fn open_with(&self, key: Option<Key>) -> Result<Option<Open>, VaultError> {
        let found = self.read(Locked::Yes)?;
        match key {
            Some(key) if found.fits(&key) => match found.unlocked(key, self) {
                Some(open) if !open.is_authentic => self.open(Locked::Yes),
                open => Ok(open),
            },
            _ => self.open(Locked::Yes),
        }
    }

    /// An empty vault with its key, which is kept before anything is sealed with it.
    fn create(&self) -> Result<Open, VaultError> {
        let path = self.sealed();
        let file = self.key_file();
        let key = if let Some(key) = key::read(&file)? {
            key
        } else {
            let (key, place) = key::create(&file, self.key)?;
            match place {
                Storage::Keyring => self.watch.note(
                    "the key of the new vault is in the keyring: without that entry the vault can't be opened",
                ),
                Storage::File => self.watch.note(&format!(
                    "the key of the new vault is in `{}`: whoever can read your files can open it",
                    file.path().display()
                )),
            }
            key
        };
        let book = Book::new().map_err(|reason| VaultError::not_written(&path, reason))?;
        Ok(Open {
            keys: Derived::new(&key, &book.id),
            key,
            book,
            is_legacy: false,
            is_authentic: true,
            path,
        })
    }

    fn save(&self, open: &Open) -> Result<(), VaultError> {
        let path = self.sealed();
        let bytes = open.book.encode(&open.keys);
        let bytes = bytes.map_err(|reason| VaultError::not_written(&path, reason))?;
        // Nobody else writes now, so whatever is unfinished was left behind.
        sweep(&self.folder, Duration::ZERO);
        files::replace(&path, &bytes, Overwrite::Allow)
            .map_err(|error| VaultError::write(&path, error))
    }

    /// Removes what the vault as it was saved does not need any more.
    fn settle(&self, open: &Open) -> Result<(), VaultError> {
        let legacy = self.legacy();
        if fs::symlink_metadata(&legacy).is_ok() {
            remove(&legacy).map_err(|error| leftover(&legacy, error))?;
        }
        // The change is in place, whatever fails now.
        self.settle_keys(&open.key).map_err(|error| match error {
            error if error.effect() == Effect::Done => error,
            error => VaultError::Unsettled {
                path: self.next_key_file().path().to_owned(),
                reason: Reason::of(error),
            },
        })
    }

    /// Makes the key that the vault is sealed with the only one.
    fn settle_keys(&self, sealed_with: &Key) -> Result<(), VaultError> {
        let (file, next) = (self.key_file(), self.next_key_file());
        if !next.exists() {
            return Ok(());
        }
        let current = key::read(&file);
        if matches!(&current, Ok(Some(key)) if key == sealed_with) {
            return next.discard(&file).map_err(|error| VaultError::Leftover {
                path: next.path().to_owned(),
                reason: Reason::of(error),
            });
        }
        if key::read(&next)?.as_ref() != Some(sealed_with) {
            // Neither file is known to be litter.
            let path = file.path().to_owned();
            return current.and(Err(VaultError::WrongKey { path }));
        }
        file.take_over(&next).map_err(|error| match error {
            error if key::read(&file).is_ok_and(|found| found.as_ref() == Some(sealed_with)) => {
                if let WriteError::NotSynced(error) = error {
                    VaultError::NotSynced {
                        path: file.path().to_owned(),
                        reason: error.into(),
                    }
                } else {
                    leftover(next.path(), error)
                }
            }
            WriteError::NotWritten(error) | WriteError::NotSynced(error) => VaultError::Unsettled {
                path: next.path().to_owned(),
                reason: error.into(),
            },
        })
    }
}

/// The vault as it is to be saved next, with its values sealed as this version does.
fn next_generation(mut open: Open) -> Result<Open, VaultError> {
    if open.is_legacy {
        let key = open.key.clone();
        return resealed(&open, key);
    }
    let generation = open.book.generation.checked_add(1);
    open.book.generation = generation
        .ok_or_else(|| VaultError::damaged(&open.path, "its generation is impossible"))?;
    Ok(open)
}

/// The same sets sealed with another key, or by another version.
fn resealed(open: &Open, key: Key) -> Result<Open, VaultError> {
    let mut book = Book::new().map_err(|reason| VaultError::not_written(&open.path, reason))?;
    book.generation = open.book.generation.max(1);
    let mut sealed = Open {
        keys: Derived::new(&key, &book.id),
        key,
        book,
        is_legacy: false,
        is_authentic: true,
        path: open.path.clone(),
    };
    for (place, set) in &open.book.sets {
        let mut fresh = Set {
            values: std::collections::BTreeMap::new(),
            ..set.clone()
        };
        for (key, value) in &set.values {
            let value = open.value(place, key, value)?;
            fresh
                .values
                .insert(key.clone(), sealed.seal(place, key, &value)?);
        }
        sealed.book.sets.insert(place.clone(), fresh);
    }
    Ok(sealed)
}

/// Removes a file, and what it is a link to.
fn remove(path: &Path) -> Result<(), WriteError> {
    if let Ok(target) = fs::canonicalize(path)
        && target != path
    {
        files::remove(&target)?;
    }
    files::remove(path)
}

fn leftover(path: &Path, error: WriteError) -> VaultError {
    VaultError::Leftover {
        path: path.to_owned(),
        reason: error.into(),
    }
}

/// The words for tidying that failed before anything was changed.
fn not_done(error: VaultError) -> VaultError {
    if let VaultError::Leftover { path, reason }
    | VaultError::Unsettled { path, reason }
    | VaultError::NotSynced { path, reason } = error
    {
        VaultError::NotWritten { path, reason }
    } else {
        error
    }
}
