//! A change to one set, shared by all commands: the plan, confirmation, execution and report.

mod wording;

use std::time::Instant;

use bot_cli_protocol::failure::{ChangeState, Exit, Failure, Field};
use bot_cli_protocol::secret::Secret;
use bot_cli_sdk::plugin::Reply;
use bot_cli_secrets::Error;
use bot_cli_secrets::messages::{
    Ability, Code, DeleteParams, Prior, PutImagePullSecretParams, PutParams, SetInfo, UnsetParams,
};
use bot_cli_vault::wait::{InVain, wait as wait_for};

use super::ask::{confirm_by_name, consent};
use super::context::CommandContext;
use super::open::Opened;
use super::project;
use super::target::Target;
use crate::domain::{Entry, Key, SetKind, SetName, SetStatus};
use crate::input::refused;
use crate::options::Manner;
use crate::text::{span, theirs};
use crate::words::failed;

pub struct Change {
    pub name: SetName,
    pub target: Target,
    pub work: Work,
}

pub enum Work {
    Save(Keys),
    Credentials { host: String, credentials: Secret },
    Remove(Vec<Key>),
    Delete(SetKind),
}

#[derive(Default)]
pub struct Keys {
    pub entries: Vec<Entry>,
    /// The keys omitted because they have no value.
    pub skipped: Vec<Key>,
    /// The template keys that still have no value.
    pub missing: Vec<Key>,
}

impl Change {
    /// Shows the plan, asks for confirmation, makes the change and reports the result.
    pub fn make(
        &self,
        context: CommandContext<'_>,
        opened: &Opened<'_>,
        manner: Manner,
    ) -> Result<Reply, Failure> {
        let session = context.session;
        if manner.only_new && self.target.exists {
            let message = format!("somebody else created `{}` meanwhile", self.name);
            return Err(failed("conflict", message).hint(self.look(opened)));
        }
        refused(self.too_much(opened))?;
        let (plan, done) = self.plan_and_report(opened);
        if manner.dry_run {
            let text = plan + "Nothing was changed\n";
            return Ok(Reply::text(text).data(self.data(opened, None, true)));
        }
        if !manner.skip {
            self.confirm(context, plan)?;
        }
        session.progress(&format!("Changing `{}`", self.name), None, None);
        self.carry_out(opened)?;
        let status = match self.work {
            Work::Save(_) | Work::Credentials { .. } => {
                self.settled(context, opened, manner.wait)?
            }
            Work::Remove(_) | Work::Delete(_) => None,
        };
        let text = self.done(opened, &done, status);
        let reply = Reply::text(text).data(self.data(opened, status, false));
        let profile = &opened.profile;
        Ok(match &self.work {
            Work::Save(_) => {
                let cwd = session.cwd();
                let dev = || project::dev_command(cwd, &self.name);
                // Without the option, an agent that runs keeps the old values.
                let deploy = || Some(project::deploy_words(cwd, &self.name)? + " --force");
                let deploy = || deploy().map(|words| opened.scope.command(&words));
                let dev = profile.is_here().then(dev).flatten();
                let next = dev.or_else(|| profile.has_agents().then(deploy).flatten());
                reply.next(next.unwrap_or_else(|| self.look(opened)))
            }
            Work::Remove(_) => reply.next(self.look(opened)),
            Work::Credentials { .. } | Work::Delete(_) => reply,
        })
    }

    /// Returns a problem for each backend limit that the change exceeds. Called before the change is sent.
    fn too_much(&self, opened: &Opened<'_>) -> Vec<Field> {
        let profile = &opened.profile;
        match &self.work {
            Work::Save(keys) => profile.too_much(&keys.entries, self.target.known.as_ref()),
            Work::Credentials { credentials, .. } => {
                let too_long = profile.too_long("credentials", credentials.expose());
                too_long.into_iter().collect()
            }
            Work::Remove(_) | Work::Delete(_) => Vec::new(),
        }
    }

    /// Asks for confirmation. Deleting a set requires the user to type its name.
    fn confirm(&self, context: CommandContext<'_>, plan: String) -> Result<(), Failure> {
        if matches!(self.work, Work::Delete(_)) {
            return confirm_by_name(context.session, self.name.as_str(), "delete", plan);
        }
        // Without a terminal, a default would count as an answer.
        let adds_only = !self.target.exists && !matches!(self.work, Work::Remove(_));
        let default = context.session.interactive().then_some(adds_only);
        consent(context.session, "Make this change?", plan, default)
    }

    fn carry_out(&self, opened: &Opened<'_>) -> Result<(), Failure> {
        let (store, session) = (&opened.store, opened.session);
        let (name, region) = (self.name.clone(), self.target.new_region());
        let prior = self.target.prior();
        let seen = self.target.known.clone().map(Prior::Keys);
        let changed = match &self.work {
            Work::Save(keys) => {
                let put = PutParams {
                    name,
                    region,
                    entries: keys.entries.clone(),
                    prior,
                };
                store.put(&put, session).map(|()| true)
            }
            Work::Credentials { host, credentials } => {
                let put = PutImagePullSecretParams {
                    name,
                    region,
                    host: host.clone(),
                    credentials: credentials.clone(),
                    prior,
                };
                store.put_image_pull_secret(&put, session).map(|()| true)
            }
            Work::Remove(keys) => {
                let unset = UnsetParams {
                    name,
                    keys: keys.clone(),
                    prior: seen,
                };
                let missing = store.unset(&unset, session);
                missing.map(|missing| missing.len() < keys.len())
            }
            Work::Delete(_) => store.delete(&DeleteParams { name, prior: seen }, session),
        };
        match changed {
            Ok(true) => Ok(()),
            Ok(false) => {
                let message = format!("what was to be removed of `{}` is already gone", self.name);
                Err(failed("not_found", message).hint(opened.scope.command("secrets list")))
            }
            Err(error) => Err(self.failure(opened, error)),
        }
    }

