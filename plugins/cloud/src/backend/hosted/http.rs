//! HTTP requests and responses: URLs, time limits, size limits and retries.
//!
//! Only this module and the sign-in are asynchronous. It also tracks whether the service may have processed a
//! request that failed.

pub mod connect;
mod exchange;

use std::cell::RefCell;
use std::time::{Duration, Instant};

use bot_cli_protocol::secret::Secret;
use bot_cli_sdk::session::{Level, Session};
use reqwest::Method;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::runtime::Runtime;
use url::Url;

use super::redact::Redactor;
use super::wire::Body;
use crate::backend::hosted::ServiceError;
use crate::pace::Pace;
use crate::text::theirs;
use connect::{connector, runtime, until_cancelled};

const TRIES: u32 = 3;

/// The number of consecutive failures after which polling fails.
const FAILURES: u32 = 5;

/// The furthest point that any attempt at a request may have reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// The service processed no attempt.
    Nothing,
    /// An attempt has ended, and the service may have processed it.
    Ended,
    /// An attempt may still be in progress.
    UnderWay,
}

/// The retry policy for a request that the service may already have processed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeat {
    /// The request is idempotent.
    Always,
    /// Each attempt has its own effect: retried only if the service has processed none.
    IfNotDone,
}

#[derive(Debug)]
pub struct Unconfirmed {
    /// The error from the last attempt.
    pub error: ServiceError,
    pub reach: Reach,
}

impl Unconfirmed {
    fn not_sent(error: ServiceError) -> Self {
        let reach = Reach::Nothing;
        Self { error, reach }
    }

    pub fn under_way(error: ServiceError) -> Self {
        let reach = Reach::UnderWay;
        Self { error, reach }
    }
}

/// A function that returns a replacement for a rejected token, or `None` if no replacement is available.
pub type Renew<'a> = Box<dyn Fn(&Secret) -> Option<Secret> + 'a>;

pub struct Client<'a> {
    runtime: Runtime,
    http: reqwest::Client,
    base: Url,
    token: RefCell<Secret>,
    renew: Option<Renew<'a>>,
    secrets: RefCell<Redactor>,
    pace: Pace,
    session: &'a Session,
}

pub struct Answer {
    status: u16,
    body: Option<Value>,
}

impl Answer {
    /// Decodes the body of a response. Fails if the body contains an error or doesn't match `T`.
    pub fn decode<T: DeserializeOwned>(self) -> Result<T, ServiceError> {
        // A body with an error is never a result. The parser's message is dropped, because it would quote the body.
        let body = self.body.filter(|body| !body["error"].is_string());
        let decoded = body.and_then(|body| serde_json::from_value(body).ok());
        decoded.ok_or_else(|| {
            let what = format!("status {} without what was asked for", self.status);
            ServiceError::InvalidResponse(what)
        })
    }

    /// Reports whether the response confirms the change. A confirmation contains `"status": "OK"` or, for a PUT request without a status, a
    /// region.
    ///
    /// A body that also contains an error or a set's keys is not a confirmation.
    fn confirms(&self, change: &Method) -> bool {
        let Some(body) = &self.body else {
            return false;
        };
        let says_more = ["error", "code", "errorMessage", "secrets"]
            .iter()
            .any(|member| !body[*member].is_null());
        if !matches!(self.status, 200..=202) || says_more {
            return false;
        }
        let is_somewhere = body["region"]
            .as_str()
            .is_some_and(|region| !region.is_empty());
        match body.get("status") {
            Some(status) => status == "OK",
            None => *change == Method::PUT && is_somewhere,
        }
    }
}

impl<'a> Client<'a> {
    pub fn new(
        base: &Url,
        token: &Secret,
        pace: Pace,
        session: &'a Session,
    ) -> Result<Self, ServiceError> {
        let mut secrets = Redactor::default();
        secrets.conceal([token]);
        Ok(Self {
            runtime: runtime()?,
            http: connector(base, pace)?,
            base: base.clone(),
            token: RefCell::new(token.clone()),
            renew: None,
            secrets: RefCell::new(secrets),
            pace,
            session,
        })
    }

    /// Sets the function that renews a rejected token. After a renewal, the client repeats the rejected request once.
    pub fn renewing(mut self, renew: Renew<'a>) -> Self {
        self.renew = Some(renew);
        self
    }

    pub fn conceal(&self, values: &[Secret]) {
        self.secrets.borrow_mut().conceal(values);
    }

    /// Sends a GET request and retries temporary failures.
    pub fn get(&self, path: &str) -> Result<Answer, ServiceError> {
        self.with_renewal(|| self.read(path, TRIES))
    }

    /// Sends a GET request without retries, for optional checks.
    pub fn look(&self, path: &str) -> Result<Answer, ServiceError> {
        self.with_renewal(|| self.read(path, 1))
    }

