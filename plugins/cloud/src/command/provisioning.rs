//! Whether what was changed is there, and can be used yet.

use std::time::Instant;

use bot_cli_protocol::failure::{ChangeState, Exit, Failure};

use super::context::CommandContext;
use super::open::Opened;
use crate::backend::{BackendError, Confirmed, Details, Keys, Summary};
use crate::domain::{Key, Region, SetKind, SetName, Status};
use crate::text::{span, theirs};
use crate::words;

/// The expected state of a set after a confirmed change.
#[derive(Clone, Copy)]
pub enum Expected<'a> {
    /// The first of these keys, among others, and none of the second.
    Keys(&'a [Key], &'a [Key]),
    /// The place of an image pull secret in the listing.
    Listed,
}

/// Looks at a set that was changed, with `wait` until it is ready. What was changed stays changed, so a look that fails is
/// only told. `None`: the status is not known.
pub fn after(
    context: &CommandContext<'_>,
    opened: &Opened<'_>,
    (name, region): (&SetName, Option<&Region>),
    (confirmed, expected): (&Confirmed, Expected<'_>),
    wait: bool,
) -> Result<Option<Status>, Failure> {
    let pace = opened.scope.pace;
    let begun = Instant::now();
    let mut pause = pace.first_look;
    // A look that has decided the outcome is the first one.
    let mut seen = match confirmed {
        Confirmed::BySight(summary) => summary.clone(),
        Confirmed::ByAnswer => None,
    };
    loop {
        let summary = match seen.take() {
            Some(summary) => summary,
            None => match look(opened, name, expected) {
                Ok(Some(summary)) => summary,
                Ok(None) => return Err(contradicted(opened, name)),
                Err(BackendError::Cancelled) => return Err(stopped(name)),
                Err(error) if wait => return Err(saved_but(name, words::failure(&error))),
                Err(error) => {
                    let why = words::failure(&error).message;
                    context.warn(&format!(
                        "`{name}` is changed; its status is not known: {why}"
                    ));
                    return Ok(None);
                }
            },
        };
        if let (Some(wanted), Some(is)) = (region, &summary.region)
            && wanted.as_str() != is
        {
            return Err(elsewhere(opened, name, wanted, is));
        }
        let status = summary.status;
        if status == Status::Failed {
            return Err(failed(opened, name, summary.error.as_deref()));
        }
        if !wait || status == Status::Ready {
            return Ok(Some(status));
        }
        if begun.elapsed() >= pace.ready {
            let message = format!(
                "`{name}` is changed but was not ready after {}",
                span(pace.ready.as_secs())
            );
            return Err(Failure::new(Exit::Unavailable, "not_ready", message)
                .outcome(ChangeState::Done)
                .hint(opened.scope.command(&format!("secrets list {name}"))));
        }
        context.progress("Waiting until it is ready");
        if opened.backend.pause(pause).is_err() {
            return Err(stopped(name));
        }
        pause = (pause * 2).min(pace.longest_look);
    }
}

/// The set as it is now; `None` where it lacks what was just put there.
fn look(
    opened: &Opened<'_>,
    name: &SetName,
    expected: Expected<'_>,
) -> Result<Option<Summary>, BackendError> {
    match expected {
        Expected::Keys(keys, gone) => {
            let Some(Details {
                summary,
                keys: found,
            }) = opened.backend.get(name)?
            else {
                return Ok(None);
            };
            let Keys::Known(found) = found else {
                return Ok(None);
            };
            let has = |key: &Key| found.iter().any(|found| found == key.as_str());
            let is_so = keys.iter().all(has) && !gone.iter().any(has);
            Ok(is_so.then_some(summary))
        }
        Expected::Listed => {
            let mut sets = opened.backend.list(None)?.into_iter();
            Ok(sets.find(|set| set.name == name.as_str() && set.kind == SetKind::ImagePullSecret))
        }
    }
}

/// The backend has confirmed a change that can't be seen.
fn contradicted(opened: &Opened<'_>, name: &SetName) -> Failure {
    let look = opened.scope.command(&format!("secrets list {name}"));
    Failure::new(
        Exit::Unknown,
        "contradicted",
        format!("the change of `{name}` was confirmed, but a look right after does not show it"),
    )
    .outcome(ChangeState::Unknown)
    .hint(format!(
        "`{look}` shows what is there now; somebody else may be changing it, too"
    ))
}

/// The set is stored somewhere else than it was to be.
fn elsewhere(opened: &Opened<'_>, name: &SetName, wanted: &Region, is: &str) -> Failure {
    let (is, subject) = (theirs(is), &opened.profile().subject);
    Failure::new(
        Exit::Failed,
        "region_differs",
        format!(
            "`{name}` is changed, but {subject} says that it is in the region {is}, not in {wanted}"
        ),
    )
    .outcome(ChangeState::Done)
    .hint("bot-cli cloud regions list")
}

/// The set is stored, and could not be made ready.
fn failed(opened: &Opened<'_>, name: &SetName, why: Option<&str>) -> Failure {
    let why = why.map_or(String::new(), |why| format!(": {}", theirs(why)));
    Failure::new(
        Exit::Failed,
        "provisioning_failed",
        format!(
            "`{name}` is changed, but {} could not make it ready for agents{why}",
            opened.profile().subject
        ),
    )
    .outcome(ChangeState::Done)
    .hint(opened.scope.command(&format!("secrets list {name}")))
}

fn stopped(name: &SetName) -> Failure {
    let message = format!("cancelled; `{name}` is changed");
    Failure::new(Exit::Cancelled, "cancelled", message).outcome(ChangeState::Done)
}

fn saved_but(name: &SetName, failure: Failure) -> Failure {
    let message = format!(
        "`{name}` is changed, but its status is not known: {}",
        failure.message
    );
    failure.message(message).outcome(ChangeState::Done)
}
