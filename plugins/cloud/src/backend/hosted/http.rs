//! Requests and answers: what is sent where, how long it may take, how much may come back, and what may be tried again.
//!
//! The only place besides signing in where anything is asynchronous. Everything that comes back is searched for secrets here,
//! before anybody else sees it; and how far a change may have come is recorded here, over all its tries.

use std::cell::RefCell;
use std::error::Error as _;
use std::future::Future;
use std::pin::pin;
use std::time::{Duration, Instant, SystemTime};

use bot_cli_sdk::secret::Secret;
use bytes::Bytes;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue, LOCATION, RETRY_AFTER};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::runtime::Runtime;
use url::Url;

use super::redact::Redactor;
use super::retry;
use super::wire::Body;
use crate::backend::BackendError;
use crate::pace::Pace;
use crate::scope::is_this_machine;
use crate::watch::Watch;

/// The most that is read of an answer.
const LONGEST: usize = 4 * 1024 * 1024;

/// How often a wish to stop is looked for.
const TICK: Duration = Duration::from_millis(20);

/// How many redirections within the service are followed.
const REDIRECTIONS: u32 = 3;

/// A method of HTTP that changes something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Creates or replaces.
    Put,
    /// Removes.
    Delete,
}

/// How far the tries of a request may have come. The greatest of all tries counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// No try was carried out.
    Nothing,
    /// A try has ended, and may have been carried out.
    Ended,
    /// A try may still be carried out.
    UnderWay,
}

/// A change that was not confirmed.
#[derive(Debug)]
pub struct Unconfirmed {
    /// What went wrong last.
    pub error: BackendError,
    /// How far it may have come.
    pub reach: Reach,
}

/// Fetches another token in the place of one that the service no longer accepts; `None` where there is no other.
pub type Renew<'a> = Box<dyn Fn(&Secret) -> Option<Secret> + 'a>;

/// The service at the other end.
pub struct Client<'a> {
    runtime: Runtime,
    http: reqwest::Client,
    base: Url,
    token: RefCell<Secret>,
    renew: Option<Renew<'a>>,
    secrets: RefCell<Redactor>,
    pace: Pace,
    watch: &'a dyn Watch,
}

/// What came back of a request that succeeded.
pub struct Answer {
    status: u16,
    body: Option<Value>,
}

impl Answer {
    /// Returns the body as the service means it.
    pub fn decode<T: DeserializeOwned>(self) -> Result<T, BackendError> {
        // The parser's own words quote the body.
        let what = match self.body {
            None => format!("status {} without a body", self.status),
            Some(body) => match serde_json::from_value(body) {
                Ok(decoded) => return Ok(decoded),
                Err(_) => "the response has another shape".to_owned(),
            },
        };
        Err(BackendError::InvalidResponse { what })
    }
}

impl<'a> Client<'a> {
    /// A client of the service at `base`.
    pub fn new(
        base: &Url,
        token: &Secret,
        pace: Pace,
        watch: &'a dyn Watch,
    ) -> Result<Self, BackendError> {
        let mut secrets = Redactor::default();
        secrets.token(token);
        Ok(Self {
            runtime: runtime()?,
            http: connector(base, pace)?,
            base: base.clone(),
            token: RefCell::new(token.clone()),
            renew: None,
            secrets: RefCell::new(secrets),
            pace,
            watch,
        })
    }

    /// Where a token that the service refuses is replaced once.
    #[must_use]
    pub fn renewing(mut self, renew: Renew<'a>) -> Self {
        self.renew = Some(renew);
        self
    }

    /// Hides these values from now on.
    pub fn conceal(&self, values: &[Secret]) {
        self.secrets.borrow_mut().values(values, []);
    }

    /// Reads something, and tries again what may pass.
    pub fn get(&self, path: &str) -> Result<Answer, BackendError> {
        self.with_renewal(|| {
            let got = self
                .runtime
                .block_on(self.tries("GET", path, None, retry::TRIES));
            got.map_err(|unconfirmed| unconfirmed.error)
        })
    }

