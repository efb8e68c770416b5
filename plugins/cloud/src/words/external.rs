//! The failures of installed backends.
//!
//! The backend's message is quoted only until the first value is sent or received. From then on, the protocol client leaves the message
//! empty.

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_secrets::Error;
use bot_cli_secrets::messages::{Bytes, Code};

use crate::domain::BackendName;
use crate::text::{span, theirs};

/// Adds the failure that the user is told to the error of a backend.
pub fn told(backend: &BackendName, mut error: Error) -> Error {
    let failure = match error.told.take() {
        None => reported(backend, &error),
        Some(failure) if error.code == Code::Cancelled => *failure,
        Some(failure) => broken(backend, *failure),
    };
    error.told = Some(Box::new(failure));
    error
}

/// Returns the failure for an error reported by the backend.
fn reported(backend: &BackendName, error: &Error) -> Failure {
    let (exit, ours, hint) = sentence(error.code);
    let ours = format!("the backend `{backend}` {ours}");
    let message = match (error.message.as_str(), error.bytes.as_deref(), &error.key) {
        ("", Some(Bytes { size, limit }), _) => {
            format!("{ours}: it would be {size} bytes, and {limit} may be")
        }
        ("", None, Some(key)) => format!("{ours}: that of `{}`", theirs(key)),
        ("", None, None) => ours,
        (theirs, ..) => format!("{ours}: {theirs}"),
    };
    let mut failure = Failure::new(exit, &error.code.name(), message);
    failure.hints.clone_from(&error.hints);
    match (error.retry_after, hint) {
        _ if !failure.hints.is_empty() => failure,
        (Some(seconds @ 1..=86_400), _) => failure.hint(format!("try again in {}", span(seconds))),
        (_, "") => failure,
        (_, hint) => failure.hint(hint),
    }
}

const fn sentence(code: Code) -> (Exit, &'static str, &'static str) {
    use Exit::{Cancelled, Failed, NotAllowed, Unavailable, Usage};
    let later = "try again in a while";
    match code {
        Code::Unreachable => (Unavailable, "could not reach its secrets", later),
        Code::TimedOut => (Unavailable, "had no answer in time", later),
        Code::Unavailable => (Unavailable, "is not available now", later),
        Code::NotSignedIn => (NotAllowed, "is not signed in", ""),
        Code::NotAllowed => (NotAllowed, "does not allow this", ""),
        Code::NotFound => (Failed, "has no such thing", ""),
        Code::Conflict => (
            Failed,
            "finds the set changed since it was looked at",
            "look at the set, then try again",
        ),
        Code::Immutable => (
            Failed,
            "keeps this set as immutable: it can be deleted but not changed",
            "delete it and make it again: `bot-cli cloud secrets delete NAME`",
        ),
        Code::BeingDeleted => (
            Failed,
            "is deleting this set, and it is not gone yet",
            "try again once it is gone",
        ),
        Code::Foreign => (
            Failed,
            "has something of this name that it did not make and leaves alone",
            "choose another name",
        ),
        Code::NoPlace => (
            Failed,
            "does not find the place where it keeps secrets",
            "make it there, or choose another: `bot-cli cloud config show`",
        ),
        Code::NotText => (
            Failed,
            "has a value that is not text, and only text can be returned",
            "",
        ),
        Code::Refused => (Failed, "refuses it", ""),
        Code::TooLarge => (
            Usage,
            "does not take that much",
            "put some of the values into another set",
        ),
        Code::InvalidName => (Usage, "does not take this name", ""),
        Code::InvalidSetting => (
            Usage,
            "lacks a setting, or has a wrong one",
            "`bot-cli cloud config set BACKEND.KEY VALUE` sets one",
        ),
        Code::NotSupported => (Failed, "can't do this", ""),
        Code::InputRequired => (Usage, "has a question, and nobody is there to be asked", ""),
        Code::Cancelled => (Cancelled, "was stopped", ""),
        Code::Internal => (Failed, "failed", ""),
    }
}

/// Returns the failure for a protocol error. Replaces exit statuses that are reserved for the host.
fn broken(backend: &BackendName, mut failure: Failure) -> Failure {
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

#[cfg(test)]
mod tests {
    use bot_cli_secrets::Error;
    use bot_cli_secrets::messages::{Bytes, Code};

    use super::reported;
    use crate::domain::BackendName;

    /// After the first value is sent or received, a backend's errors have no message.
    #[test]
    fn a_code_alone_still_says_why() {
        let mut large = Error::new(Code::TooLarge, "");
        large.bytes = Some(Box::new(Bytes {
            size: 2_000_000,
            limit: 1_048_576,
        }));
        let mut bytes = Error::new(Code::NotText, "");
        bytes.key = Some("CERT".into());
        for (error, message) in [
            (
                large,
                "does not take that much: it would be 2000000 bytes, and 1048576 may be",
            ),
            (
                bytes,
                "has a value that is not text, and only text can be returned: that of `CERT`",
            ),
            (
                Error::new(Code::Immutable, ""),
                "keeps this set as immutable: it can be deleted but not changed",
            ),
            (
                Error::new(Code::BeingDeleted, ""),
                "is deleting this set, and it is not gone yet",
            ),
        ] {
            let backend = BackendName::parse("acme").unwrap();
            let failure = reported(&backend, &error);
            assert_eq!(failure.message, format!("the backend `acme` {message}"));
        }
    }
}
