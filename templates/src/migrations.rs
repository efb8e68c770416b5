//! The names that framework releases replaced, from the files in `migrations/`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::embedded::{self, MIGRATIONS};

/// A set of names that were replaced together.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Migration {
    /// The first release that has the new names and deprecates the old ones.
    pub from: String,
    /// The first release without the old names.
    pub to: String,
    /// The replacement for each old name. A name refers to a class, function, attribute, keyword, event or module. A module name also
    /// covers its submodules. An empty string means that there is no replacement.
    pub names: BTreeMap<String, String>,
    /// Additional advice, as a sentence without a full stop.
    pub note: Option<String>,
}

impl Migration {
    /// Returns all migrations, parsed once per process, in no particular order.
    pub fn all() -> &'static [Self] {
        static FOUND: LazyLock<Vec<Migration>> = LazyLock::new(|| embedded::values(MIGRATIONS));
        &FOUND
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn release(text: &str) -> Option<[u32; 3]> {
        let numbers: Result<Vec<u32>, _> = text.split('.').map(str::parse).collect();
        numbers.ok()?.try_into().ok()
    }

    fn is_name(text: &str) -> bool {
        text.split('.').all(|part| {
            part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
                && part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        })
    }

    #[test]
    fn every_migration_is_read_and_says_something() {
        let all = Migration::all();
        assert_eq!(all.len(), MIGRATIONS.len());
        assert!(!all.is_empty());
        let mut seen = BTreeSet::new();
        for migration in all {
            let (from, to) = (release(&migration.from), release(&migration.to));
            assert!(from.is_some() && from < to, "{migration:?}");
            assert!(!migration.names.is_empty(), "{migration:?}");
            for (old, new) in &migration.names {
                assert!(is_name(old) && (new.is_empty() || is_name(new)), "{old}");
                assert_ne!(old, new);
                assert!(!new.is_empty() || migration.note.is_some(), "{old}");
                assert!(seen.insert(old), "`{old}` is in two files");
            }
            let note = migration.note.as_deref().unwrap_or("x");
            assert!(!note.is_empty() && !note.ends_with('.'), "{note}");
        }
    }

    #[test]
    fn no_template_uses_an_old_name() {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let uses = |text: &str, name: &str| {
            text.match_indices(name).any(|(at, _)| {
                !text[..at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part)
            })
        };
        for (path, text) in crate::project_files() {
            for old in Migration::all().iter().flat_map(|it| it.names.keys()) {
                assert!(!uses(text, old), "{path} uses `{old}`");
            }
        }
    }
}