    fn read(&self, path: &str, tries: u32) -> Result<Answer, ServiceError> {
        let got = self.tries(&Method::GET, path, None, tries, Repeat::Always);
        let got = self.runtime.block_on(got);
        got.map_err(|unconfirmed| unconfirmed.error)
    }

    /// Sends a change and retries temporary failures. Succeeds only if the service confirms the change.
    pub fn change(
        &self,
        method: &Method,
        path: &str,
        body: Option<&Body>,
    ) -> Result<(), Unconfirmed> {
        let answer = self.send(method, path, body, Repeat::Always)?;
        if answer.confirms(method) {
            return Ok(());
        }
        let what = format!("status {} does not confirm the change", answer.status);
        // The sender of this response may have passed the request on.
        Err(Unconfirmed::under_way(ServiceError::InvalidResponse(what)))
    }

    /// Sends a request that changes something, retries temporary failures as `repeat` allows, and returns the response.
    pub fn send(
        &self,
        method: &Method,
        path: &str,
        body: Option<&Body>,
        repeat: Repeat,
    ) -> Result<Answer, Unconfirmed> {
        if let Some(body) = body {
            self.secrets.borrow_mut().conceal(&body.secrets);
        }
        let mut reach = Reach::Nothing;
        let sent = self.with_renewal(|| {
            let sent = self.tries(method, path, body, TRIES, repeat);
            let sent = self.runtime.block_on(sent);
            sent.map_err(|unconfirmed| {
                reach = reach.max(unconfirmed.reach);
                unconfirmed.error
            })
        });
        sent.map_err(|error| Unconfirmed { error, reach })
    }

    /// Runs `work` in the client's runtime.
    pub fn attend<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }

    /// Sleeps for `pause`. Fails if the user cancels.
    pub fn pause(&self, pause: Duration) -> Result<(), ServiceError> {
        // The timer must be created inside the runtime.
        let waiting = async { until_cancelled(self.session, tokio::time::sleep(pause)).await };
        self.runtime.block_on(waiting)
    }

    /// Calls `look` with the elapsed time, with growing pauses between calls, until `look` returns a value. Returns `None` after
    /// `patience`. Fails after [`FAILURES`] consecutive failures, or at once if a later call can't succeed.
    pub fn poll<T>(
        &self,
        patience: Duration,
        mut look: impl FnMut(Duration) -> Result<Option<T>, ServiceError>,
    ) -> Result<Option<T>, ServiceError> {
        let (begun, mut pause, mut failures) = (Instant::now(), self.pace.first_look, 0);
        loop {
            match look(begun.elapsed()) {
                Ok(Some(found)) => return Ok(Some(found)),
                Ok(None) => failures = 0,
                Err(error) if may_pass(&error) && failures + 1 < FAILURES => failures += 1,
                Err(error) => return Err(error),
            }
            if begun.elapsed() >= patience {
                return Ok(None);
            }
            self.pause(pause)?;
            pause = (pause * 2).min(self.pace.longest_look);
        }
    }

    /// Runs `work`. If the service rejects the token, renews the token and runs `work` once more.
    fn with_renewal<T>(
        &self,
        mut work: impl FnMut() -> Result<T, ServiceError>,
    ) -> Result<T, ServiceError> {
        let refused = match work() {
            Err(error @ ServiceError::NotSignedIn(_)) => error,
            done => return done,
        };
        let token = self.token.borrow().clone();
        let Some(renewed) = self.renew.as_ref().and_then(|renew| renew(&token)) else {
            // The user may have cancelled while the token was renewed.
            return Err(if self.session.cancelled() {
                ServiceError::Cancelled
            } else {
                refused
            });
        };
        self.secrets.borrow_mut().conceal([&renewed]);
        self.token.replace(renewed);
        work()
    }

    /// Sends a request until it succeeds, fails permanently, or reaches the maximum number of attempts.
    async fn tries(
        &self,
        method: &Method,
        path: &str,
        body: Option<&Body>,
        tries: u32,
        repeat: Repeat,
    ) -> Result<Answer, Unconfirmed> {
        let mut reach = Reach::Nothing;
        let url = self.address(path).map_err(Unconfirmed::not_sent)?;
        let mut turn = 1;
        loop {
            self.session
                .log(Level::Debug, &format!("{method} {}", url.path()));
            let failed = match self.exchange(method, url.clone(), body).await {
                Ok(answer) => return Ok(answer),
                Err(failed) => failed,
            };
            reach = reach.max(failed.reach);
            let error = failed.error;
            let may_repeat = turn < tries && (repeat == Repeat::Always || reach == Reach::Nothing);
            let pause = may_repeat.then(|| pause_after(&error, turn, self.pace));
            let Some(pause) = pause.flatten() else {
                return Err(Unconfirmed { error, reach });
            };
            turn += 1;
            self.session.warn(&theirs(&format!(
                "{method} {}: {error}; trying again in {} s ({turn} of {tries})",
                url.path(),
                pause.as_secs_f64(),
            )));
            until_cancelled(self.session, tokio::time::sleep(pause))
                .await
                .map_err(|error| Unconfirmed { error, reach })?;
        }
    }

    fn address(&self, path: &str) -> Result<Url, ServiceError> {
        let base = self.base.as_str().trim_end_matches('/');
        // The base address may already include the version.
        let base = base.strip_suffix("/v1").unwrap_or(base);
        // A URL would resolve these, and the request would be about something else.
        let mut segments = path.split(['/', '?']);
        let is_relative = segments.any(|segment| segment == "." || segment == "..");
        let url = Url::parse(&format!("{base}{path}"));
        url.ok().filter(|_| !is_relative).ok_or_else(|| {
            ServiceError::InvalidResponse("the address of the request is not valid".to_owned())
        })
    }
}

