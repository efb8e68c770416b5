//! Errors for requests without a complete response.

use std::error::Error as StdError;
use std::io;
use std::iter;
use std::time::Duration;

use bot_cli_protocol::failure::reason;
use bot_cli_protocol::wording::tls;
use bot_cli_secrets::{ChangeError, Code, Error};
use bot_cli_terminal::short_line;
use kube::client::AuthError;

/// Returns the error for a request whose response did not arrive. If connecting or signing in failed, the request had no effect.
pub fn failed(error: &kube::Error) -> ChangeError {
    if cause::<AuthError>(error).is_some() {
        return sign_in().not_done();
    }
    let connecting = cause::<hyper_util::client::legacy::Error>(error)
        .is_some_and(hyper_util::client::legacy::Error::is_connect);
    if connecting {
        unreachable(&innermost(error)).not_done()
    } else {
        broken()
    }
}

/// Returns the error for a response that is incomplete or too large.
pub fn broken() -> ChangeError {
    unreachable("the connection broke off").unknown()
}

fn unreachable(reason: &str) -> Error {
    let message = format!("could not reach the cluster: {reason}");
    Error::new(Code::Unreachable, message)
        .hint("`kubectl version` with the same kubeconfig and context tells whether the cluster can be reached")
}

pub fn timed_out(limit: Duration) -> ChangeError {
    let message = format!("the cluster did not answer within {} s", limit.as_secs());
    Error::new(Code::TimedOut, message).unknown()
}

/// Returns the error for a sign-in that failed before any request was sent.
///
/// The error doesn't quote the output of a sign-in program, which may contain a token.
pub fn sign_in() -> Error {
    let message = "the sign-in of the kubeconfig failed: its program, token, certificates or key can't be used";
    Error::new(Code::NotSignedIn, message)
        .hint("`kubectl auth whoami` with the same kubeconfig and context tells whether the sign-in works")
}

type Cause = dyn StdError + 'static;

fn causes(error: &Cause) -> impl Iterator<Item = &Cause> {
    iter::successors(Some(error), |error| (*error).source())
}

/// Returns the first error of type `T` in the chain of causes.
fn cause<T: StdError + 'static>(error: &Cause) -> Option<&T> {
    // The `source` of an I/O error skips the error that it wraps.
    causes(error).find_map(|error| {
        let inner = || error.downcast_ref::<io::Error>()?.get_ref();
        let found = error.downcast_ref::<T>();
        found.or_else(|| inner()?.downcast_ref::<T>())
    })
}

/// Returns the message of the innermost cause. For a failed connection, this message can't contain a secret value.
fn innermost(error: &Cause) -> String {
    let innermost = causes(error).last().unwrap_or(error);
    let words = match innermost.downcast_ref::<io::Error>() {
        Some(error) if error.get_ref().is_none() => reason(error),
        _ => innermost.to_string(),
    };
    short_line(tls(&words), 200)
}
