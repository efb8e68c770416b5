//! Whether what was changed is there, and can be used yet.

use std::time::Instant;

use bot_cli_protocol::failure::{ChangeState, Exit, Failure};

use super::{Change, Work};
use crate::backend::{BackendError, Confirmed, Keys, Summary};
use crate::command::context::CommandContext;
use crate::command::open::Opened;
use crate::domain::{Key, SetKind, Status};
use crate::text::{span, theirs};
use crate::words::failed;

impl Change {
    /// Looks at the set that was changed, with `wait` until it is ready. What was changed stays changed, so a look that fails is
    /// only told. `None`: the status is not known.
    pub fn settled(
        &self,
        context: &CommandContext<'_>,
        opened: &Opened<'_>,
        confirmed: Confirmed,
        wait: bool,
    ) -> Result<Option<Status>, Failure> {
        let name = &self.name;
        let pace = opened.scope.pace;
        let begun = Instant::now();
        let mut pause = pace.first_look;
        // A look that has decided the outcome is the first one.
        let mut seen = match confirmed {
            Confirmed::BySight(summary) => summary,
            Confirmed::ByAnswer => None,
        };
        loop {
            let summary = match seen.take() {
                Some(summary) => summary,
                None => match self.look_again(opened) {
                    Ok(Some(summary)) => summary,
                    Ok(None) => return Err(self.contradicted(opened)),
                    Err(BackendError::Cancelled) => return Err(self.stopped()),
                    Err(error) => {
                        let failure = Failure::from(error);
                        let why = &failure.message;
                        let message = |sep: &str| {
                            format!("`{name}` is changed{sep} its status is not known: {why}")
                        };
                        if wait {
                            let message = message(", but");
                            return Err(failure.message(message).outcome(ChangeState::Done));
                        }
                        context.warn(&message(";"));
                        return Ok(None);
                    }
                },
            };
            self.check(opened, &summary)?;
            if !wait || summary.status == Status::Ready {
                return Ok(Some(summary.status));
            }
            if begun.elapsed() >= pace.ready {
                let patience = span(pace.ready.as_secs());
                let message = format!("`{name}` is changed but was not ready after {patience}");
                return Err(Failure::new(Exit::Unavailable, "not_ready", message)
                    .outcome(ChangeState::Done)
                    .hint(self.look(opened)));
            }
            context.progress("Waiting until it is ready");
            if opened.backend.pause(pause).is_err() {
                return Err(self.stopped());
            }
            pause = (pause * 2).min(pace.longest_look);
        }
    }

    /// The set as it is now; `None` where it lacks what was just put there.
    fn look_again(&self, opened: &Opened<'_>) -> Result<Option<Summary>, BackendError> {
        let Work::Save(keys) = &self.work else {
            let mut sets = opened.backend.list(None)?.into_iter();
            let name = self.name.as_str();
            return Ok(sets.find(|set| set.name == name && set.kind == SetKind::ImagePullSecret));
        };
        let Some(found) = opened.backend.get(&self.name)? else {
            return Ok(None);
        };
        let Keys::Known(known) = found.keys else {
            return Ok(None);
        };
        let has = |key: &Key| known.iter().any(|known| known == key.as_str());
        let is_so =
            keys.entries.iter().all(|entry| has(&entry.key)) && !keys.gone().iter().any(has);
        Ok(is_so.then_some(found.summary))
    }

    /// Whether it is stored where it was to be, and could be made ready.
    fn check(&self, opened: &Opened<'_>, set: &Summary) -> Result<(), Failure> {
        let (name, subject) = (&self.name, &opened.profile().subject);
        if let (Some(wanted), Some(is)) = (&self.target.region, &set.region)
            && wanted.as_str() != is
        {
            let is = theirs(is);
            let message = format!(
                "`{name}` is changed, but {subject} says that it is in the region {is}, not in {wanted}"
            );
            let failure = failed("region_differs", message).hint("bot-cli cloud regions list");
            return Err(failure.outcome(ChangeState::Done));
        }
        if set.status != Status::Failed {
            return Ok(());
        }
        let why = set.error.as_deref();
        let why = why.map_or(String::new(), |why| format!(": {}", theirs(why)));
        let message =
            format!("`{name}` is changed, but {subject} could not make it ready for agents{why}");
        Err(failed("provisioning_failed", message)
            .outcome(ChangeState::Done)
            .hint(self.look(opened)))
    }

    /// The backend has confirmed a change that can't be seen.
    fn contradicted(&self, opened: &Opened<'_>) -> Failure {
        let (name, look) = (&self.name, self.look(opened));
        let message = format!(
            "the change of `{name}` was confirmed, but a look right after does not show it"
        );
        Failure::new(Exit::Unknown, "contradicted", message).hint(format!(
            "`{look}` shows what is there now; somebody else may be changing it, too"
        ))
    }

    fn stopped(&self) -> Failure {
        let message = format!("cancelled; `{}` is changed", self.name);
        Failure::cancelled()
            .message(message)
            .outcome(ChangeState::Done)
    }
}
