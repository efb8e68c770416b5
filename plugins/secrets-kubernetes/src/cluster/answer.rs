//! Answers. Only what the API itself says counts: a page of a proxy is neither a set nor the absence of one. No sentence quotes
//! the cluster: an answer, or an admission webhook, may repeat a value.

use std::time::Duration;

use bot_cli_secrets::{Code, Error};
use bytes::Bytes;
use http::response::Parts;
use kube::core::Status;
use serde::de::DeserializeOwned;
use zeroize::Zeroizing;

use super::{Failed, Request};

/// The body of an answer that says that all is well.
pub struct Answer(Zeroizing<Vec<u8>>);

impl Answer {
    /// The body as the API means it; `None` when it is something else. The parser's own words would quote the body.
    pub fn decode<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_slice(&self.0).ok()
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
    parts: &Parts,
    body: &Bytes,
    request: &Request,
    namespace: &str,
) -> Result<Answer, Failed> {
    if parts.status.is_success() {
        return Ok(Answer(Zeroizing::new(body.to_vec())));
    }
    let status = parts.status.as_u16();
    let said: Option<Status> = serde_json::from_slice(body).ok();
    let said = said.filter(Status::is_failure);
    let header = parts.headers.get(http::header::RETRY_AFTER);
    let asked: Option<u64> = header.and_then(|value| value.to_str().ok()?.trim().parse().ok());
    let mut error = match &said {
        Some(said) => refusal(status, said, request, namespace),
        None => without_words(status),
    };
    error.retry_after = asked;
    let is_refused = matches!(
        status,
        400 | 401 | 403 | 404 | 405 | 406 | 409 | 410 | 413 | 415 | 422
    );
    Err(Failed {
        error,
        // An API server that refuses a request has not carried it out. One that fails may have, and a proxy in between says
        // nothing of what it has passed on. Too many requests at once are turned away before anything else, without an object.
        may_be_done: status != 429 && !(is_refused && said.is_some()),
        again_after: matches!(status, 429 | 500..=599)
            .then(|| Duration::from_secs(asked.unwrap_or_default())),
    })
}

/// Returns what a refusal means.
fn refusal(status: u16, said: &Status, request: &Request, namespace: &str) -> Error {
    let details = said.details.as_ref();
    match status {
        403 if details.is_some_and(is_terminating) => Error::new(
            Code::Refused,
            format!("the namespace `{namespace}` is being deleted"),
        ),
        403 if said.message.contains("exceeded quota") => Error::new(
            Code::Refused,
            format!("the quota of the namespace `{namespace}` is used up"),
        )
        .hint(format!("`kubectl describe quota -n {namespace}` shows it")),
        403 => not_allowed(request, namespace),
        404 if details.is_some_and(|details| details.kind == "namespaces") => Error::new(
            Code::NoPlace,
            format!("the cluster has no namespace `{namespace}`"),
        )
        .hint(format!("`kubectl create namespace {namespace}` makes it")),
        404 => Error::new(Code::NotFound, "the cluster has no such Secret"),
        409 => Error::new(
            Code::Conflict,
            "the Secret was changed by somebody else in the meantime",
        )
        .hint("look at it and try again"),
        422 => Error::new(Code::Refused, "the cluster refuses the Secret as invalid"),
        401 | 429 | 500..=599 => without_words(status),
        _ => Error::new(
            Code::Refused,
            format!("the cluster refused the request (status {status})"),
        ),
    }
}

/// Returns what a status means that is not explained.
fn without_words(status: u16) -> Error {
    match status {
        401 => Error::new(
            Code::NotSignedIn,
            "the cluster does not accept the sign-in of the kubeconfig",
        )
        .hint("sign in to the cluster again, as for `kubectl`"),
        429 => Error::new(
            Code::Unavailable,
            "the cluster has too many requests (status 429)",
        ),
        500..=599 => Error::new(
            Code::Unavailable,
            format!("the cluster does not work at the moment (status {status})"),
        ),
        _ => {
            let mut error = not_the_api();
            error.message = format!("{} (status {status})", error.message);
            error
        }
    }
}

fn is_terminating(details: &kube::core::response::StatusDetails) -> bool {
    let mut causes = details.causes.iter();
    causes.any(|cause| cause.reason == "NamespaceTerminating")
}

fn not_allowed(request: &Request, namespace: &str) -> Error {
    let Request { verb, resource, .. } = request;
    Error::new(
        Code::NotAllowed,
        format!("the cluster does not allow this account to {verb} `{resource}`"),
    )
    .hint(format!("`kubectl auth can-i {verb} {resource} -n {namespace}` asks the cluster; an administrator of the cluster can allow it"))
}
