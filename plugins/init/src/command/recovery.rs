//! Recovers from an interrupted run before executing the command.

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_sdk::session::{Level, Session};

use crate::target::Target;
use crate::transaction::{self, Recovered};

/// Completes an earlier run that was interrupted, if any, then calls `rest`.
pub(super) fn then<T>(
    target: &Target,
    session: &mut Session,
    rest: impl FnOnce(&mut Session) -> Result<T, Failure>,
) -> Result<T, Failure> {
    // Keeps the guard until the reply, which reports the written files.
    std::mem::forget(session.guard());
    let recovered = transaction::recover(&target.path)?;
    if let Recovered::Completed(left) = &recovered {
        let left: Vec<String> = left.iter().map(|path| format!("`{path}`")).collect();
        let except = match left.as_slice() {
            [] => String::new(),
            left => format!(", but for {}, changed since", left.join(", ")),
        };
        let message = format!("an earlier run was interrupted; it is completed now{except}");
        session.log(Level::Warn, &message);
    }
    rest(session).map_err(|mut failure| {
        if let Recovered::Completed(_) = &recovered {
            failure = failure.hint("the earlier run was completed before that");
            // `Usage` would mean that nothing has changed.
            if failure.exit == Exit::Usage {
                failure.exit = Exit::Failed;
            }
        }
        failure
    })
}

/// Returns an error if the project's creation was interrupted. Used by read-only runs, which can't complete the creation.
pub(super) fn refuse_unfinished(target: &Target) -> Result<(), Failure> {
    if !transaction::is_unfinished(&target.path) {
        return Ok(());
    }
    let message = "an earlier run has not finished creating this project";
    Err(Failure::new(Exit::Failed, "interrupted", message)
        .hint("without `--dry-run` and `--check`, the same command completes it first"))
}
