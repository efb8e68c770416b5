//! A change of one set: planned, shown, agreed to, carried out and reported in one way, whichever command makes it.

mod wording;

use std::time::Instant;

use bot_cli_protocol::failure::{ChangeState, Exit, Failure, Field};
use bot_cli_protocol::question::Question;
use bot_cli_protocol::secret::Secret;
use bot_cli_sdk::plugin::Reply;

use super::context::CommandContext;
use super::open::Opened;
use super::project;
use super::target::Target;
use crate::backend::{Ability, BackendError, ChangeError, Confirmed, Keys as Known, Summary};
use crate::domain::{BackendName, Entry, Key, RegistryHost, SetKind, SetName, Status};
use crate::text::{span, theirs};
use crate::words::change::failure;
use crate::words::failed;
pub use wording::names;

/// A planned change.
pub struct Change {
    pub name: SetName,
    /// The set before the change.
    pub target: Target,
    pub work: Work,
}

/// The kind of a change.
pub enum Work {
    /// Keys are stored, and others may be removed.
    Save(Keys),
    /// Credentials for an image registry are stored.
    Credentials {
        host: RegistryHost,
        credentials: Secret,
    },
    /// Keys are removed.
    Remove(Vec<Key>),
    /// A set of this kind is deleted.
    Delete(SetKind),
}

/// The keys of a set as they will be.
#[derive(Default)]
pub struct Keys {
    /// The entries to store.
    pub entries: Vec<Entry>,
    /// The keys to remove where the set is to have no others than those of the entries.
    pub removed: Option<Vec<Key>>,
    /// The keys that are left out because they have no value.
    pub skipped: Vec<Key>,
    /// The keys of a template that still have no value.
    pub missing: Vec<Key>,
}

/// How a change is made.
#[derive(Clone, Copy)]
pub struct Manner {
    /// Whether the user has to agree.
    pub asks: bool,
    /// Whether it is only shown.
    pub dry_run: bool,
    /// Whether to wait until the set is ready.
    pub wait: bool,
}

impl Manner {
    /// A change at once, after consent unless that is to be skipped.
    pub const fn unless_skipped(skip: bool) -> Self {
        Self {
            asks: !skip,
            dry_run: false,
            wait: false,
        }
    }
}

impl Keys {
    /// The keys to remove.
    pub fn gone(&self) -> &[Key] {
        self.removed.as_deref().unwrap_or_default()
    }
}

impl Change {
    /// Shows the change, asks for consent, carries it out, and reports on it.
    pub fn make(
        &self,
        context: &CommandContext<'_>,
        opened: &Opened<'_>,
        manner: Manner,
    ) -> Result<Reply, Failure> {
        let wording = self.wording(opened);
        if manner.dry_run {
            let text = wording.plan + "Nothing was changed\n";
            return Ok(Reply::text(text).data(self.data(opened, None, true)));
        }
        if manner.asks {
            self.confirm(context, wording.question, wording.plan)?;
        }
        context.progress(&format!("Changing `{}`", self.name));
        let status = self.carry_out(context, opened, manner.wait)?;
        let text = self.done(opened, &wording.done, status);
        let reply = Reply::text(text).data(self.data(opened, status, false));
        let is_vault = opened.scope.backend.value == BackendName::LOCAL;
        Ok(match &self.work {
            // The bot of a generated project takes its keys from the vault.
            Work::Save(_) if is_vault && project::is_generated(&context.cwd()) => {
                reply.next("bot-cli dev")
            }
            Work::Save(_) | Work::Remove(_) => reply.next(self.look(opened)),
            Work::Credentials { .. } | Work::Delete(_) => reply,
        })
    }

