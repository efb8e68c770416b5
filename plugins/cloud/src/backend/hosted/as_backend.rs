//! The service as one of the backends that the commands know.

use std::time::Duration;

use bot_cli_sdk::secret::Secret;

use super::Hosted;
use crate::backend::{
    Ability, BackendError, ChangeError, Confirmed, Details, Limits, NameRules, Prior, Profile,
    Regions, SecretsBackend, Summary,
};
use crate::domain::{Entry, Key, Region, RegistryHost, SetName};
use crate::source::Source;

/// Returns what the service is and can. It never gives values back.
#[must_use]
pub fn profile() -> Profile {
    Profile {
        keeper: "the hosting service".to_owned(),
        subject: "the service".to_owned(),
        can: [
            Ability::ImagePullSecrets,
            Ability::Organizations,
            Ability::DeployRegions,
            Ability::Agents,
        ]
        .into(),
        names: NameRules {
            shortest: 3,
            longest: 63,
            capitals: false,
            at: "at the hosting service".to_owned(),
        },
        limits: Limits::default(),
        default_region: Source::Service,
    }
}

impl SecretsBackend for Hosted<'_> {
    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn conceal(&self, values: &[Secret]) {
        self.client.conceal(values);
    }

    fn regions(&self) -> Result<Regions, BackendError> {
        Ok(Hosted::regions(self)?)
    }

    fn region_codes(&self) -> Result<Vec<String>, BackendError> {
        Ok(Hosted::region_codes(self)?)
    }

    fn list(&self, region: Option<&Region>) -> Result<Vec<Summary>, BackendError> {
        Ok(Hosted::list(self, region)?)
    }

    fn get(&self, name: &SetName) -> Result<Option<Details>, BackendError> {
        Ok(Hosted::get(self, name)?)
    }

    fn put(
        &self,
        name: &SetName,
        entries: &[Entry],
        prior: Prior<'_>,
    ) -> Result<Confirmed, ChangeError> {
        Ok(Hosted::put(self, name, entries, prior)?)
    }

    fn put_image_pull_secret(
        &self,
        name: &SetName,
        host: &RegistryHost,
        credentials: &Secret,
        prior: Prior<'_>,
    ) -> Result<Confirmed, ChangeError> {
        Ok(Hosted::put_image_pull_secret(
            self,
            name,
            host,
            credentials,
            prior,
        )?)
    }

    fn unset(&self, name: &SetName, keys: &[Key]) -> Result<Vec<Key>, ChangeError> {
        Ok(Hosted::unset(self, name, keys)?)
    }

    fn delete(&self, name: &SetName) -> Result<bool, ChangeError> {
        Ok(Hosted::delete(self, name)?)
    }

    fn pause(&self, pause: Duration) -> Result<(), BackendError> {
        Ok(self.client.pause(pause)?)
    }
}
