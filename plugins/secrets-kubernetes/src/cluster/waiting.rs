//! Waiting for what is asynchronous, for as long as the user wants to.

use std::future::Future;
use std::pin::pin;
use std::time::{Duration, Instant};

use bot_cli_sdk::session::Session;
use bot_cli_secrets::{Code, Error};
use tokio::runtime::{Builder, Runtime};

/// The interval at which a request to stop is checked.
const TICK: Duration = Duration::from_millis(20);

/// After so long the user is told what is waited for, and after so long again: a host takes silence for a fault.
const TOLD: Duration = Duration::from_secs(2);

/// The runtime of a scope: one thread is enough for one request after the other. Its connections end with it, and
/// a sign-in program that does not end must not keep this process from ending.
pub struct Worker(Option<Runtime>);

impl Worker {
    /// Starts one.
    pub fn start() -> Result<Self, Error> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| {
            let reason = bot_cli_protocol::failure::reason(&error);
            let message = format!("could not prepare for the network: {reason}");
            Error::new(Code::Internal, message)
        })?;
        Ok(Self(Some(runtime)))
    }

    /// Waits for the future or for the user's request to stop. A request that is already there comes first. `what` is waited for.
    pub fn wait<T>(
        &self,
        session: &mut Session,
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

/// The user stopped it.
pub fn cancelled() -> Error {
    Error::new(Code::Cancelled, "cancelled")
}
