//! The sentences about a change: its plan, its report and its failures.

use bot_cli_protocol::failure::{ChangeState, Exit, Failure};
use bot_cli_protocol::wording::count;
use bot_cli_secrets::{ChangeError, Effect, Parts};
use serde_json::{Value, json};

use super::{Change, Keys, Work};
use crate::command::open::Opened;
use crate::domain::{Entry, Key, Region, SetName, SetStatus, kind_words};
use crate::text::theirs;
use crate::words::unknown;

const OLD_VALUES: &str =
    "Agents that are running keep the old values until they are deployed again\n";

impl Change {
    /// Returns the plan, which lists every key with the size of its value, and the first line of the report.
    pub(super) fn plan_and_report(&self, opened: &Opened<'_>) -> (String, String) {
        let (name, place) = (&self.name, self.place(opened));
        let verb = if self.target.exists {
            "Update"
        } else {
            "Create"
        };
        match &self.work {
            Work::Save(keys) => {
                let lines = self.lines(keys) + &remarks(keys);
                let (created, overwritten) = self.created_and_overwritten(keys);
                let (created, overwritten) = (created.len(), overwritten.len());
                let number = count(keys.entries.len(), "key");
                let done = format!(
                    "Saved {number} in `{name}`: {created} created, {overwritten} overwritten"
                );
                let plan = format!("{verb} the secret set `{name}` in {place}\n{lines}");
                (plan, done)
            }
            Work::Credentials { host, .. } => {
                let set = format!("the image pull secret `{name}` for {host}");
                (
                    format!("{verb} {set} in {place}\n"),
                    format!("{verb}d {set}"),
                )
            }
            Work::Remove(keys) => {
                let lines = keys.iter();
                let lines = lines.map(|key| format!("  - remove     {}\n", theirs(key.as_str())));
                let lines: String = lines.collect();
                let number = count(keys.len(), "key");
                let set = format!("from the secret set `{name}`");
                let plan = format!("Remove {number} {set} in {place}\n{lines}");
                (plan, format!("Removed {} from `{name}`", names(keys)))
            }
            Work::Delete(kind) => {
                let set = format!("the {} `{name}`", kind_words(*kind));
                let keys = self.target.known.as_ref();
                let keys = keys.map(|keys| format!(" with {}", count(keys.len(), "key")));
                let plan = format!(
                    "Delete {set}{} in {place}\nThis can't be undone; agents that use it can't be deployed any more\n",
                    keys.unwrap_or_default()
                );
                (plan, format!("Deleted {set}"))
            }
        }
    }

    pub(super) fn done(
        &self,
        opened: &Opened<'_>,
        done: &str,
        status: Option<SetStatus>,
    ) -> String {
        let place = self.place(opened);
        let status = status.map_or(String::new(), |status| format!("; {}", status.name()));
        let mut text = format!("{done} ({place}{status})\n");
        if let Work::Save(keys) = &self.work {
            text += &remarks(keys);
        }
        let changes_values = matches!(self.work, Work::Save(_) | Work::Remove(_));
        if changes_values && self.target.exists && opened.profile.has_agents() {
            text += OLD_VALUES;
        }
        text
    }

    pub fn data(&self, opened: &Opened<'_>, status: Option<SetStatus>, dry_run: bool) -> Value {
        let name = self.name.as_str();
        let region = self.target.region.as_ref().map(Region::as_str);
        let status = status.map(SetStatus::name);
        let mut data = match &self.work {
            Work::Save(keys) => {
                let (created, overwritten) = self.created_and_overwritten(keys);
                json!({
                    "name": name,
                    "region": region,
                    "created": created,
                    "overwritten": overwritten,
                    "skipped": list(&keys.skipped),
                    "missing": list(&keys.missing),
                    "status": status,
                    "dry_run": dry_run,
                })
            }
            Work::Credentials { host, .. } => json!({
                "name": name,
                "host": host,
                "region": region,
                "created": !self.target.exists,
                "status": status,
                "dry_run": dry_run,
            }),
            Work::Remove(keys) => json!({ "name": name, "keys": list(keys) }),
            Work::Delete(kind) => json!({ "name": name, "type": kind.name() }),
        };
        data["scope"] = opened.scope.json();
        data
    }

    fn place(&self, opened: &Opened<'_>) -> String {
        opened.whereabouts(self.target.region.as_ref().map(Region::as_str))
    }

    fn created_and_overwritten<'k>(&self, keys: &'k Keys) -> (Vec<&'k str>, Vec<&'k str>) {
        let keys = keys.entries.iter().map(|entry| entry.key.as_str());
        keys.partition(|key| !self.target.has(key))
    }

    fn lines(&self, keys: &Keys) -> String {
        let lengths = keys.entries.iter().map(|entry| entry.key.as_str().len());
        let width = lengths.max().unwrap_or(0);
        let lines = keys.entries.iter().map(|Entry { key, value }| {
            let is_there = self.target.has(key.as_str());
            let change = if is_there { "~ overwrite" } else { "+ create" };
            let size = size(value.expose());
            format!("  {change:<11}  {:<width$}  {size}\n", key.as_str())
        });
        lines.collect()
    }
}

