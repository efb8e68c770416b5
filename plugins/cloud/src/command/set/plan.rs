//! The plan of `set` or `copy`, before the user confirms it.

use crate::command::open::Opened;
use crate::command::target::Target;
use crate::domain::{Entry, Key, Region, SetName};
use crate::text::theirs;
use bot_cli_protocol::wording::count;

/// A set as it will be.
pub struct Plan {
    pub name: SetName,
    /// The existing set.
    pub target: Target,
    /// The entries to store.
    pub entries: Vec<Entry>,
    /// The keys that go where the set is to have no others than those of the entries.
    pub removed: Option<Vec<Key>>,
    /// The keys that are left out because they have no value.
    pub skipped: Vec<Key>,
    /// The keys of a template that still have no value.
    pub missing: Vec<Key>,
}

impl Plan {
    /// The keys that go.
    pub fn gone(&self) -> &[Key] {
        self.removed.as_deref().unwrap_or_default()
    }

    /// Keys that are new, and keys that are there.
    pub fn changes(&self) -> (Vec<String>, Vec<String>) {
        let (overwritten, created): (Vec<_>, Vec<_>) = self
            .entries
            .iter()
            .partition(|entry| self.overwrites(entry));
        let names =
            |entries: Vec<&Entry>| entries.iter().map(|entry| entry.key.to_string()).collect();
        (names(created), names(overwritten))
    }

    /// For people: where, and every key with its size.
    pub fn words(&self, opened: &Opened<'_>) -> String {
        let verb = if self.target.exists {
            "Update"
        } else {
            "Create"
        };
        let mut lines = vec![format!(
            "{verb} the secret set `{}` in {}\n",
            self.name,
            opened.whereabouts(self.target.region.as_ref().map(Region::as_str))
        )];
        let width = self
            .entries
            .iter()
            .map(|entry| &entry.key)
            .chain(self.gone())
            .map(|key| key.as_str().len())
            .max()
            .unwrap_or(0);
        for entry in &self.entries {
            let change = if self.overwrites(entry) {
                "~ overwrite"
            } else {
                "+ create"
            };
            let size = size(entry.value.expose());
            lines.push(format!(
                "  {change:<11}  {:<width$}  {size}\n",
                entry.key.as_str()
            ));
        }
        for key in self.gone() {
            lines.push(format!("  {:<11}  {}\n", "- remove", theirs(key.as_str())));
        }
        if !self.skipped.is_empty() {
            lines.push(format!(
                "Left out, without a value: {}\n",
                names(&self.skipped)
            ));
        }
        if !self.missing.is_empty() {
            lines.push(format!("Still missing: {}\n", names(&self.missing)));
        }
        lines.concat()
    }

    /// Asks for consent to it.
    pub fn question(&self) -> String {
        let keys = count(self.entries.len(), "key");
        match self.gone().len() {
            0 => format!("Save {keys} in `{}`?", self.name),
            removed => format!(
                "Save {keys} in `{}` and remove {}?",
                self.name,
                count(removed, "key")
            ),
        }
    }

    fn overwrites(&self, entry: &Entry) -> bool {
        self.target
            .known
            .iter()
            .any(|key| key == entry.key.as_str())
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
