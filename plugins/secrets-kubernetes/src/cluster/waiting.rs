//! Waits for requests, unless the user cancels.

use std::future::Future;
use std::pin::pin;
use std::time::{Duration, Instant};

use bot_cli_sdk::session::Session;
use bot_cli_secrets::{Code, Error};
use tokio::runtime::{Builder, Runtime};

/// The interval between checks for cancellation.
const TICK: Duration = Duration::from_millis(20);

/// The interval between progress reports. A host treats a longer silence as a failure.
const TOLD: Duration = Duration::from_secs(2);

/// The asynchronous runtime of a scope. One thread is enough for consecutive requests.
///
/// Dropping the runtime closes all connections, and doesn't wait for a sign-in program that hangs.
pub struct Worker(Option<Runtime>);

impl Worker {
    pub fn start() -> Result<Self, Error> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| {
            let reason = bot_cli_protocol::failure::reason(&error);
            let message = format!("could not prepare for the network: {reason}");
            Error::new(Code::Internal, message)
        })?;
        Ok(Self(Some(runtime)))
    }

    /// Waits until the future completes or the user cancels. If both happen, cancellation takes precedence.
    ///
    /// `what` describes the wait in progress reports.
    pub fn wait<T>(
        &self,
        session: &Session,
        what: &str,
        future: impl Future<Output = T>,
    ) -> Result<T, Error> {
        let Some(runtime) = &self.0 else {
            return Err(cancelled());
        };
        let mut told = Instant::now();
        let waited = runtime.block_on(async {
            let mut future = pin!(future);
            loop {
                if session.cancelled() {
                    return Err(cancelled());
                }
                if let Ok(output) = tokio::time::timeout(TICK, &mut future).await {
                    return Ok(output);
                }
                if told.elapsed() >= TOLD {
                    session.progress(what, None, None);
                    told = Instant::now();
                }
            }
        });
        session.clear_progress();
        waited
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

pub fn cancelled() -> Error {
    Error::new(Code::Cancelled, "cancelled")
}