    /// Asks for yes or no; to delete a set, for its name.
    fn confirm(
        &self,
        context: &CommandContext<'_>,
        message: String,
        plan: String,
    ) -> Result<(), Failure> {
        if matches!(self.work, Work::Delete(_)) {
            return confirm_by_name(context, self.name.as_str(), message, plan);
        }
        let question = Question::confirm("confirm", message);
        let mut question = question.details(plan).flag("--skip");
        // Where nobody is asked, a default would be an answer.
        if context.interactive() {
            let adds_only = !self.target.exists && !matches!(self.work, Work::Remove(_));
            question = question.default(adds_only);
        }
        if context.session().confirm(&question)? {
            Ok(())
        } else {
            Err(Failure::cancelled())
        }
    }

    /// Makes the change; returns the status that the set has then, if it is known.
    fn carry_out(
        &self,
        context: &CommandContext<'_>,
        opened: &Opened<'_>,
        wait: bool,
    ) -> Result<Option<Status>, Failure> {
        let (name, backend) = (&self.name, &opened.backend);
        let (prior, seen) = (self.target.prior(), self.target.known.as_deref());
        let confirmed = match &self.work {
            Work::Save(keys) => match &keys.removed {
                None => backend.put(name, &keys.entries, prior),
                Some(removed) => backend.replace(name, &keys.entries, removed, prior),
            },
            Work::Credentials { host, credentials } => {
                let profile = backend.profile();
                let too_long = profile.too_long("credentials", credentials.expose());
                refused(too_long.into_iter().collect())?;
                backend.put_image_pull_secret(name, host, credentials, prior)
            }
            Work::Remove(keys) => {
                let missing = backend.unset(name, keys, seen);
                let missing = missing.map_err(|error| self.failed(opened, &error))?;
                // Somebody else may have removed them all.
                if missing.len() == keys.len() {
                    let message = format!("`{name}` does not have these keys any more");
                    return Err(failed("not_found", message).hint(self.look(opened)));
                }
                return Ok(None);
            }
            Work::Delete(_) => {
                let deleted = backend.delete(name, seen);
                if deleted.map_err(|error| self.failed(opened, &error))? {
                    return Ok(None);
                }
                return Err(opened.not_found(name));
            }
        };
        let confirmed = confirmed.map_err(|error| self.failed(opened, &error))?;
        self.settled(context, opened, confirmed, wait)
    }

