//! The vault of this machine.

use bot_cli_protocol::failure::Failure;

use super::Organizations;
use crate::backend::local::{ORGANIZATION, Vault};
use crate::command::context::CommandContext;
use crate::domain::Organization;
use crate::files::first_time;
use crate::scope::{Scope, Setting};
use crate::source::Source;
use crate::words::failed;

pub fn open<'a>(context: &'a CommandContext<'_>, scope: &mut Scope) -> Result<Vault<'a>, Failure> {
    let folder = context.environment.data_folder.as_ref();
    let mark = folder.map(|folder| folder.join("vault-noted"));
    // Said once a machine, and again where that can't be remembered.
    if scope.backend.source == Source::Default && mark.is_none_or(|mark| first_time(&mark)) {
        context.note("not signed in: using this machine's vault (`bot-cli cloud config set backend local` makes that lasting, `bot-cli cloud auth login` signs in)");
    }
    vault(context, scope)
}

pub fn organizations(
    context: &CommandContext<'_>,
    scope: &mut Scope,
) -> Result<Organizations, Failure> {
    let mut names = vault(context, scope)?.organizations()?;
    let current = scope.organization.iter();
    names.extend(current.map(|organization| organization.value.to_string()));
    names.push(ORGANIZATION.to_owned());
    names.sort();
    names.dedup();
    Ok(Organizations {
        all: names.into_iter().map(|name| (name.clone(), name)).collect(),
        // An organization begins with its first set.
        is_complete: false,
    })
}

/// Returns the organization of a vault where no other is chosen.
pub fn own_organization() -> Result<Setting<Organization>, Failure> {
    let value = Organization::parse(ORGANIZATION).map_err(|problem| failed("internal", problem))?;
    Ok(Setting::new(value, Source::Default))
}

/// Returns the vault of this machine.
pub fn vault<'a>(context: &'a CommandContext<'_>, scope: &mut Scope) -> Result<Vault<'a>, Failure> {
    let organization = match scope.organization.take() {
        Some(organization) => organization,
        None => own_organization()?,
    };
    let value = organization.value.clone();
    scope.organization = Some(organization);
    let folder = context.vault_folder()?;
    Ok(Vault::new(&folder, value, scope.keyring.value, context))
}