    /// Reads two things at the same time.
    pub fn get_both(&self, one: &str, other: &str) -> Result<(Answer, Answer), BackendError> {
        self.with_renewal(|| {
            let both = async {
                tokio::try_join!(
                    self.tries("GET", one, None, retry::TRIES),
                    self.tries("GET", other, None, retry::TRIES)
                )
            };
            let both = self.runtime.block_on(both);
            both.map_err(|unconfirmed| unconfirmed.error)
        })
    }

    /// Reads something, once: a look that only makes another answer surer.
    pub fn look(&self, path: &str) -> Result<Answer, BackendError> {
        let got = self.runtime.block_on(self.tries("GET", path, None, 1));
        got.map_err(|unconfirmed| unconfirmed.error)
    }

    /// Changes something, and tries again what may pass. Only the service's own confirmation is a success.
    pub fn change(
        &self,
        change: Change,
        path: &str,
        body: Option<&Body>,
    ) -> Result<(), Unconfirmed> {
        if let Some(body) = body {
            let public = path
                .split('/')
                .map(str::to_owned)
                .chain(body.public.clone());
            self.secrets.borrow_mut().values(&body.secrets, public);
        }
        let method = match change {
            Change::Put => "PUT",
            Change::Delete => "DELETE",
        };
        let mut reach = Reach::Nothing;
        let sent = self.with_renewal(|| {
            let sent = self
                .runtime
                .block_on(self.tries(method, path, body, retry::TRIES));
            sent.map_err(|unconfirmed| {
                reach = reach.max(unconfirmed.reach);
                unconfirmed.error
            })
        });
        match sent {
            Ok(answer) if confirms(&answer) => Ok(()),
            Ok(answer) => Err(Unconfirmed {
                error: BackendError::InvalidResponse {
                    what: match answer.body {
                        None => format!("status {} without a body", answer.status),
                        Some(_) => "it does not confirm the change".to_owned(),
                    },
                },
                reach: Reach::Ended.max(reach),
            }),
            Err(error) => Err(Unconfirmed { error, reach }),
        }
    }

    /// Waits, until the user wants to stop.
    pub fn pause(&self, pause: Duration) -> Result<(), BackendError> {
        // The timer belongs to the runtime, so it begins inside.
        let waiting = async { until_cancelled(self.watch, tokio::time::sleep(pause)).await };
        self.runtime.block_on(waiting)
    }

    /// Does `work` a second time with another token, where the service refuses the present one.
    fn with_renewal<T>(
        &self,
        mut work: impl FnMut() -> Result<T, BackendError>,
    ) -> Result<T, BackendError> {
        let refused = match work() {
            Err(error @ BackendError::NotSignedIn { .. }) => error,
            done => return done,
        };
        let token = self.token.borrow().clone();
        let Some(renewed) = self.renew.as_ref().and_then(|renew| renew(&token)) else {
            return Err(refused);
        };
        self.secrets.borrow_mut().token(&renewed);
        self.token.replace(renewed);
        work()
    }

    /// Sends a request until it succeeds, fails in a way that stays, or has been tried so often.
    async fn tries(
        &self,
        method: &'static str,
        path: &str,
        body: Option<&Body>,
        tries: u32,
    ) -> Result<Answer, Unconfirmed> {
        let mut reach = Reach::Nothing;
        let url = self
            .address(path)
            .map_err(|error| Unconfirmed { error, reach })?;
        let mut turn = 1;
        loop {
            self.watch.requested(&format!("{method} {}", url.path()));
            let failed = match self.follow(method, url.clone(), body).await {
                Ok(answer) => return Ok(answer),
                Err(failed) => failed,
            };
            reach = reach.max(failed.reach);
            let error = failed.error;
            let pause = (turn < tries).then(|| retry::pause(&error, turn, self.pace));
            let Some(pause) = pause.flatten() else {
                return Err(Unconfirmed { error, reach });
            };
            turn += 1;
            self.watch.retrying(&format!(
                "{method} {}: {error}; trying again in {} s ({turn} of {tries})",
                url.path(),
                pause.as_secs_f64(),
            ));
            until_cancelled(self.watch, tokio::time::sleep(pause))
                .await
                .map_err(|error| Unconfirmed { error, reach })?;
        }
    }

