//! The sentences for what a cluster refuses. None quotes the cluster: an answer may repeat a value.

use bot_cli_secrets::{Code, Error};
use kube::core::Status;

use super::Request;
use crate::words::no_namespace;

/// Whether it is the namespace that is missing.
pub fn names_namespace(status: &Status) -> bool {
    let details = status.details.as_ref();
    details.is_some_and(|details| details.kind == "namespaces")
}

/// Returns what a refusal means. The message of the cluster is not quoted: an admission webhook may quote values in it.
pub fn refusal(status: u16, said: Option<&Status>, request: &Request) -> Error {
    let Some(said) = said else {
        return without_words(status);
    };
    let namespace = request.namespace.as_deref().unwrap_or_default();
    let cause = |wanted: &str| {
        let details = said.details.iter();
        details
            .flat_map(|details| &details.causes)
            .any(|cause| cause.reason == wanted)
    };
    match status {
        401 => not_signed_in(),
        403 if cause("NamespaceTerminating") => Error::new(
            Code::Refused,
            format!("the namespace `{namespace}` is being deleted"),
        ),
        403 if said.message.contains("exceeded quota") => Error::new(
            Code::Refused,
            format!("the quota of the namespace `{namespace}` is used up"),
        )
        .hint(format!("`kubectl describe quota -n {namespace}` shows it")),
        403 => not_allowed(request),
        404 if names_namespace(said) => no_namespace(namespace),
        404 => Error::new(Code::NotFound, "the cluster has no such Secret"),
        409 => Error::new(
            Code::Conflict,
            "the Secret was changed by somebody else in the meantime",
        )
        .hint("look at it and try again"),
        413 => Error::new(Code::TooLarge, "the cluster refuses a request of that size"),
        422 => Error::new(
            Code::Refused,
            format!("the cluster refuses the Secret as invalid{}", reason(said)),
        ),
        429 => Error::new(
            Code::Unavailable,
            "the cluster has too many requests (status 429)",
        ),
        500..=599 => Error::new(
            Code::Unavailable,
            format!(
                "the cluster does not work at the moment (status {status}{})",
                reason(said)
            ),
        ),
        _ => Error::new(
            Code::Refused,
            format!(
                "the cluster refused the request (status {status}{})",
                reason(said)
            ),
        ),
    }
}

/// Returns what a status without any words of the API means.
fn without_words(status: u16) -> Error {
    match status {
        401 => not_signed_in(),
        429 => Error::new(
            Code::Unavailable,
            "the cluster has too many requests (status 429)",
        ),
        500..=599 => Error::new(
            Code::Unavailable,
            format!("the cluster does not work at the moment (status {status})"),
        ),
        _ => Error::new(
            Code::Unavailable,
            format!("the response is not from a Kubernetes API server (status {status})"),
        )
        .hint("check `server` of the cluster in the kubeconfig"),
    }
}

fn not_signed_in() -> Error {
    Error::new(
        Code::NotSignedIn,
        "the cluster does not accept the sign-in of the kubeconfig",
    )
    .hint("sign in to the cluster again, as for `kubectl`")
}

fn not_allowed(request: &Request) -> Error {
    let Request { verb, resource, .. } = request;
    let (place, option) = match &request.namespace {
        Some(namespace) => (
            format!(" in the namespace `{namespace}`"),
            format!(" -n {namespace}"),
        ),
        None => (String::new(), String::new()),
    };
    Error::new(
        Code::NotAllowed,
        format!("the cluster does not allow this account to {verb} `{resource}`{place}"),
    )
    .hint(format!("`kubectl auth can-i {verb} {resource}{option}` asks the cluster; an administrator of the cluster can allow it"))
}

/// The reason that the API names, which is one of a fixed list of words.
fn reason(status: &Status) -> String {
    let is_word = |reason: &str| {
        (1..40).contains(&reason.len()) && reason.chars().all(|c| c.is_ascii_alphabetic())
    };
    if is_word(&status.reason) {
        format!(", {}", status.reason)
    } else {
        String::new()
    }
}
