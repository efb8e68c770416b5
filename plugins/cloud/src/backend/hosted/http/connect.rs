//! Connections: how one comes about, and why there is none, for people.

use std::error::Error as _;

use url::Url;

use crate::address::is_this_machine;
use crate::backend::hosted::ServiceError;
use crate::files::Reason;
use crate::pace::Pace;

/// Returns an HTTP client for the service at `base`.
pub fn connector(base: &Url, pace: Pace) -> Result<reqwest::Client, ServiceError> {
    // Whoever was first has installed the same.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("bot-cli-cloud/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(pace.connect.min(pace.request))
        .timeout(pace.request)
        .referer(false);
    if is_this_machine(base) {
        // No proxy sees what is meant for this machine.
        builder = builder.no_proxy();
        if base.scheme() == "http" {
            // Nothing to verify, so no certificates are loaded.
            let nobody = rustls::ClientConfig::builder()
                .with_root_certificates(rustls::RootCertStore::empty())
                .with_no_client_auth();
            builder = builder.tls_backend_preconfigured(nobody);
        }
    }
    // Without a request, only the certificates of this machine can be missing.
    builder.build().map_err(|_| ServiceError::NoAuthorities)
}

/// Reads the body of a response, unless it is too long.
pub async fn read(
    mut response: reqwest::Response,
    base: &Url,
    longest: usize,
    too_long: String,
) -> Result<Vec<u8>, ServiceError> {
    let mut body = Vec::new();
    loop {
        let chunk = response.chunk().await;
        let Some(chunk) = chunk.map_err(|error| failed(base, error))? else {
            return Ok(body);
        };
        if body.len() + chunk.len() > longest {
            return Err(ServiceError::InvalidResponse(too_long));
        }
        body.extend_from_slice(&chunk);
    }
}

/// A failure before a whole answer came.
pub fn failed(base: &Url, error: reqwest::Error) -> ServiceError {
    let name = base.host_str().unwrap_or_default();
    let host = match base.port() {
        Some(port) => format!("{name}:{port}"),
        None => name.to_owned(),
    };
    if error.is_timeout() {
        return ServiceError::TimedOut(host);
    }
    let mut reason = String::new();
    let mut cause = error.source();
    while let Some(inner) = cause {
        if let Some(words) = find_tls(inner).map(distrust) {
            let reason = Reason::worded(words, error.without_url());
            return ServiceError::BadCertificate { host, reason };
        }
        reason = inner.to_string();
        cause = inner.source();
    }
    if reason.is_empty() {
        "the connection broke off".clone_into(&mut reason);
    }
    let reason = reason
        .split(" (os error")
        .next()
        .unwrap_or_default()
        .to_lowercase();
    let reason = Reason::worded(reason, error.without_url());
    ServiceError::Unreachable { host, reason }
}

/// Why a certificate is not believed, for people. What the system's own verifier says of an unknown issuer is not for them.
fn distrust(error: &rustls::CertificateError) -> String {
    let is_unknown = matches!(
        error,
        rustls::CertificateError::UnknownIssuer | rustls::CertificateError::Other(_)
    );
    if is_unknown {
        return "no authority that this machine trusts has signed its certificate".to_owned();
    }
    error.to_string()
}

/// The certificate's fault, which I/O errors may wrap, several deep.
fn find_tls<'e>(
    mut error: &'e (dyn std::error::Error + 'static),
) -> Option<&'e rustls::CertificateError> {
    while let Some(inner) = error
        .downcast_ref::<std::io::Error>()
        .and_then(std::io::Error::get_ref)
    {
        error = inner;
    }
    match error.downcast_ref::<rustls::Error>() {
        Some(rustls::Error::InvalidCertificate(reason)) => Some(reason),
        _ => None,
    }
}
