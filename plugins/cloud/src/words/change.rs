//! Messages about a failed change: the cause, the outcome, and the command that shows the state.

use bot_cli_protocol::failure::{ChangeState, Exit, Failure};
use bot_cli_protocol::wording::count;

use crate::backend::Explained;
use crate::backend::{ChangeError, Effect, Parts};
use crate::domain::SetName;

/// Returns the failure of a change, with its outcome. `past` is "changed" or "deleted"; `look` is the command that shows the state.
pub fn failure(past: &str, name: &SetName, error: &ChangeError, look: &str) -> Failure {
    let cause = error.cause.explain();
    match &error.effect {
        Effect::Done => {
            let mut failure = cause;
            if !error.cause.tells_effect() {
                failure.message = format!("{}; all the same, `{name}` was {past}", failure.message);
            }
            failure.outcome(ChangeState::Done)
        }
        Effect::NotDone => {
            let not_done = format!("`{name}` was not {past}");
            let failure = if error.cause.tells_effect() {
                cause
            } else {
                cause.hint(not_done)
            };
            failure.outcome(ChangeState::NotDone)
        }
        Effect::Unknown => unknown(cause, &format!("`{name}` was {past}"), look),
        Effect::Partly(parts) => partly(cause, name, parts, look),
    }
}

/// A failure after which nobody can say what became of the change.
fn unknown(mut failure: Failure, what: &str, look: &str) -> Failure {
    failure.message = format!("{}; it is unknown whether {what}", failure.message);
    // A script that was stopped knows that by the status.
    if !matches!(failure.exit, Exit::Cancelled | Exit::Terminated) {
        failure.exit = Exit::Unknown;
    }
    failure
        .outcome(ChangeState::Unknown)
        .hint(format!("`{look}` shows what is there now"))
}

fn partly(mut failure: Failure, name: &SetName, parts: &Parts, look: &str) -> Failure {
    let Parts {
        done,
        unknown: unclear,
        not_done,
    } = parts;
    if !done.is_empty() {
        let all = count(done.len() + unclear.len() + not_done.len(), "key");
        failure.message = format!(
            "changed {} of {all} in `{name}`, then failed: {}",
            done.len(),
            failure.message
        );
        "partly_applied".clone_into(&mut failure.code);
    }
    let states = [
        (done, "applied"),
        (unclear, "unknown"),
        (not_done, "not applied"),
    ];
    for (keys, state) in states {
        for key in keys {
            failure = failure.field(key.as_str(), None, state);
        }
    }
    if unclear.is_empty() {
        return failure.outcome(ChangeState::PartlyDone);
    }
    let what = match unclear.as_slice() {
        [key] => format!("`{key}` was changed"),
        several => format!("{} were changed", count(several.len(), "key")),
    };
    unknown(failure, &what, look)
}

#[cfg(test)]
mod tests {
    use bot_cli_protocol::failure::ChangeState;

    use super::failure;
    use crate::backend::{BackendError, ChangeError, Effect};
    use crate::domain::SetName;

    /// Whoever cancels is told that nothing was changed where nobody says otherwise.
    #[test]
    fn what_is_done_is_said_to_be_done() {
        let error = ChangeError {
            cause: BackendError::Cancelled,
            effect: Effect::Done,
        };
        let name = SetName::parse("prod").unwrap();
        let failure = failure("changed", &name, &error, "look");
        assert_eq!(failure.outcome, Some(ChangeState::Done));
        assert_eq!(
            failure.message,
            "cancelled; all the same, `prod` was changed"
        );
    }
}
