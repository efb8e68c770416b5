//! The sentences about a change, for people, and its document, for programs.

use bot_cli_protocol::wording::count;
use serde_json::{Value, json};

use super::{Change, Keys, Work};
use crate::backend::Ability;
use crate::command::open::Opened;
use crate::domain::{Entry, Key, Region, Status, kind_words};
use crate::text::theirs;

/// A reminder after a change.
const OLD_VALUES: &str =
    "Agents that are running keep the old values until they are deployed again\n";

/// The sentences about a change.
pub struct Wording {
    /// Every key with its size, and where.
    pub plan: String,
    pub question: String,
    /// The report, without the place and the status.
    pub done: String,
}

impl Change {
    /// Returns the plan, as it is shown before a change.
    pub fn plan(&self, opened: &Opened<'_>) -> String {
        self.wording(opened).plan
    }

    pub(super) fn wording(&self, opened: &Opened<'_>) -> Wording {
        let (name, place) = (&self.name, self.place(opened));
        let is_there = self.target.exists;
        let verb = if is_there { "Update" } else { "Create" };
        match &self.work {
            Work::Save(keys) => {
                let number = count(keys.entries.len(), "key");
                let (created, overwritten) = self.created_and_overwritten(keys);
                let (created, overwritten) = (created.len(), overwritten.len());
                let (question, removed) = match keys.gone().len() {
                    0 => (String::new(), String::new()),
                    gone => (
                        format!(" and remove {}", count(gone, "key")),
                        format!(", {gone} removed"),
                    ),
                };
                let lines = self.lines(keys);
                Wording {
                    plan: format!("{verb} the secret set `{name}` in {place}\n{lines}"),
                    question: format!("Save {number} in `{name}`{question}?"),
                    done: format!(
                        "Saved {number} in `{name}`: {created} created, {overwritten} overwritten{removed}"
                    ),
                }
            }
            Work::Credentials { host, .. } => {
                let set = format!("the image pull secret `{name}` for {host}");
                Wording {
                    plan: format!("{verb} {set} in {place}\n"),
                    question: if is_there {
                        format!("Replace the credentials of `{name}`?")
                    } else {
                        format!("Save the credentials in `{name}`?")
                    },
                    done: format!("{verb}d {set}"),
                }
            }
            Work::Remove(keys) => {
                let line = |key: &Key| format!("  - remove  {}\n", theirs(key.as_str()));
                let lines: String = keys.iter().map(line).collect();
                let number = count(keys.len(), "key");
                let what = match keys.as_slice() {
                    [key] => format!("`{}`", theirs(key.as_str())),
                    _ => number.clone(),
                };
                Wording {
                    plan: format!(
                        "Remove {number} from the secret set `{name}` in {place}\n{lines}"
                    ),
                    question: format!("Remove {what} from `{name}`?"),
                    done: format!("Removed {what} from `{name}`"),
                }
            }
            Work::Delete(kind) => {
                let (kind, known) = (kind_words(*kind), self.target.known.as_ref());
                let keys = known.map(|keys| format!(" with {}", count(keys.len(), "key")));
                let keys = keys.unwrap_or_default();
                Wording {
                    plan: format!(
                        "Delete the {kind} `{name}`{keys} in {place}\nThis can't be undone; agents that use it can't be deployed any more\n"
                    ),
                    question: format!("Type `{name}` to delete it:"),
                    done: format!("Deleted the {kind} `{name}`"),
                }
            }
        }
    }

    /// Returns the report on a change that is done.
    pub(super) fn done(&self, opened: &Opened<'_>, done: &str, status: Option<Status>) -> String {
        let place = self.place(opened);
        let is_old = self.target.exists && opened.profile().can(Ability::Agents);
        let old_values = if is_old { OLD_VALUES } else { "" };
        let status = status.map_or("status unknown", Status::name);
        match &self.work {
            Work::Save(keys) => {
                let skipped = left_out(&keys.skipped);
                format!("{done} ({place}; {status})\n{skipped}{old_values}")
            }
            Work::Credentials { .. } => format!("{done} ({place}; {status})\n"),
            Work::Remove(_) => format!("{done} ({place})\n{old_values}"),
            Work::Delete(_) => format!("{done} ({place})\n"),
        }
    }

    /// Returns the document of the change.
    pub fn data(&self, opened: &Opened<'_>, status: Option<Status>, dry_run: bool) -> Value {
        let name = self.name.as_str();
        let region = self.target.region.as_ref().map(Region::as_str);
        let mut data = match &self.work {
            Work::Save(keys) => {
                let (created, overwritten) = self.created_and_overwritten(keys);
                json!({
                    "name": name,
                    "region": region,
                    "created": created,
                    "overwritten": overwritten,
                    "removed": list(keys.gone()),
                    "skipped": list(&keys.skipped),
                    "missing": list(&keys.missing),
                })
            }
            Work::Credentials { host, .. } => json!({
                "name": name,
                "host": host.as_str(),
                "region": region,
                "created": !self.target.exists,
            }),
            Work::Remove(keys) => {
                json!({ "name": name, "key": list(keys).get(0), "keys": list(keys) })
            }
            Work::Delete(kind) => json!({ "name": name, "type": kind.name() }),
        };
        if matches!(self.work, Work::Save(_) | Work::Credentials { .. }) {
            data["status"] = json!(status.map(Status::name));
            data["dry_run"] = json!(dry_run);
        }
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

    /// Returns a line for each key.
    fn lines(&self, keys: &Keys) -> String {
        let stored = keys.entries.iter().map(|entry| &entry.key);
        let lengths = stored.chain(keys.gone()).map(|key| key.as_str().len());
        let width = lengths.max().unwrap_or(0);
        let saved = keys.entries.iter().map(|Entry { key, value }| {
            let is_there = self.target.has(key.as_str());
            let change = if is_there { "~ overwrite" } else { "+ create" };
            let size = size(value.expose());
            format!("  {change:<11}  {:<width$}  {size}\n", key.as_str())
        });
        let gone = keys.gone().iter();
        let gone = gone.map(|key| format!("  {:<11}  {}\n", "- remove", theirs(key.as_str())));
        let mut lines: String = saved.chain(gone).collect();
        lines += &left_out(&keys.skipped);
        if !keys.missing.is_empty() {
            lines.extend(["Still missing: ", &names(&keys.missing), "\n"]);
        }
        lines
    }
}

fn left_out(skipped: &[Key]) -> String {
    if skipped.is_empty() {
        return String::new();
    }
    format!("Left out, without a value: {}\n", names(skipped))
}

/// Joins the names of keys as a list in a sentence.
pub fn names(keys: &[Key]) -> String {
    let names: Vec<&str> = keys.iter().map(Key::as_str).collect();
    names.join(", ")
}

/// Returns "16 characters", "1704 characters in 28 lines".
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
