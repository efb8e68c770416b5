//! Requests and answers: what is sent where, how long it may take, how much may come back, and what may be tried again.

use std::error::Error as _;
use std::future::Future;
use std::pin::pin;
use std::time::{Duration, SystemTime};

use bot_cli_sdk::secret::Secret;
use bytes::Bytes;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue, LOCATION, RETRY_AFTER};
use serde::de::DeserializeOwned;
use url::Url;

use super::retry::{self, TRIES};
use super::wire;
use crate::backend::BackendError;
use crate::scope::is_this_machine;
use crate::watch::Watch;

/// The most that is read of an answer.
const LONGEST: usize = 4 * 1024 * 1024;

/// How long a connection may take to come about.
const CONNECT: Duration = Duration::from_secs(5);

/// How often a wish to stop is looked for.
const TICK: Duration = Duration::from_millis(20);

/// How many redirections within the service are followed.
const REDIRECTIONS: u32 = 3;

/// A method of HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Asks.
    Get,
    /// Makes or replaces.
    Put,
    /// Removes.
    Delete,
}

impl Method {
    const fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Put => "PUT",
            Self::Delete => "DELETE",
        }
    }
}

/// The service at the other end.
#[derive(Clone)]
pub struct Client<'a> {
    http: reqwest::Client,
    base: Url,
    token: Secret,
    watch: &'a dyn Watch,
}

/// What came back of a request that succeeded.
pub struct Answer {
    status: u16,
    body: Vec<u8>,
}

impl Answer {
    /// The body as the service means it.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, BackendError> {
        // The parser's own words quote the body.
        serde_json::from_slice(&self.body).map_err(|error| BackendError::InvalidResponse {
            what: match error.classify() {
                _ if self.body.is_empty() => {
                    format!("status {} came without an answer", self.status)
                }
                serde_json::error::Category::Data => "the answer has another shape".to_owned(),
                serde_json::error::Category::Io
                | serde_json::error::Category::Syntax
                | serde_json::error::Category::Eof => "the answer is not JSON".to_owned(),
            },
        })
    }
}

impl<'a> Client<'a> {
    /// A client of the service at `base`.
    pub fn new(
        base: &Url,
        token: Secret,
        timeout: Duration,
        watch: &'a dyn Watch,
    ) -> Result<Self, BackendError> {
        Ok(Self {
            http: connector(base, timeout)?,
            base: base.clone(),
            token,
            watch,
        })
    }

    /// Sends a request until it succeeds, or fails in a way that stays.
    pub async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<&Secret>,
    ) -> Result<Answer, BackendError> {
        let url = self.address(path)?;
        let mut undecided = false;
        let mut tried = 1;
        loop {
            self.watch
                .requested(&format!("{} {}", method.name(), url.path()));
            let error = match self.follow(method, url.clone(), body).await {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            // What an earlier try removed can't be found again.
            if undecided
                && method == Method::Delete
                && matches!(error, BackendError::NotFound { .. })
            {
                return Ok(Answer {
                    status: 204,
                    body: Vec::new(),
                });
            }
            let Some(pause) = retry::pause(&error, tried) else {
                return Err(error);
            };
            undecided |= !matches!(error, BackendError::Conflict { .. });
            tried += 1;
            self.watch.retrying(&format!(
                "{} {}: {error}; trying again in {} s ({tried} of {TRIES})",
                method.name(),
                url.path(),
                pause.as_secs_f64(),
            ));
            self.until_cancelled(tokio::time::sleep(pause)).await?;
        }
    }

    /// One request, and the redirections that stay within the service.
    async fn follow(
        &self,
        method: Method,
        mut url: Url,
        body: Option<&Secret>,
    ) -> Result<Answer, BackendError> {
        for _ in 0..=REDIRECTIONS {
            let exchange = self.exchange(method, url.clone(), body);
            match self.until_cancelled(exchange).await?? {
                Exchanged::Answer(answer) => return Ok(answer),
                Exchanged::Redirection { status, to } => {
                    let target = url.join(&to).ok();
                    // Other methods would become a GET by these statuses.
                    let keeps_method = matches!(status, 307 | 308) || method == Method::Get;
                    match target {
                        Some(target) if target.origin() == url.origin() && keeps_method => {
                            url = target;
                        }
                        target => {
                            let shown = target.map_or(to, |mut target| {
                                target.set_query(None);
                                target.set_fragment(None);
                                // An address that names a user is shown without.
                                let _ = target.set_username("");
                                let _ = target.set_password(None);
                                target.to_string()
                            });
                            return Err(BackendError::Redirected { to: shown });
                        }
                    }
                }
            }
        }
        Err(BackendError::Redirected {
            to: url.path().to_owned(),
        })
    }

    async fn exchange(
        &self,
        method: Method,
        url: Url,
        body: Option<&Secret>,
    ) -> Result<Exchanged, BackendError> {
        let verb = match method {
            Method::Get => reqwest::Method::GET,
            Method::Put => reqwest::Method::PUT,
            Method::Delete => reqwest::Method::DELETE,
        };
        let mut request = self
            .http
            .request(verb, url)
            .header(ACCEPT, "application/json")
            .header(AUTHORIZATION, self.authorization()?);
        if let Some(body) = body {
            // Wiped when the last part of it has been sent.
            let bytes = Bytes::from_owner(SharedBody(body.clone()));
            request = request.header(CONTENT_TYPE, "application/json").body(bytes);
        }
        let mut response = request.send().await.map_err(|error| self.failed(&error))?;
        let status = response.status().as_u16();
        let header = |name| {
            response
                .headers()
                .get(name)
                .and_then(|value: &HeaderValue| value.to_str().ok())
        };
        if matches!(status, 301 | 302 | 303 | 307 | 308)
            && let Some(to) = header(LOCATION)
        {
            let to = to.to_owned();
            return Ok(Exchanged::Redirection { status, to });
        }
        let retry_after =
            header(RETRY_AFTER).and_then(|text| retry::retry_after(text, SystemTime::now()));
        let mut read = Vec::new();
        while let Some(chunk) = response
            .chunk()
            .await
            .map_err(|error| self.failed(&error))?
        {
            if read.len() + chunk.len() > LONGEST {
                return Err(BackendError::InvalidResponse {
                    what: format!("the answer is longer than {} MiB", LONGEST / 1024 / 1024),
                });
            }
            read.extend_from_slice(&chunk);
        }
        let answer = Answer { status, body: read };
        if (200..300).contains(&status) {
            return checked(method, answer).map(Exchanged::Answer);
        }
        Err(refusal(&answer, retry_after))
    }

    fn address(&self, path: &str) -> Result<Url, BackendError> {
        let base = self.base.as_str().trim_end_matches('/');
        // Tolerates a base address that has the version in it already.
        let base = base.strip_suffix("/v1").unwrap_or(base);
        Url::parse(&format!("{base}{path}")).map_err(|_| BackendError::InvalidResponse {
            what: "the address of the request is not valid".to_owned(),
        })
    }

    fn authorization(&self) -> Result<HeaderValue, BackendError> {
        let value = Secret::new(format!("Bearer {}", self.token.expose()));
        let mut value =
            HeaderValue::from_str(value.expose()).map_err(|_| BackendError::NotSignedIn {
                message: "the token has characters that no token has".to_owned(),
            })?;
        value.set_sensitive(true);
        Ok(value)
    }

    async fn until_cancelled<T>(&self, future: impl Future<Output = T>) -> Result<T, BackendError> {
        until_cancelled(self.watch, future).await
    }

    fn failed(&self, error: &reqwest::Error) -> BackendError {
        failed(&self.base, error)
    }
}

