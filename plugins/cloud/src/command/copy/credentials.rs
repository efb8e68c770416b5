//! An image pull secret of the vault, copied with its credentials.

use bot_cli_sdk::failure::{Exit, Failure};
use bot_cli_sdk::plugin::Reply;
use serde_json::json;

use super::{Contents, Original, from, place};
use crate::command::confirm;
use crate::command::context::CommandContext;
use crate::command::open::Opened;
use crate::command::provisioning::{self, Expected};
use crate::command::target::where_to;
use crate::domain::{RegistryHost, SetKind, SetName, Status};
use crate::options::Copy;
use crate::words::change::Deed;

pub(super) fn copy(
    context: &CommandContext<'_>,
    options: &Copy,
    opened: &mut Opened<'_>,
    original: &Original,
    to: &SetName,
) -> Result<Reply, Failure> {
    let Contents::Credentials { host, credentials } = &original.contents else {
        return Err(damaged("it has no credentials"));
    };
    let host = RegistryHost::parse(host)
        .map_err(|problem| damaged(&format!("the address of its registry {problem}")))?;
    let target = place(context, opened, original, to, SetKind::ImagePullSecret)?;
    let (verb, past) = if target.exists {
        ("Update", "Updated")
    } else {
        ("Create", "Created")
    };
    let place = where_to(opened, &target.region);
    let plan = format!("{verb} the image pull secret `{to}` for {host} in {place}\n");
    let mut status = None;
    let text = if options.dry_run {
        plan + "Nothing was changed\n"
    } else {
        if !options.skip {
            confirm::yes(context, format!("Save the credentials in `{to}`?"), plan)?;
        }
        context.progress("Saving the credentials");
        let put = opened
            .backend
            .put_image_pull_secret(to, &host, credentials, target.prior());
        let confirmed = put.map_err(|error| opened.change_failure(Deed::Change, to, &error))?;
        let expected = (&confirmed, Expected::Listed);
        let seen = provisioning::after(context, opened, to, expected, options.wait)?;
        status = seen.map(Status::name);
        format!(
            "{past} the image pull secret `{to}` for {host} ({place}; {})\n",
            status.unwrap_or("status unknown")
        )
    };
    Ok(Reply {
        text,
        data: json!({
            "name": to.as_str(),
            "host": host.as_str(),
            "region": target.region.as_str(),
            "created": !target.exists,
            "status": status,
            "dry_run": options.dry_run,
            "scope": opened.scope.json(),
            "from": from(original),
        }),
        next: Vec::new(),
    })
}

fn damaged(what: &str) -> Failure {
    let message = format!("the image pull secret can't be used: {what}");
    Failure::new(Exit::Failed, "vault_damaged", message)
}
