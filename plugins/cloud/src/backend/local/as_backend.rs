//! The vault as one of the backends that the commands know.

use std::time::Duration;

use bot_cli_sdk::secret::Secret;

use super::{Effect, REGIONS, Vault, VaultError};
use crate::backend::{
    self, Ability, BackendError, ChangeError, Confirmed, Details, Limits, NameRules, Prior,
    Profile, ReadsValues, Regions, SecretsBackend, Summary,
};
use crate::domain::{Entry, Key, Organization, Region, RegistryHost, SetKind, SetName};
use crate::source::Source;

/// Returns what the vault is and can.
#[must_use]
pub fn profile() -> Profile {
    Profile {
        keeper: "the vault of this machine".to_owned(),
        subject: "the vault".to_owned(),
        can: [
            Ability::Values,
            Ability::EmptyValues,
            Ability::ImagePullSecrets,
            Ability::Organizations,
            Ability::DeployRegions,
        ]
        .into(),
        names: NameRules {
            shortest: 1,
            longest: 63,
            capitals: true,
            at: "in the vault".to_owned(),
        },
        limits: Limits::default(),
        default_region: Source::Default,
    }
}

impl SecretsBackend for Vault<'_> {
    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn reader(&self) -> Option<&dyn ReadsValues> {
        Some(self)
    }

    fn elsewhere(&self, name: &SetName, kinds: &[SetKind]) -> Option<Organization> {
        Vault::elsewhere(self, name, kinds).ok()?
    }

    fn regions(&self) -> Result<Regions, BackendError> {
        Ok(Regions {
            all: REGIONS
                .map(|(code, name)| (code.to_owned(), name.to_owned()))
                .into(),
            default: Some(REGIONS[0].0.to_owned()),
        })
    }

    fn region_codes(&self) -> Result<Vec<String>, BackendError> {
        Ok(REGIONS.map(|(code, _)| code.to_owned()).into())
    }

    fn list(&self, region: Option<&Region>) -> Result<Vec<Summary>, BackendError> {
        Ok(Vault::list(self, region)?)
    }

    fn get(&self, name: &SetName) -> Result<Option<Details>, BackendError> {
        Ok(Vault::get(self, name)?)
    }

    fn put(
        &self,
        name: &SetName,
        entries: &[Entry],
        prior: Prior<'_>,
    ) -> Result<Confirmed, ChangeError> {
        Vault::put(self, name, entries, prior.region())?;
        Ok(Confirmed::ByAnswer)
    }

    fn put_image_pull_secret(
        &self,
        name: &SetName,
        host: &RegistryHost,
        credentials: &Secret,
        prior: Prior<'_>,
    ) -> Result<Confirmed, ChangeError> {
        Vault::put_image_pull_secret(self, name, host, credentials, prior.region())?;
        Ok(Confirmed::ByAnswer)
    }

    fn unset(&self, name: &SetName, keys: &[Key]) -> Result<Vec<Key>, ChangeError> {
        Ok(Vault::unset(self, name, keys)?)
    }

    fn delete(&self, name: &SetName) -> Result<bool, ChangeError> {
        Ok(Vault::delete(self, name)?)
    }

    fn pause(&self, _pause: Duration) -> Result<(), BackendError> {
        // What is in the vault is ready.
        Ok(())
    }
}

impl ReadsValues for Vault<'_> {
    fn values(&self, name: &SetName) -> Result<Option<Vec<Entry>>, BackendError> {
        Ok(Vault::values(self, name)?)
    }

    fn credentials(&self, name: &SetName) -> Result<Option<(String, Secret)>, BackendError> {
        Ok(Vault::credentials(self, name)?)
    }
}

impl From<VaultError> for BackendError {
    fn from(error: VaultError) -> Self {
        if error == VaultError::Cancelled {
            return Self::Cancelled;
        }
        Self::Own(Box::new(error))
    }
}

impl From<VaultError> for ChangeError {
    fn from(error: VaultError) -> Self {
        let effect = match error.effect() {
            Effect::Done => backend::Effect::Done,
            Effect::NotDone => backend::Effect::NotDone,
        };
        Self {
            cause: error.into(),
            effect,
        }
    }
}
