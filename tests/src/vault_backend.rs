//! The vault, served over the protocol of secrets backends: what holds for the vault has to hold through the protocol.

use std::collections::BTreeMap;
use std::path::PathBuf;

use bot_cli_cloud::{
    self as domain, Details, Effect, Entry, Key, Keys, Nobody, ORGANIZATION, REGIONS, RegistryHost,
    SetName, Status, Storage, Summary, Vault, VaultError,
};
use bot_cli_sdk::backend::{Backend, ChangeError, Code, Error};
use bot_cli_sdk::protocol::SettingSpec;
use bot_cli_sdk::protocol::secrets::{
    Ability, CredentialsResult, OpenParams, OpenResult, Organization, Prior,
    PutImagePullSecretParams, PutParams, Region, Regions, SetDetails, SetKind, SetStatus,
    SetSummary, UnsetParams,
};
use bot_cli_sdk::secret::Secret;
use bot_cli_sdk::session::Session;

/// The vault in the folder `$HOME/served`, or in the one of the setting `folder`.
pub struct VaultBackend {
    vault: Vault<'static>,
}

bot_cli_sdk::manifest!(backend VaultBackend, "vault_backend.json");

impl Backend for VaultBackend {
    const NAME: &'static str = "secrets-vault";
    const ABOUT: &'static str = "Keep secrets in a vault of its own";
    const REQUIRES: &'static [(&'static str, &'static str)] = &[("bot-cli-cloud", ">=0.1")];

    fn settings() -> Vec<SettingSpec> {
        vec![SettingSpec::new("folder", "Where the vault is")]
    }

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
        let mut opened = OpenResult::default();
        opened.organization = Some(organization.to_string());
        opened.place = format!("organization {organization}");
        let regions = REGIONS.map(|(code, name)| Region::new(code, name));
        opened.regions = Some(Regions::new(regions.into(), Some(REGIONS[0].0.to_owned())));
        opened.can = vec![
            Ability::Values,
            Ability::ImagePullSecrets,
            Ability::Organizations,
        ];
        let vault = Vault::new(&folder, organization, Storage::File, &Nobody);
        Ok((Self { vault }, opened))
    }

    fn list(
        &mut self,
        region: Option<&str>,
        _session: &mut Session,
    ) -> Result<Vec<SetSummary>, Error> {
        let region = region.map(region_of).transpose()?;
        let sets = self.vault.list(region.as_ref()).map_err(failed)?;
        Ok(sets.into_iter().map(summary).collect())
    }

    fn get(&mut self, name: &str, _session: &mut Session) -> Result<Option<SetDetails>, Error> {
        let set = self.vault.get(&name_of(name)?).map_err(failed)?;
        Ok(set.map(details))
    }

    fn put(&mut self, put: PutParams, _session: &mut Session) -> Result<(), ChangeError> {
        let name = name_of(&put.name).map_err(Error::not_done)?;
        self.expect(&name, &put.prior)?;
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
        let done = self.vault.put(&name, &entries, region.as_ref());
        done.map_err(change_failed)
    }

    fn unset(
        &mut self,
        unset: UnsetParams,
        _session: &mut Session,
    ) -> Result<Vec<String>, ChangeError> {
        let name = name_of(&unset.name).map_err(Error::not_done)?;
        let keys: Result<Vec<Key>, Error> = unset.keys.iter().map(|key| key_of(key)).collect();
        let keys = keys.map_err(Error::not_done)?;
        let missing = self.vault.unset(&name, &keys).map_err(change_failed)?;
        Ok(missing.iter().map(ToString::to_string).collect())
    }

    fn delete(&mut self, name: &str, _session: &mut Session) -> Result<bool, ChangeError> {
        let name = name_of(name).map_err(Error::not_done)?;
        self.vault.delete(&name).map_err(change_failed)
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
        Ok(CredentialsResult::new(host, credentials))
    }

    fn put_image_pull_secret(
        &mut self,
        put: PutImagePullSecretParams,
        _session: &mut Session,
    ) -> Result<(), ChangeError> {
        let name = name_of(&put.name).map_err(Error::not_done)?;
        self.expect(&name, &put.prior)?;
        let region = put.region.as_deref().map(region_of).transpose();
        let region = region.map_err(Error::not_done)?;
        let host = RegistryHost::parse(&put.host)
            .map_err(|problem| Error::new(Code::Refused, problem).not_done())?;
        let credentials = &put.credentials;
        let done = self
            .vault
            .put_image_pull_secret(&name, &host, credentials, region.as_ref());
        done.map_err(change_failed)
    }

    fn organizations(&mut self, _session: &mut Session) -> Result<Vec<Organization>, Error> {
        let names = self.vault.organizations().map_err(failed)?;
        Ok(names.into_iter().map(Organization::new).collect())
    }
}

impl VaultBackend {
    /// A set that is not what the caller saw is not changed.
    fn expect(&self, name: &SetName, prior: &Prior) -> Result<(), ChangeError> {
        let found = self.vault.get(name);
        let found = found.map_err(|error| failed(error).not_done())?;
        if found.is_none() == matches!(prior, Prior::Absent) {
            return Ok(());
        }
        Err(Error::new(Code::Conflict, "the set has changed").not_done())
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

#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn failed(error: VaultError) -> Error {
    let code = if matches!(error, VaultError::Refused(_)) {
        Code::Conflict
    } else if error == VaultError::Cancelled {
        Code::Cancelled
    } else {
        Code::Refused
    };
    Error::new(code, error.to_string())
}

fn change_failed(error: VaultError) -> ChangeError {
    match error.effect() {
        Effect::Done => failed(error).done(),
        Effect::NotDone => failed(error).not_done(),
    }
}

fn kind(kind: domain::SetKind) -> SetKind {
    match kind {
        domain::SetKind::Secret => SetKind::Secret,
        domain::SetKind::ImagePullSecret => SetKind::ImagePullSecret,
        domain::SetKind::Unknown => SetKind::Unknown,
    }
}

fn status(status: Status) -> SetStatus {
    match status {
        Status::Ready => SetStatus::Ready,
        Status::Pending => SetStatus::Pending,
        Status::Failed => SetStatus::Failed,
    }
}

fn summary(set: Summary) -> SetSummary {
    let mut summary = SetSummary::default();
    summary.name = set.name;
    summary.kind = kind(set.kind);
    summary.region = set.region;
    summary.status = status(set.status);
    summary.error = set.error;
    summary
}

fn details(set: Details) -> SetDetails {
    let mut details = SetDetails::default();
    details.name = set.summary.name;
    details.kind = kind(set.summary.kind);
    details.region = set.summary.region;
    details.status = status(set.summary.status);
    details.keys = match set.keys {
        Keys::Known(keys) => keys,
        Keys::Referenced | Keys::None => Vec::new(),
    };
    details
}