    /// One request, and the redirections that stay within the service.
    async fn follow(
        &self,
        method: &'static str,
        mut url: Url,
        body: Option<&Body>,
    ) -> Result<Answer, Unconfirmed> {
        for _ in 0..=REDIRECTIONS {
            let exchange = self.exchange(method, url.clone(), body);
            let slow = || {
                let host = self.base.host_str().unwrap_or_default();
                self.watch.waiting(&format!("Waiting for {host}"));
            };
            let exchanged = patiently(self.watch, self.pace.slow, slow, exchange).await;
            let exchanged = exchanged.map_err(|error| Unconfirmed {
                error,
                reach: Reach::UnderWay,
            })?;
            match exchanged? {
                Exchanged::Answer(answer) => return Ok(answer),
                Exchanged::Redirection { status, to } => {
                    let target = url.join(&to).ok();
                    // Other methods would become a GET by these statuses.
                    let keeps_method = matches!(status, 307 | 308) || method == "GET";
                    match target {
                        Some(target) if target.origin() == url.origin() && keeps_method => {
                            url = target;
                        }
                        target => {
                            return Err(Unconfirmed {
                                error: self.redirected(target, &to),
                                // These two say that the request is still to be carried out, elsewhere.
                                reach: match status {
                                    307 | 308 => Reach::Nothing,
                                    _ => Reach::Ended,
                                },
                            });
                        }
                    }
                }
            }
        }
        Err(Unconfirmed {
            error: BackendError::Redirected {
                to: url.path().to_owned(),
            },
            reach: Reach::Nothing,
        })
    }

    fn redirected(&self, target: Option<Url>, to: &str) -> BackendError {
        let shown = target.map_or(to.to_owned(), |mut target| {
            target.set_query(None);
            target.set_fragment(None);
            // An address that names a user is shown without.
            let _ = target.set_username("");
            let _ = target.set_password(None);
            target.to_string()
        });
        BackendError::Redirected {
            to: self.secrets.borrow().text(&shown),
        }
    }

    async fn exchange(
        &self,
        method: &'static str,
        url: Url,
        body: Option<&Body>,
    ) -> Result<Exchanged, Unconfirmed> {
        let not_sent = |error| Unconfirmed {
            error,
            reach: Reach::Nothing,
        };
        let ended = |error| Unconfirmed {
            error,
            reach: Reach::Ended,
        };
        let verb = reqwest::Method::from_bytes(method.as_bytes()).unwrap_or_default();
        let authorization = self.authorization().map_err(not_sent)?;
        let mut request = self
            .http
            .request(verb, url)
            .header(ACCEPT, "application/json")
            .header(AUTHORIZATION, authorization);
        if let Some(body) = body {
            // Wiped when the last part of it has been sent.
            let bytes = Bytes::from_owner(SharedBody(body.text.clone()));
            request = request.header(CONTENT_TYPE, "application/json").body(bytes);
        }
        let sent = request.send().await;
        let mut response = sent.map_err(|error| Unconfirmed {
            // Without a connection nothing was sent.
            reach: if error.is_connect() || error.is_builder() {
                Reach::Nothing
            } else {
                Reach::UnderWay
            },
            error: failed(&self.base, &error),
        })?;
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
        let read = read(&self.base, &mut response).await.map_err(ended)?;
        let is_empty = read.is_empty();
        let mut body = serde_json::from_slice::<Value>(&read)
            .ok()
            .filter(Value::is_object);
        if let Some(body) = &mut body {
            self.secrets.borrow().answer(body);
        }
        if !(200..300).contains(&status) {
            return Err(refusal(status, body.as_ref(), retry_after));
        }
        if body.is_none() && !is_empty {
            let what = "the response is not JSON".to_owned();
            return Err(ended(BackendError::InvalidResponse { what }));
        }
        Ok(Exchanged::Answer(Answer { status, body }))
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
        let value = Secret::new(format!("Bearer {}", self.token.borrow().expose()));
        let mut value =
            HeaderValue::from_str(value.expose()).map_err(|_| BackendError::InvalidToken)?;
        value.set_sensitive(true);
        Ok(value)
    }
}

