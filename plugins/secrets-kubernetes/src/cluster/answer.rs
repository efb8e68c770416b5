//! Answers. Only what the API itself says counts: a page of a proxy is neither a set nor the absence of one.

use std::time::Duration;

use bot_cli_protocol::secret::Secret;
use bot_cli_secrets::{Code, Error};
use http::{HeaderMap, StatusCode};
use kube::core::Status;
use serde::de::DeserializeOwned;

use super::{Failed, Reach, Request, Retry, Said, refusal};

/// The body of an answer that says that all is well.
pub struct Answer(Secret);

impl Answer {
    /// The body as the API means it; `None` when it is something else. The parser's own words would quote the body.
    pub fn decode<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_str(self.0.expose()).ok()
    }
}

/// An answer that is no object of the API.
pub fn not_the_api() -> Error {
    Error::new(
        Code::Unavailable,
        "the response is not from a Kubernetes API server",
    )
    .hint("check `server` of the cluster in the kubeconfig")
}

/// Interprets an answer.
pub fn read(
    status: StatusCode,
    headers: &HeaderMap,
    body: &[u8],
    request: &Request,
) -> Result<Answer, Failed> {
    if status.is_success() {
        let text = std::str::from_utf8(body).map(|text| Secret::new(text.to_owned()));
        return text.map(Answer).map_err(|_| Failed {
            error: not_the_api(),
            reach: Reach::Perhaps,
            said: Said::Other,
            retry: Retry::No,
        });
    }
    let said: Option<Status> = serde_json::from_slice::<serde_json::Value>(body)
        .ok()
        .filter(|body| body["kind"] == "Status" && body["status"] == "Failure")
        .and_then(|body| serde_json::from_value(body).ok());
    let asked = headers
        .get(http::header::RETRY_AFTER)
        .and_then(|value| value.to_str().ok()?.trim().parse().ok())
        .or_else(|| {
            let details = said.as_ref()?.details.as_ref()?;
            Some(u64::from(details.retry_after_seconds)).filter(|seconds| *seconds > 0)
        });
    let retry = match status.as_u16() {
        429 | 500..=599 => asked.map_or(Retry::Soon, |seconds| {
            Retry::After(Duration::from_secs(seconds))
        }),
        _ => Retry::No,
    };
    let mut error = refusal::refusal(status.as_u16(), said.as_ref(), request);
    error.retry_after = asked;
    Err(Failed {
        error,
        reach: reach(status, said.is_some()),
        said: match (status, &said) {
            (StatusCode::NOT_FOUND, Some(said)) if refusal::names_namespace(said) => {
                Said::NoNamespace
            }
            (StatusCode::NOT_FOUND, Some(_)) => Said::NotFound,
            (StatusCode::GONE, Some(_)) => Said::Gone,
            (StatusCode::CONFLICT, Some(_)) => Said::Conflict,
            _ => Said::Other,
        },
        retry,
    })
}

/// An API server that refuses a request has not carried it out. One that fails may have, and a proxy in between says nothing of
/// what it has passed on.
fn reach(status: StatusCode, by_the_api: bool) -> Reach {
    match status.as_u16() {
        // Too many requests at once are turned away before anything else, without an object of the API.
        429 => Reach::Nothing,
        400 | 401 | 403 | 404 | 405 | 406 | 409 | 410 | 413 | 415 | 422 if by_the_api => {
            Reach::Nothing
        }
        _ => Reach::Perhaps,
    }
}
