//! Responses from the API.
//!
//! A response from any other server is an error, because a proxy's error page doesn't show whether a set exists. Messages never quote a
//! response, because the API or an admission webhook may repeat a secret value in it.

use bot_cli_secrets::{ChangeError, Code, Error};
use bytes::Bytes;
use http::response::Parts;
use kube::core::Status;
use serde::de::DeserializeOwned;
use zeroize::Zeroizing;

use super::Request;

/// The body of a successful response.
pub struct Answer(Zeroizing<Vec<u8>>);

impl Answer {
    /// Decodes the JSON body. Returns `None` on failure and discards the parser's message, which would quote the body.
    pub fn decode<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_slice(&self.0).ok()
    }
}

pub fn not_the_api() -> Error {
    Error::new(
        Code::Unavailable,
        "the response is not from a Kubernetes API server",
    )
    .hint("check `server` of the cluster in the kubeconfig")
}

/// Returns the body of a successful response, or the error for any other status.
pub fn read(
    parts: &Parts,
    body: &Bytes,
    request: &Request,
    namespace: &str,
) -> Result<Answer, ChangeError> {
    if parts.status.is_success() {
        return Ok(Answer(Zeroizing::new(body.to_vec())));
    }
    let status = parts.status.as_u16();
    let said: Option<Status> = serde_json::from_slice(body).ok();
    let said = said.filter(Status::is_failure);
    let mut error = explain(status, said.as_ref(), request, namespace);
    let header = parts.headers.get(http::header::RETRY_AFTER);
    error.retry_after = header.and_then(|value| value.to_str().ok()?.trim().parse().ok());
    let is_refused = matches!(
        status,
        400 | 401 | 403 | 404 | 405 | 406 | 409 | 410 | 413 | 415 | 422
    );
    // An API server that refuses a request has not carried it out. If it fails internally, it may have, and a proxy may have passed the
    // request on. A 429 is sent before any processing, without a `Status` object.
    Err(if status == 429 || is_refused && said.is_some() {
        error.not_done()
    } else {
        error.unknown()
    })
}

/// Returns the error for an HTTP status. `said` is the `Status` object, if the API sent one.
fn explain(status: u16, said: Option<&Status>, request: &Request, namespace: &str) -> Error {
    let Request { verb, resource, .. } = request;
    match (status, said) {
        (401, _) => Error::new(
            Code::NotSignedIn,
            "the cluster does not accept the sign-in of the kubeconfig",
        )
        .hint("sign in to the cluster again, as for `kubectl`"),
        (429 | 500..=599, _) => Error::new(
            Code::Unavailable,
            format!("the cluster does not work at the moment (status {status})"),
        ),
        (_, None) => {
            let mut error = not_the_api();
            error.message = format!("{} (status {status})", error.message);
            error
        }
        (403, Some(_)) => Error::new(
            Code::NotAllowed,
            format!("the cluster does not allow this account to {verb} `{resource}`, or a quota or a policy forbids it"),
        )
        .hint(format!("`kubectl auth can-i {verb} {resource} -n {namespace}` tells whether the account may")),
        (404, Some(said)) if said.details.as_ref().is_some_and(|it| it.kind == "namespaces") => {
            Error::new(
                Code::NoPlace,
                format!("the cluster has no namespace `{namespace}`"),
            )
            .hint(format!("`kubectl create namespace {namespace}` makes it"))
        }
        (404, Some(_)) => Error::new(Code::NotFound, "the cluster has no such Secret"),
        (409, Some(_)) => Error::new(
            Code::Conflict,
            "the Secret was changed by somebody else in the meantime",
        )
        .hint("look at it and try again"),
        (_, Some(_)) => Error::new(
            Code::Refused,
            format!("the cluster refused the request (status {status})"),
        ),
    }
}
