//! Errors before there is an answer.

use std::error::Error as StdError;
use std::io;
use std::time::Duration;

use bot_cli_secrets::{Code, Error};
use kube::client::AuthError;

use super::{Failed, Reach, Retry, Said};

/// A request that got no answer.
pub fn failed(error: &kube::Error) -> Failed {
    if let Some(auth) = cause::<AuthError>(error) {
        return Failed {
            error: sign_in(auth),
            reach: Reach::Nothing,
            said: Said::Other,
            retry: Retry::No,
        };
    }
    let connecting = cause::<hyper_util::client::legacy::Error>(error)
        .is_some_and(hyper_util::client::legacy::Error::is_connect);
    let reach = if connecting {
        Reach::Nothing
    } else {
        Reach::Perhaps
    };
    let (code, reason, retry) = match cause::<io::Error>(error).map(io::Error::kind) {
        Some(io::ErrorKind::TimedOut) if connecting => (
            Code::TimedOut,
            "no connection in time".to_owned(),
            Retry::Soon,
        ),
        // rustls speaks through errors of this kind: a certificate that is not valid stays so.
        Some(io::ErrorKind::InvalidData) if connecting => {
            (Code::Unreachable, innermost(error), Retry::No)
        }
        _ if connecting => (Code::Unreachable, innermost(error), Retry::Soon),
        _ => (
            Code::Unreachable,
            "the connection broke off".to_owned(),
            Retry::Soon,
        ),
    };
    Failed {
        error: Error::new(code, format!("could not reach the cluster: {reason}"))
            .hint("`kubectl version` with the same kubeconfig and context tells whether the cluster can be reached"),
        reach,
        said: Said::Other,
        retry,
    }
}

/// An answer that broke off, or that is larger than any of the API.
pub fn broken() -> Failed {
    Failed {
        error: Error::new(
            Code::Unreachable,
            "could not read the cluster's answer: the connection broke off",
        ),
        reach: Reach::Perhaps,
        said: Said::Other,
        retry: Retry::Soon,
    }
}

/// An answer that did not come.
pub fn timed_out(timeout: Duration) -> Failed {
    let seconds = timeout.as_secs();
    Failed {
        error: Error::new(
            Code::TimedOut,
            format!("the cluster did not answer within {seconds} s"),
        )
        .hint("the setting `timeout` has the seconds to wait for an answer"),
        reach: Reach::Perhaps,
        said: Said::Other,
        retry: Retry::Soon,
    }
}

/// A sign-in that failed before anything was sent. What a sign-in program has written is not for other eyes.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the rest has one sentence, and `kube` may name more"
)]
pub fn sign_in(error: &AuthError) -> Error {
    let error = match error {
        AuthError::AuthExecRun { out, .. } => Error::new(
            Code::NotSignedIn,
            format!(
                "the sign-in program of the kubeconfig ended with {}",
                out.status
            ),
        ),
        AuthError::AuthExecStart(error) => Error::new(
            Code::NotSignedIn,
            format!(
                "the sign-in program of the kubeconfig could not be started: {}",
                bot_cli_protocol::failure::reason(error)
            ),
        ),
        AuthError::ReadTokenFile(error, _) => Error::new(
            Code::NotSignedIn,
            format!(
                "the token file of the kubeconfig could not be read: {}",
                bot_cli_protocol::failure::reason(error)
            ),
        ),
        _ => Error::new(
            Code::NotSignedIn,
            "the sign-in of the kubeconfig gave nothing to sign in with",
        ),
    };
    error.hint("`kubectl auth whoami` with the same kubeconfig and context tells whether the sign-in works")
}

/// The first cause of that type.
fn cause<'a, T: StdError + 'static>(error: &'a (dyn StdError + 'static)) -> Option<&'a T> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref::<T>() {
            return Some(found);
        }
        // An error of I/O keeps what it is made of behind its source.
        if let Some(found) = error
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref)
            .and_then(|inner| inner.downcast_ref::<T>())
        {
            return Some(found);
        }
        next = error.source();
    }
    None
}

/// The words of the cause that has no cause: a failed connection knows no value.
fn innermost(error: &(dyn StdError + 'static)) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    let words = match innermost.downcast_ref::<io::Error>() {
        Some(error) if error.get_ref().is_none() => bot_cli_protocol::failure::reason(error),
        _ => innermost.to_string(),
    };
    crate::words::one_line(&words)
}