/// The runtime of a client: one thread is enough for a few requests.
pub fn runtime() -> Result<Runtime, BackendError> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| BackendError::Unreachable {
            host: "the network".to_owned(),
            reason: bot_cli_sdk::failure::reason(&error),
        })
}

/// Waits for the future or for the user's wish to stop.
pub async fn until_cancelled<T>(
    watch: &dyn Watch,
    future: impl Future<Output = T>,
) -> Result<T, BackendError> {
    patiently(watch, Duration::MAX, || {}, future).await
}

/// The same, and says so when it takes longer than `soon`.
pub async fn patiently<T>(
    watch: &dyn Watch,
    soon: Duration,
    slow: impl FnOnce(),
    future: impl Future<Output = T>,
) -> Result<T, BackendError> {
    let begun = Instant::now();
    let mut slow = Some(slow);
    let mut future = pin!(future);
    loop {
        if let Ok(output) = tokio::time::timeout(TICK, &mut future).await {
            return Ok(output);
        }
        if watch.cancelled() {
            return Err(BackendError::Cancelled);
        }
        if begun.elapsed() >= soon
            && let Some(slow) = slow.take()
        {
            slow();
        }
    }
}

/// What speaks HTTP with the service at `base`.
pub fn connector(base: &Url, pace: Pace) -> Result<reqwest::Client, BackendError> {
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

async fn read(base: &Url, response: &mut reqwest::Response) -> Result<Vec<u8>, BackendError> {
    let mut read = Vec::new();
    while let Some(chunk) = response
        .chunk()
        .await
        .map_err(|error| failed(base, &error))?
    {
        if read.len() + chunk.len() > LONGEST {
            return Err(BackendError::InvalidResponse {
                what: format!("the response is longer than {} MiB", LONGEST / 1024 / 1024),
            });
        }
        read.extend_from_slice(&chunk);
    }
    Ok(read)
}

/// Whether the service itself says that a change is done: `"status": "OK"`, or where the set is now.
fn confirms(answer: &Answer) -> bool {
    let Some(body) = &answer.body else {
        return false;
    };
    body["status"] == "OK" || (body["region"].is_string() && body.get("error").is_none())
}

/// An answer that is no success. Only the service's own words, which have both members, say that nothing was done; whatever
/// stands in between may have passed the request on before it answered.
fn refusal(status: u16, body: Option<&Value>, retry_after: Option<u64>) -> Unconfirmed {
    let text = |name: &str| body.and_then(|body| body[name].as_str());
    let ours = text("error").is_some() && text("code").is_some();
    let message = text("error").unwrap_or_default().to_owned();
    let reach = match status {
        500.. if ours => Reach::Ended,
        408 | 500.. => Reach::UnderWay,
        _ if ours => Reach::Nothing,
        _ => Reach::Ended,
    };
    let error = match status {
        401 => BackendError::NotSignedIn { message },
        403 => BackendError::NotAllowed { message },
        404 if ours => BackendError::NotFound { message },
        404 => BackendError::InvalidResponse {
            what: "status 404 without the service's own words".to_owned(),
        },
        409 => BackendError::Conflict { message },
        408 | 429 | 500.. => BackendError::Unavailable {
            status,
            message,
            retry_after,
        },
        _ => BackendError::Refused { status, message },
    };
    Unconfirmed { error, reach }
}
