//! Completes a run that was killed, before anything else is done.

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_sdk::session::{Level, Session};

use crate::target::Target;
use crate::transaction::{self, Recovered};

/// Completes what an earlier run left, and does the rest.
pub(super) fn then<T>(
    target: &Target,
    session: &mut Session,
    rest: impl FnOnce(&Recovered, &mut Session) -> Result<T, Failure>,
) -> Result<T, Failure> {
    // Until the reply, which says what was written.
    std::mem::forget(session.guard());
    let recovered = transaction::recover(&target.path)?;
    if let Recovered::Completed(left) = &recovered {
        let left: Vec<String> = left.iter().map(|path| format!("`{path}`")).collect();
        let except = match left.as_slice() {
            [] => String::new(),
            left => format!(", but for {}, changed since", left.join(", ")),
        };
        let message = format!("an earlier run was interrupted; it is completed now{except}");
        session.log(Level::Warn, &message);
    }
    rest(&recovered, session).map_err(|failure| failure_after(&recovered, failure))
}

/// Returns the member `recovered` of a document of `--json`.
pub(super) const fn member(recovered: &Recovered) -> Option<&'static str> {
    match recovered {
        Recovered::Nothing => None,
        Recovered::Completed(_) => Some("completed"),
        Recovered::Update => Some("update"),
    }
}

/// Returns the failure of a run that has completed an earlier one, whose changes it must not deny.
pub(super) fn failure_after(recovered: &Recovered, mut failure: Failure) -> Failure {
    failure.message = words_after(recovered, failure.message);
    let hints = failure.hints.into_iter();
    failure.hints = hints.map(|hint| words_after(recovered, hint)).collect();
    // Its status would say that nothing has changed.
    if failure.exit == Exit::Usage && matches!(recovered, Recovered::Completed(_)) {
        failure.exit = Exit::Failed;
    }
    failure
}

pub(super) fn words_after(recovered: &Recovered, words: String) -> String {
    match recovered {
        Recovered::Nothing | Recovered::Update => words,
        Recovered::Completed(_) => words
            .replace("nothing was changed", "nothing else was changed")
            .replace("nothing was written", "nothing else was changed"),
    }
}

#[cfg(test)]
mod tests {
    use bot_cli_protocol::failure::{Exit, Failure};

    use super::failure_after;
    use crate::transaction::Recovered;

    #[test]
    fn who_has_completed_an_earlier_run_does_not_say_that_nothing_was_changed() {
        let failure = Failure::new(Exit::Usage, "x", "cancelled, nothing was written")
            .hint("nothing was changed; it would lose what was done since")
            .hint("edit those lines first");
        for recovered in [Recovered::Nothing, Recovered::Update] {
            assert_eq!(failure_after(&recovered, failure.clone()), failure);
        }
        let after = failure_after(&Recovered::Completed(Vec::new()), failure);
        assert_eq!(after.exit, Exit::Failed);
        assert_eq!(after.message, "cancelled, nothing else was changed");
        let hints = [
            "nothing else was changed; it would lose what was done since",
            "edit those lines first",
        ];
        assert_eq!(after.hints, hints);
    }
}
