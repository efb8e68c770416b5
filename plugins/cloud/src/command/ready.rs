//! Whether what was changed can be used yet.

use std::time::{Duration, Instant};

use bot_cli_sdk::failure::{Exit, Failure};

use super::desk::Desk;
use super::open::Opened;
use super::set::provisioning_failed;
use crate::backend::BackendError;
use crate::backend::hosted::http::until_cancelled;
use crate::domain::{SetName, Status};
use crate::words::{self, theirs};

/// The longest that `--wait` waits.
const PATIENCE: Duration = Duration::from_secs(300);

/// The first pause between two looks; the later ones are longer.
const FIRST: Duration = Duration::from_millis(250);

/// The longest pause.
const LONGEST: Duration = Duration::from_secs(5);

/// What a set is seen to be.
pub(super) struct Seen {
    pub(super) status: Status,
}

/// How the set is. What was changed is changed, so a look that fails is only told; with `wait` it is looked until the end.
pub(super) async fn status(
    desk: &Desk<'_>,
    opened: &Opened<'_>,
    name: &SetName,
    wait: bool,
) -> Result<Option<Seen>, Failure> {
    let begun = Instant::now();
    let mut pause = FIRST;
    loop {
        let summary = match opened.backend.get(name).await {
            Ok(details) => details.map(|details| details.summary),
            Err(BackendError::Cancelled) => return Err(stopped(name)),
            Err(error) if wait => return Err(saved_but(name, words::failure(&error))),
            Err(error) => {
                desk.warn(&format!(
                    "saved, but the status is not known: {}",
                    words::failure(&error).message
                ));
                return Ok(None);
            }
        };
        let Some(summary) = summary else {
            desk.warn(&format!(
                "`{name}` was saved and is gone already: somebody else has deleted it"
            ));
            return Ok(None);
        };
        let status = summary.status;
        if !wait || status == Status::Ready {
            return Ok(Some(Seen { status }));
        }
        if status == Status::Failed {
            return Err(provisioning_failed(
                opened,
                name,
                summary.error.as_deref().map(theirs).as_deref(),
            ));
        }
        if begun.elapsed() >= PATIENCE {
            let message = format!(
                "`{name}` is saved but was not ready after {} seconds",
                PATIENCE.as_secs()
            );
            return Err(Failure::new(Exit::Unavailable, "not_ready", message)
                .hint(opened.scope.command(&format!("secrets list {name}"))));
        }
        desk.progress("Waiting until it is ready");
        if until_cancelled(desk, tokio::time::sleep(pause))
            .await
            .is_err()
        {
            return Err(stopped(name));
        }
        pause = (pause * 2).min(LONGEST);
    }
}

fn stopped(name: &SetName) -> Failure {
    Failure {
        message: format!("cancelled; `{name}` is saved"),
        ..Failure::cancelled()
    }
}

fn saved_but(name: &SetName, failure: Failure) -> Failure {
    Failure {
        message: format!(
            "`{name}` is saved, but its status is not known: {}",
            failure.message
        ),
        ..failure
    }
}
