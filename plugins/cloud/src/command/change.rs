//! A change of one set: planned, shown, agreed to, carried out and reported in one way, whichever command makes it.

mod settled;
pub mod target;
mod told;

use bot_cli_protocol::failure::{Failure, Field};
use bot_cli_protocol::secret::Secret;
use bot_cli_sdk::plugin::Reply;

use super::confirm::{self, Enter};
use super::context::CommandContext;
use super::open::Opened;
use super::project;
use crate::backend::{Ability, ChangeError, Confirmed};
use crate::domain::{BackendName, Entry, Key, RegistryHost, SetKind, SetName, Status};
use crate::words::change::Deed;
use crate::words::failed;
use target::Target;
pub use told::names;

/// A change as it is planned.
pub struct Change {
    pub name: SetName,
    /// What is there.
    pub target: Target,
    pub work: Work,
}

/// What is changed.
pub enum Work {
    /// Keys are stored, and others may go.
    Save(Keys),
    /// Credentials for an image registry are stored.
    Credentials {
        host: RegistryHost,
        credentials: Secret,
    },
    /// Keys go.
    Remove(Vec<Key>),
    /// A set of this kind goes.
    Delete(SetKind),
}

/// The keys of a set as they will be.
#[derive(Default)]
pub struct Keys {
    /// The entries to store.
    pub entries: Vec<Entry>,
    /// The keys that go where the set is to have no others than those of the entries.
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
    /// The keys that go.
    pub fn gone(&self) -> &[Key] {
        self.removed.as_deref().unwrap_or_default()
    }
}

impl Work {
    /// Returns the values that are stored.
    pub fn secrets(&self) -> Vec<Secret> {
        match self {
            Self::Save(keys) => keys.entries.iter().map(|one| one.value.clone()).collect(),
            Self::Credentials { credentials, .. } => vec![credentials.clone()],
            Self::Remove(_) | Self::Delete(_) => Vec::new(),
        }
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
        if manner.dry_run {
            let text = self.plan(opened) + "Nothing was changed\n";
            return Ok(Reply::text(text).data(self.data(opened, None, true)));
        }
        if manner.asks {
            self.confirm(context, opened)?;
        }
        context.progress(&self.progress());
        let status = self.carry_out(context, opened, manner.wait)?;
        let reply = Reply::text(self.done(opened, status)).data(self.data(opened, status, false));
        Ok(match &self.work {
            Work::Save(_) if leads_to_bot(context, opened) => reply.next("bot-cli dev"),
            Work::Save(_) | Work::Remove(_) => reply.next(self.look(opened)),
            Work::Credentials { .. } | Work::Delete(_) => reply,
        })
    }

    fn confirm(&self, context: &CommandContext<'_>, opened: &Opened<'_>) -> Result<(), Failure> {
        let (question, plan) = (self.question(), self.plan(opened));
        match &self.work {
            Work::Delete(_) => confirm::by_name(context, self.name.as_str(), question, plan),
            Work::Save(_) | Work::Credentials { .. } if !self.target.exists => {
                confirm::yes(context, question, plan, Enter::Yes)
            }
            Work::Save(_) | Work::Credentials { .. } | Work::Remove(_) => {
                confirm::yes(context, question, plan, Enter::No)
            }
        }
    }

    /// Does it; returns the status that the set has then, where it is known.
    fn carry_out(
        &self,
        context: &CommandContext<'_>,
        opened: &Opened<'_>,
        wait: bool,
    ) -> Result<Option<Status>, Failure> {
        let (name, backend) = (&self.name, &opened.backend);
        let prior = self.target.prior();
        let confirmed = match &self.work {
            Work::Save(keys) => match &keys.removed {
                None => backend.put(name, &keys.entries, prior),
                Some(removed) => backend.replace(name, &keys.entries, removed, prior),
            },
            Work::Credentials { host, credentials } => {
                let too_long = backend
                    .profile()
                    .too_long("credentials", credentials.expose());
                refused(too_long.into_iter().collect())?;
                backend.put_image_pull_secret(name, host, credentials, prior)
            }
            Work::Remove(keys) => {
                let missing = backend.unset(name, keys, self.target.known.as_deref());
                let missing = missing.map_err(|error| self.failed(opened, &error))?;
                return self.check_removed(opened, keys, &missing).map(|()| None);
            }
            Work::Delete(_) => {
                let deleted = backend.delete(name, self.target.known.as_deref());
                let is_deleted = deleted.map_err(|error| self.failed(opened, &error))?;
                return if is_deleted {
                    Ok(None)
                } else {
                    Err(opened.not_found(name))
                };
            }
        };
        let confirmed: Confirmed = confirmed.map_err(|error| self.failed(opened, &error))?;
        self.settled(context, opened, confirmed, wait)
    }

    /// Somebody else may have removed them all.
    fn check_removed(
        &self,
        opened: &Opened<'_>,
        keys: &[Key],
        missing: &[Key],
    ) -> Result<(), Failure> {
        if missing.len() < keys.len() {
            return Ok(());
        }
        let is = if keys.len() == 1 { "is" } else { "are" };
        let message = format!("{} {is} not in `{}` any more", told::what(keys), self.name);
        Err(failed("not_found", message).hint(self.look(opened)))
    }

    fn failed(&self, opened: &Opened<'_>, error: &ChangeError) -> Failure {
        let deed = match self.work {
            Work::Save(_) | Work::Credentials { .. } | Work::Remove(_) => Deed::Change,
            Work::Delete(_) => Deed::Delete,
        };
        opened.change_failure(deed, &self.name, error)
    }

    /// The command that shows the set.
    fn look(&self, opened: &Opened<'_>) -> String {
        let list = format!("secrets list {}", self.name);
        opened.scope.command(&list)
    }
}

/// Whether the bot of the project that the user is in has its keys from where they were saved.
fn leads_to_bot(context: &CommandContext<'_>, opened: &Opened<'_>) -> bool {
    let is_vault = opened.scope.backend.value == BackendName::LOCAL;
    is_vault && project::is_generated(&context.cwd())
}

/// Refuses what is too much for a backend, before anything is sent.
pub fn check_size(opened: &Opened<'_>, entries: &[Entry], target: &Target) -> Result<(), Failure> {
    let known = target.known.as_deref().unwrap_or_default();
    refused(opened.profile().too_much(entries, known))
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
