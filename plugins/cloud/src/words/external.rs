//! The sentences for what goes wrong with a backend that has an executable of its own.
//!
//! The backend's words are quoted as long as it has no value; after that, the client of the protocol leaves them empty.

use bot_cli_sdk::backend::Error;
use bot_cli_sdk::backend::client::Fault;
use bot_cli_sdk::failure::{Exit, Failure};
use bot_cli_sdk::protocol::secrets::Code;

use crate::backend::Explained;
use crate::backend::external::ExternalError;
use crate::domain::BackendName;
use crate::text::{span, theirs};

impl Explained for ExternalError {
    fn explain(&self) -> Failure {
        match self {
            Self::Fault { backend, fault } => match fault {
                Fault::Told(error) => told(backend, error),
                Fault::Broken(failure) => broken(backend, failure),
                Fault::Cancelled | _ => Failure::cancelled(),
            },
            Self::Key { backend, problem } => Failure::new(
                Exit::Failed,
                "invalid_response",
                format!("the backend `{backend}` has a key that can't be used: it {problem}"),
            )
            .hint("rename or remove the key where the set was made"),
            Self::Value { backend, key } => {
                let whose = key.as_ref().map_or_else(
                    || "a key".to_owned(),
                    |key| format!("`{}`", theirs(key.as_str())),
                );
                let message = format!(
                    "the value of {whose} in the backend `{backend}` has a NUL character, which no variable of an environment can have"
                );
                Failure::new(Exit::Failed, "invalid_response", message)
                    .hint("set it again without that character")
            }
        }
    }
}

/// Returns the failure that the backend reports.
fn told(backend: &BackendName, error: &Error) -> Failure {
    let (exit, ours) = sentence(error.code);
    let ours = format!("the backend `{backend}` {ours}");
    let message = match error.message.as_str() {
        "" => ours,
        theirs => format!("{ours}: {theirs}"),
    };
    let mut failure = Failure::new(exit, error.code.name(), message);
    for hint in &error.hints {
        failure = failure.hint(hint);
    }
    if !failure.hints.is_empty() {
        return failure;
    }
    match (error.code, error.retry_after) {
        (_, Some(seconds @ 1..=86_400)) => failure.hint(format!("try again in {}", span(seconds))),
        (Code::Conflict, _) => failure.hint("look at the set, then try again"),
        (Code::InvalidSetting, _) => failure.hint(format!(
            "`bot-cli cloud config set {backend}.KEY VALUE` sets one"
        )),
        (Code::Unreachable | Code::TimedOut | Code::Unavailable, _) => {
            failure.hint("try again in a while")
        }
        _ => failure,
    }
}

/// Returns the sentence and the exit status for a code.
fn sentence(code: Code) -> (Exit, &'static str) {
    match code {
        Code::Unreachable => (
            Exit::Unavailable,
            "could not reach the place where it keeps secrets",
        ),
        Code::TimedOut => (
            Exit::Unavailable,
            "had no answer in time from the place where it keeps secrets",
        ),
        Code::Unavailable => (Exit::Unavailable, "is not available now"),
        Code::NotSignedIn => (Exit::NotAllowed, "is not signed in"),
        Code::NotAllowed => (Exit::NotAllowed, "does not allow this"),
        Code::NotFound => (Exit::Failed, "has no such thing"),
        Code::Conflict => (
            Exit::Failed,
            "found the set to be another than it was a moment ago",
        ),
        Code::Refused => (Exit::Failed, "refuses it"),
        Code::TooLarge => (Exit::Usage, "does not take that much"),
        Code::InvalidName => (Exit::Usage, "does not take this name"),
        Code::InvalidSetting => (Exit::Usage, "lacks a setting, or has a wrong one"),
        Code::NotSupported => (Exit::Failed, "can't do this"),
        Code::InputRequired => (
            Exit::Usage,
            "has a question, and nobody is there to be asked",
        ),
        Code::Cancelled => (Exit::Cancelled, "was stopped"),
        Code::Internal | _ => (Exit::Failed, "failed"),
    }
}

/// Returns the failure of a backend that broke the protocol. A plugin can't use the exit statuses of a host.
fn broken(backend: &BackendName, failure: &Failure) -> Failure {
    let mut failure = failure.clone();
    failure.message = format!("the backend `{backend}` failed: {}", failure.message);
    if matches!(
        failure.exit,
        Exit::Protocol | Exit::NotRunnable | Exit::NotFound
    ) {
        failure.exit = Exit::Failed;
    }
    if failure.hints.is_empty() {
        let look = format!("`bot-cli plugin list` shows which file `secrets-{backend}` is");
        return failure.hint(look);
    }
    failure
}
