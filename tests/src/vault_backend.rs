//! The vault, served over the secrets backend protocol. All guarantees of the vault must also hold through the protocol.

use std::collections::BTreeMap;
use std::path::PathBuf;

use bot_cli_cloud::{
    self as domain, BackendError, Details, Effect, Entry, Key, Keys, Nobody, ORGANIZATION, REGIONS,
    ReadsValues, RegistryHost, SecretsBackend, SetName, Storage, Vault,
};
use bot_cli_protocol::secret::Secret;
use bot_cli_sdk::session::Session;
use bot_cli_secrets::messages::{
    Ability, CredentialsResult, DeleteParams, OpenParams, OpenResult, Organization, Prior,
    PutImagePullSecretParams, PutParams, Region, Regions, SetDetails, SetSummary, UnsetParams,
};
use bot_cli_secrets::{Backend, ChangeError, Code, Error};

/// The vault in the folder `$HOME/served`, or in the folder from the setting `folder`.
pub struct VaultBackend {
    vault: Vault<'static>,
}

bot_cli_secrets::manifest!(VaultBackend, "vault_backend.json");

impl Backend for VaultBackend {
    fn open(scope: OpenParams, _session: &mut Session) -> Result<(Self, OpenResult), Error> {
        let invalid = |problem: String| Error::new(Code::InvalidSetting, problem);
        let folder = match scope.settings.get("folder") {
            Some(folder) => PathBuf::from(folder),
            None => std::env::var_os("HOME")
                .map(|home| PathBuf::from(home).join("served"))
                .ok_or_else(|| invalid("HOME is not set".to_owned()))?,
        };
        let organization = scope.organization.as_deref().unwrap_or(ORGANIZATION);
        let organization = domain::Organization::parse(organization)
            .map_err(|problem| invalid(format!("the organization {problem}")))?;
        let regions = REGIONS.map(|(code, name)| Region {
            code: code.to_owned(),
            name: name.to_owned(),
        });
        let opened = OpenResult {
            organization: Some(organization.to_string()),
            place: format!("organization {organization}"),
            regions: Some(Regions {
                all: regions.into(),
                default: Some(REGIONS[0].0.to_owned()),
            }),
            can: vec![
                Ability::Values,
                Ability::ImagePullSecrets,
                Ability::Organizations,
            ],
            ..OpenResult::default()
        };
        let vault = Vault::new(&folder, organization, Storage::File, &Nobody);
        Ok((Self { vault }, opened))
    }

    fn list(
        &mut self,
        region: Option<&str>,
        _session: &mut Session,
    ) -> Result<Vec<SetSummary>, Error> {
        let region = region.map(region_of).transpose()?;
        self.vault.list(region.as_ref()).map_err(failed)
    }

    fn get(&mut self, name: &str, _session: &mut Session) -> Result<Option<SetDetails>, Error> {
        let set = self.vault.get(&name_of(name)?).map_err(failed)?;
        Ok(set.map(details))
    }

    fn put(&mut self, put: PutParams, _session: &mut Session) -> Result<(), ChangeError> {
        let name = name_of(&put.name).map_err(Error::not_done)?;
        let region = put.region.as_deref().map(region_of).transpose();
        let region = region.map_err(Error::not_done)?;
        let entries = put.entries.into_iter();
        let entries: Result<Vec<Entry>, Error> = entries
            .map(|(key, value)| {
                Ok(Entry {
                    key: key_of(&key)?,
                    value,
                })
            })
            .collect();
        let entries = entries.map_err(Error::not_done)?;
        let prior = prior(&put.prior, region.as_ref());
        let done = self.vault.put(&name, &entries, prior);
        done.map(drop).map_err(change_failed)
    }

    fn unset(
        &mut self,
        unset: UnsetParams,
        _session: &mut Session,
    ) -> Result<Vec<String>, ChangeError> {
        let name = name_of(&unset.name).map_err(Error::not_done)?;
        let keys: Result<Vec<Key>, Error> = unset.keys.iter().map(|key| key_of(key)).collect();
        let keys = keys.map_err(Error::not_done)?;
        let seen = seen(unset.prior.as_ref());
        let missing = self.vault.unset(&name, &keys, seen);
        let missing = missing.map_err(change_failed)?;
        Ok(missing.iter().map(ToString::to_string).collect())
    }

