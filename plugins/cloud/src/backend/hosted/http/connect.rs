//! Connection setup, connection errors, and waits that the user can cancel.

use std::error::Error as _;
use std::future::Future;
use std::pin::pin;
use std::time::{Duration, Instant};

use bot_cli_protocol::wording;
use bot_cli_sdk::session::Session;
use tokio::runtime::Runtime;
use url::Url;

use crate::address::is_this_machine;
use crate::backend::hosted::ServiceError;
use crate::pace::Pace;

/// The interval between checks for cancellation.
const TICK: Duration = Duration::from_millis(20);

pub fn connector(base: &Url, pace: Pace) -> Result<reqwest::Client, ServiceError> {
    // An earlier call may have installed the same provider.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("bot-cli-cloud/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(pace.connect.min(pace.request))
        .timeout(pace.request)
        .referer(false);
    if is_this_machine(base) {
        // A proxy must not see requests to this machine.
        builder = builder.no_proxy();
        if base.scheme() == "http" {
            // Plain HTTP verifies nothing, so no certificates are loaded.
            let nobody = rustls::ClientConfig::builder()
                .with_root_certificates(rustls::RootCertStore::empty())
                .with_no_client_auth();
            builder = builder.tls_backend_preconfigured(nobody);
        }
    }
    // No request is sent here, so only missing root certificates can cause a failure.
    builder.build().map_err(|_| ServiceError::NoAuthorities)
}

/// Reads the body of a response. Fails if the body has more than `longest` bytes.
pub async fn read(
    mut response: reqwest::Response,
    base: &Url,
    longest: usize,
    too_long: String,
) -> Result<Vec<u8>, ServiceError> {
    let mut body = Vec::new();
    loop {
        let chunk = response.chunk().await;
        let Some(chunk) = chunk.map_err(|error| failed(base, &error))? else {
            return Ok(body);
        };
        if body.len() + chunk.len() > longest {
            return Err(ServiceError::InvalidResponse(too_long));
        }
        body.extend_from_slice(&chunk);
    }
}

/// Returns the error for a request that failed before its response was complete.
pub fn failed(base: &Url, error: &reqwest::Error) -> ServiceError {
    let name = base.host_str().unwrap_or_default();
    let host = match base.port() {
        Some(port) => format!("{name}:{port}"),
        None => name.to_owned(),
    };
    if error.is_timeout() {
        return ServiceError::TimedOut(host);
    }
    let mut reason = "the connection broke off".to_owned();
    let mut cause = error.source();
    while let Some(inner) = cause {
        reason = inner.to_string();
        cause = inner.source();
    }
    if reason.contains("certificate") {
        let reason = wording::tls(&reason).to_owned().into();
        return ServiceError::BadCertificate { host, reason };
    }
    let reason = reason.split(" (os error").next().unwrap_or_default();
    let reason = match wording::tls(reason) {
        words if words == reason => reason.to_lowercase(),
        words => words.to_owned(),
    };
    ServiceError::Unreachable {
        host,
        reason: reason.into(),
    }
}

/// Creates a single-threaded asynchronous runtime, which is sufficient for a few requests.
pub fn runtime() -> Result<Runtime, ServiceError> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| ServiceError::Unreachable {
            host: "the network".to_owned(),
            reason: error.into(),
        })
}

/// Waits for `future`. Fails if the user cancels.
pub async fn until_cancelled<T>(
    session: &Session,
    future: impl Future<Output = T>,
) -> Result<T, ServiceError> {
    patiently(session, Duration::MAX, || {}, future).await
}

/// Like [`until_cancelled`], but calls `slow` once if the wait lasts longer than `soon`.
pub async fn patiently<T>(
    session: &Session,
    soon: Duration,
    slow: impl FnOnce(),
    future: impl Future<Output = T>,
) -> Result<T, ServiceError> {
    let begun = Instant::now();
    let mut slow = Some(slow);
    let tick = || {
        if begun.elapsed() >= soon
            && let Some(slow) = slow.take()
        {
            slow();
        }
        None
    };
    attended(session, tick, future).await
}

/// Waits as [`until_cancelled`] does, and calls `tick` periodically. Fails if `tick` returns an error.
pub async fn attended<T>(
    session: &Session,
    mut tick: impl FnMut() -> Option<ServiceError>,
    future: impl Future<Output = T>,
) -> Result<T, ServiceError> {
    let mut future = pin!(future);
    loop {
        if let Ok(output) = tokio::time::timeout(TICK, &mut future).await {
            return Ok(output);
        }
        if session.cancelled() {
            return Err(ServiceError::Cancelled);
        }
        if let Some(error) = tick() {
            return Err(error);
        }
    }
}
