//! A single request and its response. Responses are redacted here, before any other code sees them.

use bot_cli_protocol::secret::Secret;
use bytes::Bytes;
use reqwest::Method;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue, LOCATION, RETRY_AFTER};
use serde_json::Value;
use url::Url;
use zeroize::Zeroizing;

use super::connect::{failed, patiently, read};
use super::{Answer, Client, Reach, Unconfirmed};
use crate::backend::hosted::ServiceError;
use crate::backend::hosted::wire::Body;

/// The size limit for a response, in bytes.
const LONGEST: usize = 64 * 1024 * 1024;

impl Client<'_> {
    /// Sends one request and notifies the user if the response is slow.
    pub(super) async fn exchange(
        &self,
        method: &Method,
        url: Url,
        body: Option<&Body>,
    ) -> Result<Answer, Unconfirmed> {
        // While responses are fast, only this check notices that the user cancelled.
        if self.session.cancelled() {
            return Err(Unconfirmed::not_sent(ServiceError::Cancelled));
        }
        let slow = || {
            let host = self.base.host_str().unwrap_or_default();
            self.session
                .progress(&format!("Waiting for {host}"), None, None);
        };
        let answered = self.answered(method, url, body);
        let answered = patiently(self.session, self.pace.slow, slow, answered).await;
        answered.map_err(Unconfirmed::under_way)?
    }

    /// Returns the error for a redirect. Redirects are never followed, because requests contain a token.
    fn redirected(&self, url: &Url, to: &str) -> Unconfirmed {
        // Omits the path, which may contain anything.
        let target = url
            .join(to)
            .map(|target| target.origin().ascii_serialization());
        let shown = target.unwrap_or_else(|_| "an address that is not valid".to_owned());
        let shown = self.secrets.borrow().text(&shown);
        Unconfirmed::under_way(ServiceError::Redirected(shown))
    }

    async fn answered(
        &self,
        method: &Method,
        url: Url,
        body: Option<&Body>,
    ) -> Result<Answer, Unconfirmed> {
        let authorization = self.authorization().map_err(Unconfirmed::not_sent)?;
        let mut request = self
            .http
            .request(method.clone(), url.clone())
            .header(ACCEPT, "application/json")
            .header(AUTHORIZATION, authorization);
        if let Some(body) = body {
            // The body is wiped once it has been sent.
            // Wiped once it is sent.
            let text = Zeroizing::new(body.text.expose().to_owned());
            let bytes = Bytes::from_owner(text);
            request = request.header(CONTENT_TYPE, "application/json").body(bytes);
        }
        let sent = request.send().await;
        let response = sent.map_err(|error| {
            // Without a connection, nothing was sent.
            let is_unsent = error.is_connect() || error.is_builder();
            let error = failed(&self.base, &error);
            if is_unsent {
                return Unconfirmed::not_sent(error);
            }
            Unconfirmed::under_way(error)
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
            return Err(self.redirected(&url, to));
        }
        let retry_after = header(RETRY_AFTER).and_then(|seconds| seconds.trim().parse().ok());
        let too_long = format!("the response is longer than {} MiB", LONGEST / 1024 / 1024);
        let read = read(response, &self.base, LONGEST, too_long).await;
        let read = read.map_err(Unconfirmed::under_way)?;
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
            return Err(Unconfirmed::under_way(ServiceError::InvalidResponse(what)));
        }
        Ok(Answer { status, body })
    }

    fn authorization(&self) -> Result<HeaderValue, ServiceError> {
        let value = Secret::new(format!("Bearer {}", self.token.borrow().expose()));
        let mut value =
            HeaderValue::from_str(value.expose()).map_err(|_| ServiceError::InvalidToken)?;
        value.set_sensitive(true);
        Ok(value)
    }
}

/// Returns the error for an unsuccessful response.
///
/// A response without both `error` and `code` may come from a proxy that has already forwarded the request. The service may therefore still
/// carry out the request.
fn refusal(status: u16, body: Option<&Value>, retry_after: Option<u64>) -> Unconfirmed {
    let text = |name: &str| body.and_then(|body| body[name].as_str());
    let ours = text("error").is_some() && text("code").is_some();
    let message = match (text("error").unwrap_or_default(), text("code")) {
        (message, Some(code)) if !message.is_empty() => format!("{message} ({code})"),
        (message, _) => message.to_owned(),
    };
    let reach = match status {
        // A gateway may send these in the service's format while the service is still working.
        408 | 502 | 503 | 504 => Reach::UnderWay,
        500.. if ours => Reach::Ended,
        _ if ours => Reach::Nothing,
        _ => Reach::UnderWay,
    };
    let error = match status {
        408 | 429 | 500.. => ServiceError::Unavailable {
            status,
            message,
            retry_after,
        },
        _ if !ours => {
            ServiceError::InvalidResponse(format!("status {status} is not in the service's words"))
        }
        401 => ServiceError::NotSignedIn(message),
        403 => ServiceError::NotAllowed(message),
        404 => ServiceError::NotFound(message),
        409 => ServiceError::Conflict(message),
        _ => ServiceError::Refused { status, message },
    };
    Unconfirmed { error, reach }
}