/// Returns the pause after failed attempt number `tried`, or `None` if the request should not be retried.
fn pause_after(error: &ServiceError, tried: u32, pace: Pace) -> Option<Duration> {
    if !is_passing(error) {
        return None;
    }
    let ServiceError::Unavailable {
        retry_after: Some(seconds),
        ..
    } = error
    else {
        return Some(pace.first_retry * 2_u32.pow(tried - 1));
    };
    let asked = Duration::from_secs(*seconds);
    (asked <= pace.longest_wait).then(|| asked.max(pace.first_retry))
}

/// Reports whether polling may succeed later. Includes 404 responses, because a new resource may not be visible immediately.
fn may_pass(error: &ServiceError) -> bool {
    is_passing(error)
        || matches!(
            error,
            ServiceError::Unavailable { .. } | ServiceError::NotFound(_)
        )
}

/// Reports whether retrying the same request may succeed.
fn is_passing(error: &ServiceError) -> bool {
    if let ServiceError::Conflict(message) = error {
        return message.contains("modified concurrently");
    }
    matches!(
        error,
        ServiceError::Unreachable { .. }
            | ServiceError::TimedOut(_)
            | ServiceError::Unavailable {
                status: 429 | 502 | 503 | 504,
                ..
            }
    )
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use reqwest::Method;
    use serde_json::json;

    use super::{Answer, pause_after};
    use crate::backend::hosted::ServiceError;
    use crate::pace::Pace;

    #[test]
    fn what_may_pass_is_tried_again_ever_later_or_when_the_service_says() {
        let unavailable = |status, retry_after| ServiceError::Unavailable {
            status,
            message: String::new(),
            retry_after,
        };
        let conflict = |message: &str| ServiceError::Conflict(message.to_owned());
        for (error, tried, expected) in [
            (unavailable(503, None), 1, Some(250)),
            (unavailable(503, None), 2, Some(500)),
            (unavailable(429, Some(2)), 1, Some(2000)),
            (unavailable(429, Some(0)), 1, Some(250)),
            // Later than anybody waits.
            (unavailable(429, Some(31)), 1, None),
            // The service is broken, not busy.
            (unavailable(500, None), 1, None),
            (
                conflict("Set 'a' was modified concurrently. Please retry."),
                1,
                Some(250),
            ),
            (conflict("in use"), 1, None),
            (ServiceError::NotSignedIn(String::new()), 1, None),
        ] {
            let pause = pause_after(&error, tried, Pace::USUAL);
            assert_eq!(pause, expected.map(Duration::from_millis), "{error:?}");
        }
    }

    #[test]
    fn only_the_services_own_words_confirm_a_change() {
        let confirms = |status, body, change| {
            let answer = Answer {
                status,
                body: Some(body),
            };
            answer.confirms(&change)
        };
        for body in [
            json!({"status": "OK"}),
            json!({"status": "OK", "region": "us-west", "errorMessage": null}),
        ] {
            for change in [Method::PUT, Method::DELETE] {
                assert!(confirms(200, body.clone(), change.clone()), "{body}");
                assert!(!confirms(203, body.clone(), change), "{body}");
            }
        }
        let somewhere = json!({"region": "us-west"});
        assert!(confirms(202, somewhere.clone(), Method::PUT));
        assert!(!confirms(200, somewhere, Method::DELETE));
        for body in [
            json!({}),
            json!({"region": ""}),
            json!({"status": "failed", "region": "us-west"}),
            json!({"status": "OK", "error": "in use"}),
            json!({"region": "us-west", "secrets": []}),
        ] {
            assert!(!confirms(200, body.clone(), Method::PUT), "{body}");
        }
    }
}