    /// Polls the changed set, until it is ready if `wait` is set. Without `wait`, a failed status check is only a warning and
    /// returns `None`.
    fn settled(
        &self,
        context: &CommandContext<'_>,
        opened: &Opened<'_>,
        confirmed: Confirmed,
        wait: bool,
    ) -> Result<Option<Status>, Failure> {
        let name = &self.name;
        let pace = opened.scope.pace;
        let (begun, mut pause) = (Instant::now(), pace.first_look);
        // A look that has decided the outcome is the first one.
        let mut seen = match confirmed {
            Confirmed::BySight(summary) => summary,
            Confirmed::ByAnswer => None,
        };
        loop {
            let looked = seen
                .take()
                .map_or_else(|| self.look_again(opened), |it| Ok(Some(it)));
            let summary = match looked {
                Ok(Some(summary)) => summary,
                Ok(None) => return Err(self.contradicted(opened)),
                Err(BackendError::Cancelled) => return Err(self.stopped()),
                Err(error) => {
                    let failure = Failure::from(error);
                    let why = format!("its status is not known: {}", failure.message);
                    if wait {
                        let message = format!("`{name}` is changed, but {why}");
                        return Err(failure.message(message).outcome(ChangeState::Done));
                    }
                    context.warn(&format!("`{name}` is changed; {why}"));
                    return Ok(None);
                }
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
            opened.backend.pause(pause).map_err(|_| self.stopped())?;
            pause = (pause * 2).min(pace.longest_look);
        }
    }

    /// Returns the set as it is now; `None` where it does not show the change.
    fn look_again(&self, opened: &Opened<'_>) -> Result<Option<Summary>, BackendError> {
        let Work::Save(keys) = &self.work else {
            let mut sets = opened.backend.list(None)?.into_iter();
            let name = self.name.as_str();
            return Ok(sets.find(|set| set.name == name && set.kind == SetKind::ImagePullSecret));
        };
        let Some(found) = opened.backend.get(&self.name)? else {
            return Ok(None);
        };
        let Known::Known(known) = found.keys else {
            return Ok(None);
        };
        let has = |key: &Key| known.iter().any(|known| known == key.as_str());
        let is_so =
            keys.entries.iter().all(|entry| has(&entry.key)) && !keys.gone().iter().any(has);
        Ok(is_so.then_some(found.summary))
    }

    /// Checks that the set is where it was to be, and could be made ready.
    fn check(&self, opened: &Opened<'_>, set: &Summary) -> Result<(), Failure> {
        let (name, subject) = (&self.name, &opened.profile().subject);
        let told = match (&self.target.region, &set.region) {
            (Some(wanted), Some(is)) if wanted.as_str() != is => {
                let is = theirs(is);
                let message = format!(
                    "`{name}` is changed, but {subject} says that it is in the region {is}, not in {wanted}"
                );
                failed("region_differs", message)
            }
            _ if set.status == Status::Failed => {
                let why = set.error.as_deref();
                let why = why.map_or(String::new(), |why| format!(": {}", theirs(why)));
                let message = format!(
                    "`{name}` is changed, but {subject} could not make it ready for agents{why}"
                );
                failed("provisioning_failed", message)
            }
            _ => return Ok(()),
        };
        Err(told.outcome(ChangeState::Done).hint(self.look(opened)))
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
        let failure = Failure::cancelled().message(message);
        failure.outcome(ChangeState::Done)
    }

    fn failed(&self, opened: &Opened<'_>, error: &ChangeError) -> Failure {
        let (past, look) = match self.work {
            Work::Save(_) | Work::Credentials { .. } | Work::Remove(_) => {
                ("changed", self.look(opened))
            }
            Work::Delete(_) => ("deleted", opened.scope.command("secrets list")),
        };
        failure(past, &self.name, error, &look)
    }

    /// The command that shows the set.
    fn look(&self, opened: &Opened<'_>) -> String {
        let list = format!("secrets list {}", self.name);
        opened.scope.command(&list)
    }
}

/// Asks for consent by a word that must be typed.
pub fn confirm_by_name(
    context: &CommandContext<'_>,
    name: &str,
    message: String,
    details: String,
) -> Result<(), Failure> {
    let question = Question::text("name", message);
    let question = question.details(details).flag("--skip");
    if context.session().ask_text(&question)?.trim() == name {
        return Ok(());
    }
    let message = "cancelled: that is not what was asked for; nothing was changed";
    Err(Failure::cancelled().message(message))
}

/// Refuses empty values for a backend that does not take them; `hint` is what to do about them.
pub fn check_empty(opened: &Opened<'_>, entries: &[Entry], hint: &str) -> Result<(), Failure> {
    refused(opened.profile().empty(entries)).map_err(|failure| failure.hint(hint))
}

/// Refuses what is too much for a backend, before anything is sent.
pub fn check_size(opened: &Opened<'_>, entries: &[Entry], target: &Target) -> Result<(), Failure> {
    refused(opened.profile().too_much(entries, target.known()))
}

/// Fails with these problems, if there are any.
pub fn refused(fields: Vec<Field>) -> Result<(), Failure> {
    if fields.is_empty() {
        return Ok(());
    }
    Err(Failure::invalid_input(fields))
}

/// Refuses credentials for a backend that does not keep any.
pub fn check_credentials(opened: &Opened<'_>) -> Result<(), Failure> {
    if opened.profile().can(Ability::ImagePullSecrets) {
        return Ok(());
    }
    let message = format!("{} keeps no image pull secrets", opened.profile().keeper);
    Err(failed("not_supported", message).hint("choose another backend with `--backend`"))
}
