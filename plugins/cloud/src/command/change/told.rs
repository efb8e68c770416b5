//! What is said of a change, before it is made and afterwards.

use bot_cli_protocol::wording::count;
use serde_json::{Value, json};

use super::{Change, Keys, Work};
use crate::backend::Ability;
use crate::command::open::Opened;
use crate::domain::{Entry, Key, Region, Status, kind_words};
use crate::text::theirs;

/// What agents do after a change.
const OLD_VALUES: &str =
    "Agents that are running keep the old values until they are deployed again\n";

impl Change {
    /// For people: where, and every key with its size.
    pub fn plan(&self, opened: &Opened<'_>) -> String {
        let (name, place) = (&self.name, self.place(opened));
        let verb = if self.target.exists {
            "Update"
        } else {
            "Create"
        };
        match &self.work {
            Work::Save(keys) => {
                let lines = self.lines(keys);
                format!("{verb} the secret set `{name}` in {place}\n{lines}")
            }
            Work::Credentials { host, .. } => {
                format!("{verb} the image pull secret `{name}` for {host} in {place}\n")
            }
            Work::Remove(keys) => {
                let line = |key: &Key| format!("  - remove  {}\n", theirs(key.as_str()));
                let lines: String = keys.iter().map(line).collect();
                let number = count(keys.len(), "key");
                format!("Remove {number} from the secret set `{name}` in {place}\n{lines}")
            }
            Work::Delete(kind) => {
                let known = self.target.known.as_ref();
                let keys = known.map(|keys| format!(" with {}", count(keys.len(), "key")));
                let (kind, keys) = (kind_words(*kind), keys.unwrap_or_default());
                format!(
                    "Delete the {kind} `{name}`{keys} in {place}\nThis can't be undone; agents that use it can't be deployed any more\n"
                )
            }
        }
    }

    /// Asks for consent to it.
    pub fn question(&self) -> String {
        let name = &self.name;
        match &self.work {
            Work::Save(keys) => {
                let save = format!("Save {} in `{name}`", count(keys.entries.len(), "key"));
                match keys.gone().len() {
                    0 => format!("{save}?"),
                    removed => format!("{save} and remove {}?", count(removed, "key")),
                }
            }
            Work::Credentials { .. } if self.target.exists => {
                format!("Replace the credentials of `{name}`?")
            }
            Work::Credentials { .. } => format!("Save the credentials in `{name}`?"),
            Work::Remove(keys) => format!("Remove {} from `{name}`?", what(keys)),
            Work::Delete(_) => format!("Type `{name}` to delete it:"),
        }
    }

    /// Says what is under way.
    pub fn progress(&self) -> String {
        match &self.work {
            Work::Save(keys) => {
                let save = format!("Saving {}", count(keys.entries.len(), "key"));
                match keys.gone().len() {
                    0 => save,
                    gone => format!("{save}, removing {gone}"),
                }
            }
            Work::Credentials { .. } => "Saving the credentials".to_owned(),
            Work::Remove(keys) => format!("Removing {}", what(keys)),
            Work::Delete(_) => format!("Deleting `{}`", self.name),
        }
    }

    /// Says what was done, for people.
    pub fn done(&self, opened: &Opened<'_>, status: Option<Status>) -> String {
        let (name, place) = (&self.name, self.place(opened));
        let status = status.map_or("status unknown", Status::name);
        let is_old = self.target.exists && opened.profile().can(Ability::Agents);
        let old_values = if is_old { OLD_VALUES } else { "" };
        match &self.work {
            Work::Save(keys) => {
                let (created, overwritten) = self.created_and_overwritten(keys);
                let (created, overwritten) = (created.len(), overwritten.len());
                let removed = match keys.gone().len() {
                    0 => String::new(),
                    removed => format!(", {removed} removed"),
                };
                let (saved, skipped) = (count(keys.entries.len(), "key"), left_out(&keys.skipped));
                format!(
                    "Saved {saved} in `{name}`: {created} created, {overwritten} overwritten{removed} ({place}; {status})\n{skipped}{old_values}"
                )
            }
            Work::Credentials { host, .. } => {
                let verb = if self.target.exists {
                    "Updated"
                } else {
                    "Created"
                };
                format!("{verb} the image pull secret `{name}` for {host} ({place}; {status})\n")
            }
            Work::Remove(keys) => {
                format!(
                    "Removed {} from `{name}` ({place})\n{old_values}",
                    what(keys)
                )
            }
            Work::Delete(kind) => format!("Deleted the {} `{name}` ({place})\n", kind_words(*kind)),
        }
    }

    /// Says it for programs.
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

    /// Keys that are new, and keys that are there.
    fn created_and_overwritten<'k>(&self, keys: &'k Keys) -> (Vec<&'k str>, Vec<&'k str>) {
        let keys = keys.entries.iter().map(|entry| entry.key.as_str());
        keys.partition(|key| !self.target.has(key))
    }

    /// A line for each key.
    fn lines(&self, keys: &Keys) -> String {
        let stored = keys.entries.iter().map(|entry| &entry.key);
        let width = stored
            .chain(keys.gone())
            .map(|key| key.as_str().len())
            .max();
        let width = width.unwrap_or(0);
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

/// "`A`", "2 keys".
pub fn what(keys: &[Key]) -> String {
    match keys {
        [key] => format!("`{}`", theirs(key.as_str())),
        several => count(several.len(), "key"),
    }
}

/// Joins the names of keys as a list in a sentence.
pub fn names(keys: &[Key]) -> String {
    let names: Vec<&str> = keys.iter().map(Key::as_str).collect();
    names.join(", ")
}

/// "16 characters", "1704 characters in 28 lines".
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