/// Waits for the future or for the user's wish to stop.
pub async fn until_cancelled<T>(
    watch: &dyn Watch,
    future: impl Future<Output = T>,
) -> Result<T, BackendError> {
    let mut future = pin!(future);
    loop {
        if let Ok(output) = tokio::time::timeout(TICK, &mut future).await {
            return Ok(output);
        }
        if watch.cancelled() {
            return Err(BackendError::Cancelled);
        }
    }
}

/// What speaks HTTP with the service at `base`.
pub fn connector(base: &Url, timeout: Duration) -> Result<reqwest::Client, BackendError> {
    // Whoever was first has installed the same.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("bot-cli-cloud/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(CONNECT.min(timeout))
        .timeout(timeout)
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
    builder.build().map_err(|error| failed(base, &error))
}

/// A failure before a whole answer came.
#[must_use]
pub fn failed(base: &Url, error: &reqwest::Error) -> BackendError {
    let host = base.host_str().unwrap_or_default().to_owned();
    if error.is_timeout() {
        return BackendError::TimedOut { host };
    }
    let mut reason = String::new();
    let mut cause = error.source();
    while let Some(error) = cause {
        if let Some(tls) = find_tls(error) {
            return BackendError::BadCertificate {
                host,
                reason: distrust(tls),
            };
        }
        reason = error.to_string();
        cause = error.source();
    }
    if reason.is_empty() {
        "the connection broke off".clone_into(&mut reason);
    }
    let reason = reason
        .split(" (os error")
        .next()
        .unwrap_or_default()
        .to_lowercase();
    BackendError::Unreachable { host, reason }
}

/// Why a certificate is not believed, for people. What the system's own verifier says of an unknown issuer is not for them.
fn distrust(error: &rustls::CertificateError) -> String {
    let is_unknown = matches!(
        error,
        rustls::CertificateError::UnknownIssuer | rustls::CertificateError::Other(_)
    );
    if is_unknown {
        return "nobody whom this machine trusts vouches for its certificate".to_owned();
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

enum Exchanged {
    Answer(Answer),
    Redirection { status: u16, to: String },
}

struct SharedBody(Secret);

impl AsRef<[u8]> for SharedBody {
    fn as_ref(&self) -> &[u8] {
        self.0.expose().as_bytes()
    }
}

/// A success must look like one of this service: JSON, or nothing where something was changed.
fn checked(method: Method, answer: Answer) -> Result<Answer, BackendError> {
    let is_empty = answer.body.is_empty();
    if (is_empty && method != Method::Get) || (!is_empty && is_object(&answer.body)) {
        return Ok(answer);
    }
    Err(BackendError::InvalidResponse {
        what: if is_empty {
            format!("status {} came without an answer", answer.status)
        } else {
            "the answer is not JSON".to_owned()
        },
    })
}

fn is_object(body: &[u8]) -> bool {
    serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(body).is_ok()
}

fn refusal(answer: &Answer, retry_after: Option<u64>) -> BackendError {
    let refusal = serde_json::from_slice::<wire::Refusal>(&answer.body).ok();
    let ours = refusal.is_some();
    let message = refusal
        .and_then(|refusal| refusal.error)
        .unwrap_or_default();
    match answer.status {
        401 => BackendError::NotSignedIn { message },
        403 => BackendError::NotAllowed { message },
        404 if ours => BackendError::NotFound { message },
        404 => BackendError::InvalidResponse {
            what: "status 404 came with an answer that is not the service's".to_owned(),
        },
        409 => BackendError::Conflict { message },
        status @ (408 | 429 | 500..) => BackendError::Unavailable {
            status,
            message,
            retry_after,
        },
        status => BackendError::Refused { status, message },
    }
}
