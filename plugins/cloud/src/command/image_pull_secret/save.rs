//! Credentials of a registry as they are about to be saved, whether they are given or copied.

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::secret::Secret;
use serde_json::{Value, json};

use crate::backend::Ability;
use crate::command::context::CommandContext;
use crate::command::open::Opened;
use crate::command::provisioning::{self, Expected};
use crate::command::target::Target;
use crate::domain::{Region, RegistryHost, SetName, Status};
use crate::input::invalid;
use crate::words::change::Deed;

/// An image pull secret as it will be.
pub struct Plan<'a> {
    pub name: &'a SetName,
    /// The registry.
    pub host: &'a RegistryHost,
    /// The existing set.
    pub target: &'a Target,
}

/// Refuses credentials for a backend that does not keep any.
pub fn check_can(opened: &Opened<'_>) -> Result<(), Failure> {
    if opened.profile().can(Ability::ImagePullSecrets) {
        return Ok(());
    }
    let message = format!("{} keeps no image pull secrets", opened.profile().keeper);
    Err(Failure::new(Exit::Failed, "not_supported", message)
        .hint("choose another backend with `--backend`"))
}

impl Plan<'_> {
    /// Says what is about to be done, for people.
    pub fn words(&self, opened: &Opened<'_>) -> String {
        let verb = if self.target.exists {
            "Update"
        } else {
            "Create"
        };
        let place = opened.whereabouts(self.target.region.as_ref().map(Region::as_str));
        let Self { name, host, .. } = self;
        format!("{verb} the image pull secret `{name}` for {host} in {place}\n")
    }

    /// Saves the credentials; returns the status that they have then.
    pub fn carry_out(
        &self,
        context: &CommandContext<'_>,
        opened: &Opened<'_>,
        credentials: &Secret,
        wait: bool,
    ) -> Result<Option<Status>, Failure> {
        let Self { name, host, target } = self;
        let too_long = opened
            .profile()
            .too_long("credentials", credentials.expose());
        if let Some((field, problem)) = too_long {
            return Err(invalid(vec![(field, None, problem)]));
        }
        context.progress("Saving the credentials");
        let backend = &opened.backend;
        let put = backend.put_image_pull_secret(name, host, credentials, target.prior());
        let confirmed = put.map_err(|error| opened.change_failure(Deed::Change, name, &error))?;
        let expected = (&confirmed, Expected::Listed);
        let target = (*name, target.region.as_ref());
        let status = provisioning::after(context, opened, target, expected, wait)?;
        Ok(status)
    }

    /// Says what was done, for people.
    pub fn done(&self, opened: &Opened<'_>, status: Option<Status>) -> String {
        let verb = if self.target.exists {
            "Updated"
        } else {
            "Created"
        };
        let place = opened.whereabouts(self.target.region.as_ref().map(Region::as_str));
        let status = status.map_or("status unknown", Status::name);
        let Self { name, host, .. } = self;
        format!("{verb} the image pull secret `{name}` for {host} ({place}; {status})\n")
    }

    /// Says what was done, for programs.
    pub fn json(&self, opened: &Opened<'_>, status: Option<Status>, dry_run: bool) -> Value {
        json!({
            "name": self.name.as_str(),
            "host": self.host.as_str(),
            "region": self.target.region.as_ref().map(Region::as_str),
            "created": !self.target.exists,
            "status": status.map(Status::name),
            "dry_run": dry_run,
            "scope": opened.scope.json(),
        })
    }
}
