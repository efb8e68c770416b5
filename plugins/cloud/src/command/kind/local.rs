//! The vault of this machine.

use bot_cli_protocol::failure::Failure;

use super::{Kind, Organizations, Others};
use crate::backend::local::{self, ORGANIZATION, REGIONS, Vault, regions};
use crate::backend::{Profile, SecretsBackend};
use crate::command::context::CommandContext;
use crate::domain::{Organization, Region, SetName};
use crate::environment::Environment;
use crate::files::first_time;
use crate::scope::{Scope, Setting};
use crate::source::Source;
use crate::words::failed;

/// The vault as a kind of backend.
pub struct Local;

impl Kind for Local {
    fn profile(&self) -> Profile {
        local::profile()
    }

    fn open<'a>(
        &self,
        context: &'a CommandContext<'_>,
        scope: &mut Scope,
    ) -> Result<Box<dyn SecretsBackend + 'a>, Failure> {
        if scope.backend.source == Source::Default {
            note(context);
        }
        Ok(Box::new(vault(context, scope)?))
    }

    fn organizations(
        &self,
        context: &CommandContext<'_>,
        scope: &mut Scope,
    ) -> Result<Organizations, Failure> {
        let vault = vault(context, scope)?;
        let mut names = vault.organizations()?;
        let current = scope
            .organization
            .as_ref()
            .map(|organization| organization.value.to_string());
        names.extend(current.into_iter().chain([ORGANIZATION.to_owned()]));
        names.sort();
        names.dedup();
        Ok(Organizations {
            all: names.into_iter().map(|name| (name.clone(), name)).collect(),
            others: Others::Begin,
        })
    }

    fn settle(&self, scope: &mut Scope) {
        let by_default = |value| Setting::new(value, Source::Default);
        if scope.organization.is_none() {
            scope.organization = Organization::parse(ORGANIZATION).ok().map(by_default);
        }
        if scope.region.is_none() {
            let region = Region::parse(REGIONS[0].0);
            scope.region = region
                .ok()
                .map(|value| Setting::new(value, Source::Default));
        }
    }

    fn regions(&self) -> Vec<(String, String)> {
        regions()
    }

    fn sets(
        &self,
        environment: &Environment,
        organization: Option<&Organization>,
    ) -> Option<Vec<String>> {
        local::names(&environment.vault_folder()?, &or_own(organization)?)
    }

    fn keys(
        &self,
        environment: &Environment,
        organization: Option<&Organization>,
        name: &SetName,
    ) -> Option<Vec<String>> {
        local::keys(&environment.vault_folder()?, &or_own(organization)?, name)
    }
}

fn or_own(organization: Option<&Organization>) -> Option<Organization> {
    organization
        .cloned()
        .or_else(|| Organization::parse(ORGANIZATION).ok())
}

/// Says once a machine that it is the vault that is used. Where that can't be remembered, it is said again.
fn note(context: &CommandContext<'_>) {
    if let Some(folder) = &context.environment.data_folder
        && !first_time(&folder.join("vault-noted"))
    {
        return;
    }
    context.note("not signed in: using this machine's vault (`bot-cli cloud config set backend local` makes that lasting, `bot-cli cloud auth login` signs in)");
}

/// The vault of this machine.
pub fn vault<'a>(context: &'a CommandContext<'_>, scope: &mut Scope) -> Result<Vault<'a>, Failure> {
    let organization = if let Some(organization) = &scope.organization {
        organization.value.clone()
    } else {
        let local =
            Organization::parse(ORGANIZATION).map_err(|problem| failed("internal", problem))?;
        scope.organization = Some(Setting::new(local.clone(), Source::Default));
        local
    };
    Ok(Vault::new(
        &context.vault_folder()?,
        organization,
        scope.keyring.value,
        context,
    ))
}
