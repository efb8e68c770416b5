//! Waiting for what is asynchronous, for as long as the user wants to.

use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use bot_cli_sdk::session::Session;
use bot_cli_secrets::{Code, Error};
use tokio::runtime::{Builder, Runtime};

/// The interval at which a request to stop is checked.
const TICK: Duration = Duration::from_millis(20);

/// After so long the user is told what is waited for, and after so long again: a host takes silence for a fault.
const TOLD: Duration = Duration::from_secs(2);

/// The runtime of all clusters: one thread is enough for one request after the other. It is never dropped: that would wait for
/// a sign-in program that does not end.
static RUNTIME: LazyLock<io::Result<Runtime>> =
    LazyLock::new(|| Builder::new_current_thread().enable_all().build());

/// Waits for the future or for the user's request to stop. A request that is already there comes first. `what` is waited for.
pub fn wait<T>(
    session: &mut Session,
    what: &str,
    future: impl Future<Output = T>,
) -> Result<T, Error> {
    let runtime = RUNTIME.as_ref().map_err(|error| {
        let reason = bot_cli_protocol::failure::reason(error);
        let message = format!("could not prepare for the network: {reason}");
        Error::new(Code::Internal, message)
    })?;
    let mut since = Instant::now();
    let mut told = false;
    let waited = runtime.block_on(async {
        let mut future = pin!(future);
        loop {
            if session.cancelled() {
                return Err(cancelled());
            }
            if let Ok(output) = tokio::time::timeout(TICK, &mut future).await {
                return Ok(output);
            }
            if since.elapsed() >= TOLD {
                session.progress(what, None, None);
                (since, told) = (Instant::now(), true);
            }
        }
    });
    if told {
        session.clear_progress();
    }
    waited
}

/// The user stopped it.
pub fn cancelled() -> Error {
    Error::new(Code::Cancelled, "cancelled")
}