    /// Returns the status of the changed set. If `wait` is set, polls until the set is ready.
    ///
    /// If the status can't be read, fails if `wait` is set; otherwise warns and returns `None`.
    fn settled(
        &self,
        context: CommandContext<'_>,
        opened: &Opened<'_>,
        wait: bool,
    ) -> Result<Option<SetStatus>, Failure> {
        let session = context.session;
        let (name, pace) = (&self.name, opened.scope.pace);
        let stopped = || {
            let failure = Failure::cancelled().message(format!("cancelled; `{name}` is changed"));
            failure.outcome(ChangeState::Done)
        };
        let (begun, mut pause) = (Instant::now(), pace.first_look);
        loop {
            let set = match self.look_again(opened) {
                Ok(Some(set)) => set,
                Ok(None) => return Err(self.contradicted(opened)),
                Err(error) if error.code == Code::Cancelled => return Err(stopped()),
                Err(error) => {
                    let failure = Failure::from(error);
                    let why = format!("its status is not known: {}", failure.message);
                    let message = format!("`{name}` is changed, but {why}");
                    if wait {
                        return Err(failure.message(message).outcome(ChangeState::Done));
                    }
                    session.warn(&message);
                    return Ok(None);
                }
            };
            self.check(opened, &set)?;
            if !wait || set.status == SetStatus::Ready {
                return Ok(Some(set.status));
            }
            if begun.elapsed() >= pace.ready {
                let patience = span(pace.ready.as_secs());
                let message = format!("`{name}` is changed but was not ready after {patience}");
                return Err(Failure::new(Exit::Unavailable, "not_ready", message)
                    .outcome(ChangeState::Done)
                    .hint(self.look(opened)));
            }
            session.progress("Waiting until it is ready", None, None);
            if wait_for(session, pause, None, || None::<()>) == Err(InVain::Cancelled) {
                return Err(stopped());
            }
            pause = (pause * 2).min(pace.longest_look);
        }
    }

    /// Reads the set again. Returns `None` if the change is not visible.
    fn look_again(&self, opened: &Opened<'_>) -> Result<Option<SetInfo>, Error> {
        let Work::Save(keys) = &self.work else {
            let mut sets = opened.list()?.into_iter();
            let name = self.name.as_str();
            return Ok(sets.find(|set| set.name == name && set.kind == SetKind::ImagePullSecret));
        };
        let found = opened.get(&self.name)?;
        Ok(found.filter(|set| {
            let mut keys = keys.entries.iter().map(|entry| entry.key.as_str());
            let known = set.keys.as_ref();
            known.is_some_and(|known| keys.all(|key| known.contains(key)))
        }))
    }

    /// Checks that the set is in the expected region and that provisioning has not failed.
    fn check(&self, opened: &Opened<'_>, set: &SetInfo) -> Result<(), Failure> {
        let (name, subject) = (&self.name, &opened.profile.subject);
        let (code, problem) = match (&self.target.region, &set.region) {
            (Some(wanted), Some(is)) if wanted.as_str() != is => {
                let where_it_is = format!("is in the region {}, not in {wanted}", theirs(is));
                ("region_differs", format!("says that it {where_it_is}"))
            }
            _ if set.status == SetStatus::Failed => {
                let why = set.error.as_deref();
                let why = why.map_or(String::new(), |why| format!(": {}", theirs(why)));
                let problem = format!("could not make it ready for agents{why}");
                ("provisioning_failed", problem)
            }
            _ => return Ok(()),
        };
        let message = format!("`{name}` is changed, but {subject} {problem}");
        let failure = failed(code, message).outcome(ChangeState::Done);
        Err(failure.hint(self.look(opened)))
    }

    /// Returns the command that shows the set.
    fn look(&self, opened: &Opened<'_>) -> String {
        let list = format!("secrets list {}", self.name);
        opened.scope.command(&list)
    }
}

/// Registers the values for redaction.
pub fn conceal(opened: &Opened<'_>, entries: &[Entry]) {
    let values: Vec<Secret> = entries.iter().map(|one| one.value.clone()).collect();
    opened.store.conceal(&values);
}

/// Registers the credentials for redaction. Fails if the backend can't store image pull secrets.
pub fn check_credentials(opened: &Opened<'_>, credentials: &[Secret]) -> Result<(), Failure> {
    if !opened.profile.can(&Ability::ImagePullSecrets) {
        let message = format!("{} keeps no image pull secrets", opened.profile.keeper);
        return Err(
            failed("not_supported", message).hint("choose another backend with `--backend`")
        );
    }
    opened.store.conceal(credentials);
    Ok(())
}
