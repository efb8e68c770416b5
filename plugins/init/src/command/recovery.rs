//! What a run that was killed has left is ended before anything else is done.

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_sdk::session::{Level, Session};

use crate::target::Target;
use crate::transaction::{self, Recovered};

/// Ends what an earlier run left unfinished, and does the rest. Whatever that fails with does not say that nothing was changed, if something was.
pub(super) fn then<T>(
    target: &Target,
    session: &mut Session,
    rest: impl FnOnce(&Recovered, &mut Session) -> Result<T, Failure>,
) -> Result<T, Failure> {
    // Until the reply, which says what was written.
    std::mem::forget(session.guard());
    let recovered = recover(target, session)?;
    rest(&recovered, session).map_err(|failure| failure_after(&recovered, failure))
}

fn recover(target: &Target, session: &mut Session) -> Result<Recovered, Failure> {
    let recovered = transaction::recover(&target.path)?;
    match &recovered {
        Recovered::Nothing | Recovered::Discarded | Recovered::Update => {}
        Recovered::Completed => session.log(
            Level::Warn,
            "an earlier run was interrupted; it is completed now",
        ),
        Recovered::Partly(left) => {
            let left: Vec<String> = left.iter().map(|path| format!("`{path}`")).collect();
            let left = left.join(", ");
            let message = format!(
                "an earlier run was interrupted; it is completed now, but for {left}: not everything is as it was left"
            );
            session.log(Level::Warn, &message);
        }
    }
    Ok(recovered)
}

/// The member `recovered` of a document of `--json`.
pub(super) fn member(recovered: &Recovered) -> Option<&'static str> {
    match recovered {
        Recovered::Nothing => None,
        Recovered::Discarded => Some("discarded"),
        Recovered::Completed => Some("completed"),
        Recovered::Partly(_) => Some("partly"),
        Recovered::Update => Some("update"),
    }
}

/// A failure of a run that has ended an earlier one.
pub(super) fn failure_after(recovered: &Recovered, mut failure: Failure) -> Failure {
    failure.message = words_after(recovered, &failure.message);
    for hint in &mut failure.hints {
        *hint = words_after(recovered, hint);
    }
    // Its status would say that nothing has changed.
    if failure.exit == Exit::Usage && has_changed(recovered) {
        failure.exit = Exit::Failed;
    }
    failure
}

fn has_changed(recovered: &Recovered) -> bool {
    match recovered {
        Recovered::Nothing | Recovered::Discarded | Recovered::Update => false,
        Recovered::Completed | Recovered::Partly(_) => true,
    }
}

/// Words of a run that has ended an earlier one: what that had begun was changed, and nothing else.
pub(super) fn words_after(recovered: &Recovered, words: &str) -> String {
    let mut words = words.to_owned();
    if has_changed(recovered) {
        for done in ["changed", "written"] {
            words = words.replace(&format!("nothing was {done}"), "nothing else was changed");
        }
    }
    words
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
        for recovered in [Recovered::Nothing, Recovered::Discarded, Recovered::Update] {
            assert_eq!(failure_after(&recovered, failure.clone()), failure);
        }
        for recovered in [
            Recovered::Completed,
            Recovered::Partly(vec!["README.md".to_owned()]),
        ] {
            let after = failure_after(&recovered, failure.clone());
            assert_eq!(after.exit, Exit::Failed);
            assert_eq!(after.message, "cancelled, nothing else was changed");
            assert_eq!(
                after.hints,
                [
                    "nothing else was changed; it would lose what was done since",
                    "edit those lines first"
                ]
            );
        }
    }
}
