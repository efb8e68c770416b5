//! The service as one of the backends that the commands know.

use std::time::Duration;

use bot_cli_protocol::secret::Secret;

use super::http::Change;
use super::path::segment;
use super::{Hosted, Reach, ServiceError, Sight, Tenant, is_about_the_form, partly, wire};
use crate::backend::{
    Ability, BackendError, ChangeError, Confirmed, Details, Effect, Keys, Limits, NameRules, Prior,
    Profile, Regions, SecretsBackend, Summary,
};
use crate::domain::{Entry, Key, Region, RegistryHost, SetKind, SetName};
use crate::source::Source;

/// Returns what the service is and can. It never gives values back.
pub fn profile() -> Profile {
    Profile {
        keeper: "the hosting service".to_owned(),
        subject: "the service".to_owned(),
        at: "at the hosting service".to_owned(),
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
        let (regions, properties) = self
            .client
            .get_both(&self.path(&["regions"]), &self.path(&["properties"]))?;
        let regions: wire::RegionList = regions.decode()?;
        let properties: wire::Properties = properties.decode()?;
        Ok(Regions {
            all: regions.pairs(),
            default: properties.default_region(),
        })
    }

    fn region_codes(&self) -> Result<Vec<String>, BackendError> {
        Ok(self.codes()?)
    }

    fn list(&self, region: Option<&Region>) -> Result<Vec<Summary>, BackendError> {
        let mut path = self.path(&["secrets"]);
        if let Some(region) = region {
            path = format!("{path}?region={}", segment(region.as_str()));
        }
        let mut summaries = match self.client.get(&path) {
            Ok(answer) => answer.decode::<wire::List>()?.summaries(),
            // The service says so of an organization without any set, and also of one that there is not.
            Err(missing @ ServiceError::NotFound(_)) => match self.codes() {
                Ok(_) if !missing.names_an_organization() => Vec::new(),
                Ok(_) | Err(ServiceError::NotFound(_)) => return Err(missing.into()),
                Err(error) => return Err(error.into()),
            },
            Err(error) => return Err(error.into()),
        };
        if let Some(region) = region {
            summaries.retain(|summary| summary.region.as_deref() == Some(region.as_str()));
        }
        Ok(summaries)
    }

    fn get(&self, name: &SetName) -> Result<Option<Details>, BackendError> {
        match self.client.get(&self.set(name)) {
            Ok(answer) => Ok(Some(answer.decode::<wire::Set>()?.details(name)?)),
            Err(ServiceError::NotFound(_)) => Ok(None),
            // The service refuses to show an image pull secret; the listing has it.
            Err(refused @ ServiceError::Refused { status: 400, .. }) => match self
                .list(None)?
                .into_iter()
                .find(|set| set.name == name.as_str())
            {
                Some(summary) if summary.kind == SetKind::ImagePullSecret => Ok(Some(Details {
                    summary,
                    keys: Keys::None,
                })),
                Some(_) | None => Err(refused.into()),
            },
            Err(error) => Err(error.into()),
        }
    }

    fn put(
        &self,
        name: &SetName,
        entries: &[Entry],
        prior: Prior<'_>,
    ) -> Result<Confirmed, ChangeError> {
        // With one key both forms are one request, and this one is known to both families.
        let keyed = entries.len() == 1 && matches!(self.tenant, Tenant::User(_));
        if keyed {
            return Ok(self.put_keyed(name, entries, prior)?);
        }
        let whole = wire::whole_set(entries, prior.region());
        let sent = self
            .client
            .change(Change::Put, &self.set(name), Some(&whole));
        let refused = match sent {
            Ok(()) => return Ok(Confirmed::ByAnswer),
            // Only the service itself can say that it does not know the form, and nothing may be under way.
            Err(refused)
                if refused.reach == Reach::Nothing
                    && is_about_the_form(&refused.error, entries) =>
            {
                ChangeError::not_done(refused.error)
            }
            Err(unconfirmed) => return Ok(self.decide_put(name, unconfirmed, entries, prior)?),
        };
        match self.tenant {
            // The published paths have only this form.
            Tenant::ApiKey => Err(refused.into()),
            // Those of an organization may know only one key a request.
            Tenant::User(_) => {
                let keyed = self.put_keyed(name, entries, prior);
                Ok(keyed.map_err(|error| {
                    let is_refused = matches!(error.cause, ServiceError::Refused { .. });
                    if is_refused && error.effect == Effect::NotDone {
                        // What was wrong with the whole says more than what is wrong with its first key.
                        refused
                    } else {
                        error
                    }
                })?)
            }
        }
    }

    fn put_image_pull_secret(
        &self,
        name: &SetName,
        host: &RegistryHost,
        credentials: &Secret,
        prior: Prior<'_>,
    ) -> Result<Confirmed, ChangeError> {
        let body = wire::image_pull_secret(host, credentials, prior.region());
        let sent = self
            .client
            .change(Change::Put, &self.set(name), Some(&body));
        let Err(unconfirmed) = sent else {
            return Ok(Confirmed::ByAnswer);
        };
        let decided = self.decide(name, unconfirmed, |sight| match (sight, prior) {
            (Sight::There(details), Prior::Absent(region))
                if details.summary.kind == SetKind::ImagePullSecret
                    && details.summary.region.as_deref() == region.map(Region::as_str) =>
            {
                Some(true)
            }
            (Sight::Gone, _) => Some(false),
            // Credentials look the same before and after.
            (Sight::There(_) | Sight::Unclear, _) => None,
        });
        Ok(decided?)
    }

    fn unset(
        &self,
        name: &SetName,
        keys: &[Key],
        _seen: Option<&[String]>,
    ) -> Result<Vec<Key>, ChangeError> {
        let mut missing = Vec::new();
        for (index, key) in keys.iter().enumerate() {
            let path = self.path(&["secrets", name.as_str(), key.as_str()]);
            let Err(unconfirmed) = self.client.change(Change::Delete, &path, None) else {
                continue;
            };
            let is_missing = unconfirmed.is_missing();
            let has = |details: &Details| match &details.keys {
                Keys::Known(keys) => Some(keys.iter().any(|known| known == key.as_str())),
                Keys::Referenced | Keys::None => None,
            };
            if is_missing {
                // Is the key not there, or something else?
                match self.sight(name) {
                    Sight::There(details) if has(&details) == Some(false) => {}
                    Sight::Gone => {}
                    Sight::There(_) | Sight::Unclear => {
                        let error = ChangeError::not_done(unconfirmed.error);
                        return Err(partly(error, keys, index).into());
                    }
                }
                missing.push(key.clone());
                continue;
            }
            let decided = self.decide(name, unconfirmed, |sight| match sight {
                Sight::There(details) => has(details).map(|has| !has),
                Sight::Gone => Some(true),
                Sight::Unclear => None,
            });
            decided.map_err(|error| partly(error, keys, index))?;
        }
        Ok(missing)
    }

    fn delete(&self, name: &SetName, _seen: Option<&[String]>) -> Result<bool, ChangeError> {
        let sent = self.client.change(Change::Delete, &self.set(name), None);
        let Err(unconfirmed) = sent else {
            return Ok(true);
        };
        if unconfirmed.is_missing() {
            // Is the set not there, or something else?
            return match self.sight(name) {
                Sight::Gone => Ok(false),
                Sight::There(_) | Sight::Unclear => {
                    Err(ChangeError::not_done(unconfirmed.error).into())
                }
            };
        }
        self.decide(name, unconfirmed, |sight| match sight {
            Sight::There(_) => Some(false),
            Sight::Gone => Some(true),
            Sight::Unclear => None,
        })?;
        Ok(true)
    }

    fn pause(&self, pause: Duration) -> Result<(), BackendError> {
        Ok(self.client.pause(pause)?)
    }
}
