//! What needs the key of the vault: making a store, putting values into it and getting them out.

use std::fs::File;

use bot_cli_sdk::secret::Secret;
use redb::Database;

use super::{
    ABOUT, CHECK, FORMAT, Home, NewRecord, RecordText, SETS, Store, VALUES, lock, not_written,
    place, short,
};
use crate::backend::local::seal::Seal;
use crate::backend::local::{CREDENTIALS, REGIONS, VaultError, key};
use crate::domain::{Entry, Key, Organization, Region, SetKind, SetName};
use crate::files::private_folder;

/// The store with its key.
pub struct Unlocked {
    store: Store,
    seal: Seal,
}

impl Unlocked {
    /// The store, if there is one.
    pub fn open(home: &Home<'_>) -> Result<Option<Self>, VaultError> {
        home.database()
            .exists()
            .then(|| Self::existing(home))
            .transpose()
    }

    /// The store, which is made where there is none.
    pub fn create(home: &Home<'_>) -> Result<Self, VaultError> {
        if !home.database().exists() {
            private_folder(&home.folder).map_err(|error| not_written(&home.folder, &error))?;
            let _lock = lock(home)?;
            if !home.database().exists() {
                initialize(home)?;
            }
        }
        Self::existing(home)
    }

    fn existing(home: &Home<'_>) -> Result<Self, VaultError> {
        let file = home.key();
        let path = file.path().to_owned();
        // Nobody else waits while the keyring asks to be unlocked.
        let Some(key) = key::read(&file)? else {
            return Err(VaultError::NoKey { path });
        };
        let store = Store::existing(home)?;
        let seal = Seal::new(&key);
        match seal.open(CHECK, &store.about(CHECK)?.unwrap_or_default()) {
            Some(_) => Ok(Self { store, seal }),
            None => Err(VaultError::WrongKey { path }),
        }
    }

    /// The values of a set; `None` when there is no such secret set.
    pub fn values(
        &self,
        organization: &Organization,
        name: &SetName,
    ) -> Result<Option<Vec<Entry>>, VaultError> {
        let record = self.store.record(organization, name)?;
        if record.is_none_or(|record| record.kind != SetKind::Secret) {
            return Ok(None);
        }
        let mut entries = Vec::new();
        for (key, sealed) in self.store.sealed(organization, name)? {
            let place = place(organization, &[name.as_str(), &key]);
            let damaged = |what: &str| self.store.damaged(what);
            let value = self.seal.open(&place, &sealed).ok_or_else(|| {
                damaged(&format!("the value of `{key}` in `{name}` can't be opened"))
            })?;
            let key = Key::parse(&key).map_err(|problem| damaged(&format!("a key {problem}")))?;
            entries.push(Entry { key, value });
        }
        Ok(Some(entries))
    }

    /// The host and the credentials of an image pull secret; `None` when there is none of that name.
    pub fn credentials(
        &self,
        organization: &Organization,
        name: &SetName,
    ) -> Result<Option<(String, Secret)>, VaultError> {
        let record = self.store.record(organization, name)?;
        let Some(host) = record.and_then(|record| record.host) else {
            return Ok(None);
        };
        let sealed = self.store.sealed(organization, name)?;
        let place = place(organization, &[name.as_str(), CREDENTIALS]);
        let credentials = sealed
            .iter()
            .find(|(key, _)| key == CREDENTIALS)
            .and_then(|(_, sealed)| self.seal.open(&place, sealed));
        let what = format!("the credentials of `{name}` can't be opened");
        let credentials = credentials.ok_or_else(|| self.store.damaged(&what))?;
        Ok(Some((host, credentials)))
    }

    /// Makes a set or adds to it. The region and the kind of a set that is there can't change.
    pub fn put(
        &mut self,
        organization: &Organization,
        name: &SetName,
        new: &NewRecord<'_>,
        values: &[(String, Secret)],
    ) -> Result<(), VaultError> {
        // The lock keeps what is found here true.
        let region = match (self.store.record(organization, name)?, new.region) {
            (Some(found), _) if found.kind != new.kind => {
                return Err(VaultError::Refused(format!(
                    "`{name}` is a {}",
                    found.kind.words()
                )));
            }
            (Some(found), Some(region)) if found.region != region.as_str() => {
                return Err(VaultError::Refused(format!(
                    "`{name}` is in the region {}",
                    found.region
                )));
            }
            (Some(found), _) => found.region,
            (None, region) => region.map_or(REGIONS[0].0, Region::as_str).to_owned(),
        };
        let text = serde_json::to_string(&RecordText {
            kind: new.kind.name().to_owned(),
            region,
            host: new.host.map(ToString::to_string),
        })
        .map_err(|error| self.store.damaged(&error))?;
        let mut sealed = Vec::with_capacity(values.len());
        for (key, value) in values {
            let place = place(organization, &[name.as_str(), key]);
            let value = self
                .seal
                .close(&place, value)
                .ok_or_else(|| self.store.damaged("a value can't be sealed"))?;
            sealed.push((place, value));
        }
        let at = place(organization, &[name.as_str()]);
        self.store
            .change(|transaction| {
                transaction
                    .open_table(SETS)?
                    .insert(at.as_str(), text.as_str())?;
                let mut table = transaction.open_table(VALUES)?;
                for (place, value) in &sealed {
                    table.insert(place.as_str(), value.as_slice())?;
                }
                Ok(true)
            })
            .map(drop)
    }
}

/// A store with nothing in it, put in its place when it is whole. The key comes first: a key without a store is harmless.
fn initialize(home: &Home<'_>) -> Result<(), VaultError> {
    let file = home.key();
    let key = match key::read(&file)? {
        Some(key) => key,
        None => key::create(&file, home.key)?,
    };
    let (folder, path) = (&home.folder, home.database());
    let failed = |reason: String| VaultError::NotWritten {
        path: path.clone(),
        reason: short(&reason),
    };
    let temporary = tempfile::Builder::new()
        .prefix(".vault-")
        .tempfile_in(folder)
        .map_err(|error| not_written(&path, &error))?;
    let seal = Seal::new(&key);
    let check = seal
        .close(CHECK, &Secret::new(CHECK.to_owned()))
        .ok_or_else(|| failed("a value can't be sealed".to_owned()))?;
    let write = || -> Result<(), redb::Error> {
        let database = Database::create(temporary.path())?;
        let transaction = database.begin_write()?;
        {
            let mut about = transaction.open_table(ABOUT)?;
            about.insert("format", FORMAT)?;
            about.insert(CHECK, check.as_slice())?;
            transaction.open_table(SETS)?;
            transaction.open_table(VALUES)?;
        }
        transaction.commit()?;
        Ok(())
    };
    write().map_err(|error| failed(error.to_string()))?;
    temporary
        .as_file()
        .sync_all()
        .and_then(|()| {
            temporary
                .persist_noclobber(&path)
                .map(drop)
                .map_err(|error| error.error)
        })
        .and_then(|()| File::open(folder)?.sync_all())
        .map_err(|error| not_written(&path, &error))
}