/// Returns up to two lines that list the skipped keys and the missing template keys.
fn remarks(keys: &Keys) -> String {
    let remarks = [
        ("Left out, without a value: ", &keys.skipped),
        ("Still missing: ", &keys.missing),
    ];
    let remarks = remarks.into_iter().filter(|(_, keys)| !keys.is_empty());
    let lines = remarks.map(|(remark, keys)| format!("{remark}{}\n", names(keys)));
    lines.collect()
}

fn names(keys: &[Key]) -> String {
    let names = keys.iter().map(|key| format!("`{}`", theirs(key.as_str())));
    names.collect::<Vec<_>>().join(", ")
}

/// Formats the size of a value, such as "16 characters" or "1704 characters in 28 lines".
fn size(value: &str) -> String {
    let characters = count(value.chars().count(), "character");
    match value.lines().count() {
        0 | 1 => characters,
        lines => format!("{characters} in {lines} lines"),
    }
}

fn list(keys: &[Key]) -> Value {
    keys.iter().map(|key| theirs(key.as_str())).collect()
}

impl Change {
    pub(super) fn failure(&self, opened: &Opened<'_>, error: ChangeError) -> Failure {
        let (past, look) = match self.work {
            Work::Save(_) | Work::Credentials { .. } | Work::Remove(_) => {
                ("changed", self.look(opened))
            }
            Work::Delete(_) => ("deleted", opened.scope.command("secrets list")),
        };
        failure(past, &self.name, error, &look)
    }

    /// Returns the failure for a change that was confirmed but is not visible in the set.
    pub(super) fn contradicted(&self, opened: &Opened<'_>) -> Failure {
        let (name, look) = (&self.name, self.look(opened));
        let message = format!(
            "the change of `{name}` was confirmed, but a look right after does not show it"
        );
        let hint =
            format!("`{look}` shows what is there now; someone else may be changing it, too");
        Failure::new(Exit::Unknown, "contradicted", message)
            .outcome(ChangeState::Unknown)
            .hint(hint)
    }
}

/// Returns the failure for a change. `past` is "changed" or "deleted"; `look` is the command that shows the current state.
fn failure(past: &str, name: &SetName, error: ChangeError, look: &str) -> Failure {
    let mut cause = Failure::from(error.cause);
    let is_told = cause.outcome.is_some();
    match error.effect {
        Effect::Done => {
            if !is_told {
                cause.message = format!("{}; all the same, `{name}` was {past}", cause.message);
            }
            cause.outcome(ChangeState::Done)
        }
        Effect::NotDone if is_told => cause.outcome(ChangeState::NotDone),
        Effect::NotDone => {
            let failure = cause.hint(format!("`{name}` was not {past}"));
            failure.outcome(ChangeState::NotDone)
        }
        Effect::Unknown => unknown(cause, &format!("`{name}` was {past}"), look),
        Effect::Partly(parts) => partly(cause, name, &parts, look),
    }
}

fn partly(mut failure: Failure, name: &SetName, parts: &Parts, look: &str) -> Failure {
    let states = [
        (&parts.done, "applied"),
        (&parts.unknown, "unknown"),
        (&parts.not_done, "not applied"),
    ];
    let done = parts.done.len();
    if done > 0 {
        let all = count(states.iter().map(|(keys, _)| keys.len()).sum(), "key");
        let failed = &failure.message;
        failure.message = format!("changed {done} of {all} in `{name}`, then failed: {failed}");
        "partly_applied".clone_into(&mut failure.code);
    }
    for (keys, state) in states {
        for key in keys {
            failure = failure.field(key.as_str(), None, state);
        }
    }
    match parts.unknown.as_slice() {
        [] => failure.outcome(ChangeState::PartlyDone),
        [key] => unknown(failure, &format!("`{key}` was changed"), look),
        several => {
            let several = count(several.len(), "key");
            unknown(failure, &format!("{several} were changed"), look)
        }
    }
}

#[cfg(test)]
mod tests {
    use bot_cli_protocol::failure::{ChangeState, Failure};
    use bot_cli_secrets::{Effect, Error};

    use super::failure;
    use crate::domain::SetName;

    /// A bare "cancelled" message would imply that nothing changed.
    #[test]
    fn what_is_done_is_said_to_be_done() {
        let error = Error::from(Failure::cancelled()).with_effect(Effect::Done);
        let name = SetName::parse("prod").unwrap();
        let failure = failure("changed", &name, error, "look");
        assert_eq!(failure.outcome, Some(ChangeState::Done));
        assert_eq!(
            failure.message,
            "cancelled; all the same, `prod` was changed"
        );
    }
}