    fn delete(
        &mut self,
        delete: DeleteParams,
        _session: &mut Session,
    ) -> Result<bool, ChangeError> {
        let name = name_of(&delete.name).map_err(Error::not_done)?;
        let deleted = self.vault.delete(&name, seen(delete.prior.as_ref()));
        deleted.map_err(change_failed)
    }

    fn values(
        &mut self,
        name: &str,
        _session: &mut Session,
    ) -> Result<Option<BTreeMap<String, Secret>>, Error> {
        let values = self.vault.values(&name_of(name)?).map_err(failed)?;
        Ok(values.map(|entries| {
            let pairs = entries.into_iter();
            pairs
                .map(|entry| (entry.key.to_string(), entry.value))
                .collect()
        }))
    }

    fn credentials(
        &mut self,
        name: &str,
        _session: &mut Session,
    ) -> Result<CredentialsResult, Error> {
        let found = self.vault.credentials(&name_of(name)?).map_err(failed)?;
        let (host, credentials) =
            found.ok_or_else(|| Error::new(Code::NotFound, "there is no such secret"))?;
        Ok(CredentialsResult { host, credentials })
    }

    fn put_image_pull_secret(
        &mut self,
        put: PutImagePullSecretParams,
        _session: &mut Session,
    ) -> Result<(), ChangeError> {
        let name = name_of(&put.name).map_err(Error::not_done)?;
        let region = put.region.as_deref().map(region_of).transpose();
        let region = region.map_err(Error::not_done)?;
        let host = RegistryHost::parse(&put.host)
            .map_err(|problem| Error::new(Code::Refused, problem).not_done())?;
        let prior = prior(&put.prior, region.as_ref());
        let done = self
            .vault
            .put_image_pull_secret(&name, &host, &put.credentials, prior);
        done.map(drop).map_err(change_failed)
    }

    fn organizations(&mut self, _session: &mut Session) -> Result<Vec<Organization>, Error> {
        let names = self.vault.organizations();
        let names = names.map_err(|error| failed(error.into()))?;
        let organization = |name| Organization { name, label: None };
        Ok(names.into_iter().map(organization).collect())
    }
}

fn prior<'a>(prior: &'a Prior, region: Option<&'a domain::Region>) -> domain::Prior<'a> {
    match prior {
        Prior::Absent => domain::Prior::Absent(region),
        Prior::Keys(keys) => domain::Prior::Keys(keys),
    }
}

fn seen(prior: Option<&Prior>) -> Option<&[String]> {
    match prior? {
        Prior::Absent => Some(&[]),
        Prior::Keys(keys) => Some(keys),
    }
}

fn name_of(text: &str) -> Result<SetName, Error> {
    SetName::parse_existing(text).map_err(|problem| Error::new(Code::InvalidName, problem))
}

fn key_of(text: &str) -> Result<Key, Error> {
    Key::parse_existing(text).map_err(|problem| Error::new(Code::Refused, problem))
}

fn region_of(text: &str) -> Result<domain::Region, Error> {
    domain::Region::parse(text).map_err(|problem| Error::new(Code::NotFound, problem))
}

fn failed(error: BackendError) -> Error {
    let own = match error {
        BackendError::Cancelled => return Error::new(Code::Cancelled, "cancelled"),
        BackendError::Own(own) => own.explain(),
    };
    let code = if own.code == "conflict" {
        Code::Conflict
    } else {
        Code::Refused
    };
    Error::new(code, own.message)
}

fn change_failed(error: domain::ChangeError) -> ChangeError {
    match error.effect {
        Effect::Done => failed(error.cause).with_effect(Effect::Done),
        Effect::NotDone | Effect::Unknown | Effect::Partly(_) => failed(error.cause).not_done(),
    }
}

fn details(set: Details) -> SetDetails {
    SetDetails {
        name: set.summary.name,
        kind: set.summary.kind,
        region: set.summary.region,
        status: set.summary.status,
        keys: match set.keys {
            Keys::Known(keys) => keys,
            Keys::Referenced | Keys::None => Vec::new(),
        },
        ..SetDetails::default()
    }
}
