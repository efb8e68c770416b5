//! Errors before there is an answer.

use std::error::Error as StdError;
use std::io;
use std::iter;
use std::time::Duration;

use bot_cli_protocol::failure::reason;
use bot_cli_secrets::{Code, Error};
use bot_cli_terminal::short_line;
use kube::client::AuthError;

use super::Failed;

/// A request that got no answer.
pub fn failed(error: &kube::Error) -> Failed {
    if let Some(auth) = cause::<AuthError>(error) {
        return Failed::not_sent(sign_in(auth));
    }
    let connecting = cause::<hyper_util::client::legacy::Error>(error)
        .is_some_and(hyper_util::client::legacy::Error::is_connect);
    let reason = if connecting {
        innermost(error)
    } else {
        "the connection broke off".to_owned()
    };
    let error = Error::new(Code::Unreachable, format!("could not reach the cluster: {reason}"))
        .hint("`kubectl version` with the same kubeconfig and context tells whether the cluster can be reached");
    Failed {
        error,
        may_be_done: !connecting,
    }
}

/// An answer that broke off, or that is larger than any of the API.
pub fn broken() -> Failed {
    Failed {
        error: Error::new(
            Code::Unreachable,
            "could not read the cluster's answer: the connection broke off",
        ),
        may_be_done: true,
    }
}

/// An answer that did not come in time.
pub fn timed_out(limit: Duration) -> Failed {
    let message = format!("the cluster did not answer within {} s", limit.as_secs());
    Failed {
        error: Error::new(Code::TimedOut, message),
        may_be_done: true,
    }
}

/// A client that can't be made: nothing was sent.
pub fn no_client(error: &kube::Error) -> Error {
    match cause::<AuthError>(error) {
        Some(error) => sign_in(error),
        None => Error::new(
            Code::NotSignedIn,
            "the certificates, the key or another part of the kubeconfig can't be used",
        )
        .hint("certificates must be X.509 version 3, and keys PKCS#8, PKCS#1 or SEC1 in PEM"),
    }
}

/// A sign-in that failed before anything was sent. The output of a sign-in program is not quoted: it may have a token.
fn sign_in(error: &AuthError) -> Error {
    let message = if let AuthError::AuthExecStart(error) = error {
        let reason = reason(error);
        format!("the sign-in program of the kubeconfig could not be started: {reason}")
    } else {
        "the sign-in of the kubeconfig failed".to_owned()
    };
    Error::new(Code::NotSignedIn, message)
        .hint("`kubectl auth whoami` with the same kubeconfig and context tells whether the sign-in works")
}

/// An error, or one of its causes.
type Cause = dyn StdError + 'static;

/// The error with all its causes.
fn causes(error: &Cause) -> impl Iterator<Item = &Cause> {
    iter::successors(Some(error), |error| (*error).source())
}

/// The first cause of that type.
fn cause<T: StdError + 'static>(error: &Cause) -> Option<&T> {
    // An error of I/O keeps what it is made of behind its source.
    causes(error).find_map(|error| {
        let inner = || error.downcast_ref::<io::Error>()?.get_ref();
        let found = error.downcast_ref::<T>();
        found.or_else(|| inner()?.downcast_ref::<T>())
    })
}

/// The words of the cause that has no cause: a failed connection knows no value.
fn innermost(error: &Cause) -> String {
    let innermost = causes(error).last().unwrap_or(error);
    let words = match innermost.downcast_ref::<io::Error>() {
        Some(error) if error.get_ref().is_none() => reason(error),
        _ => innermost.to_string(),
    };
    short_line(&words, 200)
}
