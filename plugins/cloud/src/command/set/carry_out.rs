//! A plan as it is carried out: what is put, then what is removed.

use bot_cli_sdk::failure::Failure;
use bot_cli_sdk::wording::count;

use super::plan::Plan;
use crate::backend::{ChangeError, Confirmed, Effect, Parts};
use crate::command::context::CommandContext;
use crate::command::open::Opened;
use crate::command::provisioning::{self, Expected};
use crate::domain::{Key, Status};
use crate::words::change::Deed;

/// Does what the plan says; returns the status that the set has then.
pub fn carry_out(
    context: &CommandContext<'_>,
    opened: &Opened<'_>,
    plan: &Plan,
    wait: bool,
) -> Result<Option<Status>, Failure> {
    let name = &plan.name;
    let failed = |error: &ChangeError| opened.change_failure(Deed::Change, name, error);
    let keys: Vec<Key> = plan.entries.iter().map(|entry| entry.key.clone()).collect();
    context.progress(&format!("Saving {}", count(keys.len(), "key")));
    let put = opened.backend.put(name, &plan.entries, plan.target.prior());
    let mut confirmed =
        put.map_err(|error| failed(&before_removal(error, &keys, &plan.removed)))?;
    if !plan.removed.is_empty() {
        context.progress(&format!("Removing {}", count(plan.removed.len(), "key")));
        // Keys that somebody else has removed by now are gone as wanted.
        opened
            .backend
            .unset(name, &plan.removed)
            .map_err(|error| failed(&in_removal(error, &keys, &plan.removed)))?;
        // What was seen after the first part is no longer what there is.
        confirmed = Confirmed::ByAnswer;
    }
    let expected = (&confirmed, Expected::Keys(&keys, &plan.removed));
    provisioning::after(
        context,
        opened,
        (name, plan.target.region.as_ref()),
        expected,
        wait,
    )
}

/// Completes the error of the first step: all keys to be removed are still there.
fn before_removal(mut error: ChangeError, put: &[Key], removed: &[Key]) -> ChangeError {
    if removed.is_empty() {
        return error;
    }
    match &mut error.effect {
        // True of the removed keys as well.
        Effect::NotDone | Effect::Unknown => {}
        Effect::Done => {
            error.effect = Effect::Partly(Box::new(Parts {
                done: put.to_vec(),
                unknown: Vec::new(),
                not_done: removed.to_vec(),
            }));
        }
        Effect::Partly(parts) => parts.not_done.extend_from_slice(removed),
    }
    error
}

/// Completes the error of the second step: all entries were stored.
fn in_removal(error: ChangeError, put: &[Key], removed: &[Key]) -> ChangeError {
    let removed = removed.to_vec();
    let mut parts = match error.effect {
        Effect::Done => return error,
        Effect::Unknown => Parts {
            unknown: removed,
            ..Parts::default()
        },
        Effect::NotDone => Parts {
            not_done: removed,
            ..Parts::default()
        },
        Effect::Partly(parts) => *parts,
    };
    parts.done = [put.to_vec(), parts.done].concat();
    let effect = Effect::Partly(Box::new(parts));
    ChangeError {
        cause: error.cause,
        effect,
    }
}

#[cfg(test)]
mod tests {
    use super::{before_removal, in_removal};
    use crate::backend::{BackendError, ChangeError, Effect, Parts};
    use crate::domain::Key;

    fn keys(names: &[&str]) -> Vec<Key> {
        names.iter().map(|name| Key::parse(name).unwrap()).collect()
    }

    fn partly(done: &[&str], unknown: &[&str], not_done: &[&str]) -> Effect {
        Effect::Partly(Box::new(Parts {
            done: keys(done),
            unknown: keys(unknown),
            not_done: keys(not_done),
        }))
    }

    #[test]
    fn every_key_is_told_as_what_it_is() {
        let (put, removed) = (keys(&["A", "B"]), keys(&["X", "Y"]));
        let error = |effect| ChangeError {
            cause: BackendError::Cancelled,
            effect,
        };
        for (effect, put_failed, removal_failed) in [
            (
                Effect::NotDone,
                Effect::NotDone,
                partly(&["A", "B"], &[], &["X", "Y"]),
            ),
            (
                Effect::Unknown,
                Effect::Unknown,
                partly(&["A", "B"], &["X", "Y"], &[]),
            ),
            (
                Effect::Done,
                partly(&["A", "B"], &[], &["X", "Y"]),
                Effect::Done,
            ),
        ] {
            assert_eq!(
                before_removal(error(effect.clone()), &put, &removed).effect,
                put_failed
            );
            assert_eq!(
                in_removal(error(effect), &put, &removed).effect,
                removal_failed
            );
        }
        let effect = before_removal(error(partly(&["A"], &[], &["B"])), &put, &removed).effect;
        assert_eq!(effect, partly(&["A"], &[], &["B", "X", "Y"]));
        let effect = in_removal(error(partly(&["X"], &["Y"], &[])), &put, &removed).effect;
        assert_eq!(effect, partly(&["A", "B", "X"], &["Y"], &[]));
        assert_eq!(
            before_removal(error(Effect::Done), &put, &[]).effect,
            Effect::Done
        );
    }
}
