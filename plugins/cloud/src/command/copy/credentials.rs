//! An image pull secret, copied with its credentials.

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_sdk::plugin::Reply;

use super::{Contents, Original, from, place};
use crate::command::confirm;
use crate::command::context::CommandContext;
use crate::command::image_pull_secret::save::{Plan, check_can};
use crate::command::open::Opened;
use crate::domain::{RegistryHost, SetKind, SetName};
use crate::options::Copy;

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
    check_can(opened)?;
    let target = place(context, opened, original, to, SetKind::ImagePullSecret)?;
    let plan = Plan {
        name: to,
        host: &host,
        target: &target,
    };
    let mut status = None;
    let text = if options.dry_run {
        plan.words(opened) + "Nothing was changed\n"
    } else {
        if !options.skip {
            let message = format!("Save the credentials in `{to}`?");
            confirm::yes(context, message, plan.words(opened), !plan.target.exists)?;
        }
        status = plan.carry_out(context, opened, credentials, options.wait)?;
        plan.done(opened, status)
    };
    let mut data = plan.json(opened, status, options.dry_run);
    data["from"] = from(original);
    Ok(Reply::text(text).data(data))
}

fn damaged(what: &str) -> Failure {
    let message = format!("the image pull secret can't be used: {what}");
    Failure::new(Exit::Failed, "vault_damaged", message)
}
