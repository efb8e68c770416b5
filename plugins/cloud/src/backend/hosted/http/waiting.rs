//! Waiting for what is asynchronous, for as long as the user wants to.

use std::future::Future;
use std::pin::pin;
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;

use crate::backend::hosted::ServiceError;
use crate::watch::Watch;

/// The interval at which a request to stop is checked.
const TICK: Duration = Duration::from_millis(20);

/// The runtime of a client: one thread is enough for a few requests.
pub fn runtime() -> Result<Runtime, ServiceError> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| ServiceError::Unreachable {
            host: "the network".to_owned(),
            reason: error.into(),
        })
}

/// Waits for the future or for the user's request to stop.
pub async fn until_cancelled<T>(
    watch: &dyn Watch,
    future: impl Future<Output = T>,
) -> Result<T, ServiceError> {
    patiently(watch, Duration::MAX, || {}, future).await
}

/// The same, and says so when it takes longer than `soon`.
pub async fn patiently<T>(
    watch: &dyn Watch,
    soon: Duration,
    slow: impl FnOnce(),
    future: impl Future<Output = T>,
) -> Result<T, ServiceError> {
    let begun = Instant::now();
    let mut slow = Some(slow);
    let mut future = pin!(future);
    loop {
        if let Ok(output) = tokio::time::timeout(TICK, &mut future).await {
            return Ok(output);
        }
        if watch.cancelled() {
            return Err(ServiceError::Cancelled);
        }
        if begun.elapsed() >= soon
            && let Some(slow) = slow.take()
        {
            slow();
        }
    }
}
