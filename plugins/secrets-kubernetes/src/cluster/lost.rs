//! Errors before there is an answer.

use std::error::Error as StdError;
use std::io;
use std::iter;
use std::time::Duration;

use bot_cli_protocol::failure::reason;
use bot_cli_secrets::{Code, Error};
use kube::client::AuthError;
use kube::config::KubeconfigError;

use super::Failed;
use crate::settings::{invalid, one_line};

/// A request that got no answer.
pub fn failed(error: &kube::Error) -> Failed {
    if let Some(auth) = cause::<AuthError>(error) {
        return Failed::at_once(sign_in(auth));
    }
    let connecting = cause::<hyper_util::client::legacy::Error>(error)
        .is_some_and(hyper_util::client::legacy::Error::is_connect);
    let kind = cause::<io::Error>(error).map(io::Error::kind);
    let (code, reason) = match kind {
        Some(io::ErrorKind::TimedOut) if connecting => {
            (Code::TimedOut, "no connection in time".to_owned())
        }
        _ if connecting => (Code::Unreachable, innermost(error)),
        _ => (Code::Unreachable, "the connection broke off".to_owned()),
    };
    let error = Error::new(code, format!("could not reach the cluster: {reason}"))
        .hint("`kubectl version` with the same kubeconfig and context tells whether the cluster can be reached");
    // rustls speaks through errors of this kind: a certificate that is not valid stays so.
    let stays = connecting && kind == Some(io::ErrorKind::InvalidData);
    Failed {
        error,
        may_be_done: !connecting,
        again_after: (!stays).then_some(Duration::ZERO),
    }
}

/// An answer that broke off, or that is larger than any of the API.
pub fn broken() -> Failed {
    let message = "could not read the cluster's answer: the connection broke off";
    perhaps(Error::new(Code::Unreachable, message))
}

/// An answer that did not come.
pub fn timed_out(limit: Duration) -> Failed {
    let message = format!("the cluster did not answer within {} s", limit.as_secs());
    let error = Error::new(Code::TimedOut, message);
    perhaps(error.hint("the setting `timeout` has the seconds to wait for an answer"))
}

fn perhaps(error: Error) -> Failed {
    Failed {
        error,
        may_be_done: true,
        again_after: Some(Duration::ZERO),
    }
}

/// A client that can't be made.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the rest has one sentence, and `kube` may name more"
)]
pub fn no_client(error: &kube::Error) -> Error {
    match error {
        kube::Error::Auth(error) => sign_in(error),
        kube::Error::InferKubeconfig(
            KubeconfigError::LoadClientCertificate(_) | KubeconfigError::LoadClientKey(_),
        )
        | kube::Error::RustlsTls(_) => Error::new(
            Code::NotSignedIn,
            "the client certificate or a certificate authority of the kubeconfig can't be used",
        )
        .hint("certificates must be X.509 version 3, and keys PKCS#8, PKCS#1 or SEC1 in PEM"),
        _ => invalid("the kubeconfig can't be used to reach the cluster".to_owned()),
    }
}

/// A sign-in that failed before anything was sent. What a sign-in program has written is not for other eyes.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the rest has one sentence, and `kube` may name more"
)]
fn sign_in(error: &AuthError) -> Error {
    let message = match error {
        AuthError::AuthExecRun { out, .. } => {
            let status = out.status;
            format!("the sign-in program of the kubeconfig ended with {status}")
        }
        AuthError::AuthExecStart(error) => {
            let reason = reason(error);
            format!("the sign-in program of the kubeconfig could not be started: {reason}")
        }
        AuthError::ReadTokenFile(error, _) => {
            let reason = reason(error);
            format!("the token file of the kubeconfig could not be read: {reason}")
        }
        _ => "the sign-in of the kubeconfig gave nothing to sign in with".to_owned(),
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
    one_line(&match innermost.downcast_ref::<io::Error>() {
        Some(error) if error.get_ref().is_none() => reason(error),
        _ => innermost.to_string(),
    })
}
