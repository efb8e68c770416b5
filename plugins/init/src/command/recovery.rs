//! Handles what an earlier run left behind.

use std::mem;

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_sdk::session::Session;

use crate::catalogue::Catalogue;
use crate::equivalent;
use crate::record::{self, PROJECT};
use crate::resolve::{default_name, resolve};
use crate::target::Target;
use crate::transaction;

/// Cleans up after an earlier run. From here on, a cancellation no longer interrupts this run.
pub(super) fn recover(target: &Target, session: &Session) -> Result<(), Failure> {
    // Keeps the guard until the reply, which reports the written files.
    mem::forget(session.guard());
    transaction::recover(&target.path)
}

/// Returns an error if a run was interrupted while it created a project, unless `record` is the record that the run would have written.
pub(super) fn refuse_unfinished(target: &Target, record: Option<&[u8]>) -> Result<(), Failure> {
    let Some(begun) = transaction::begun(&target.path) else {
        return Ok(());
    };
    if record == Some(&begun) || target.path.join(PROJECT).exists() {
        return Ok(());
    }
    let draft = record::read(&begun).ok().map(|it| it.config.draft);
    let name = default_name(&target.path);
    let config = draft.and_then(|it| resolve(&it, name.as_deref(), Catalogue::built_in()).ok());
    let command = config.map_or_else(
        || "the same command as then".to_owned(),
        |config| format!("`{}`", equivalent::command(&target.shown, &config)),
    );
    let message = "an earlier run has not finished creating this project";
    Err(Failure::new(Exit::Failed, "interrupted", message)
        .hint(format!("nothing was changed; {command} completes it")))
}
