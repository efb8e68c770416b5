//! A look at everything that a vault claims.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::home::{Home, Locked};
use super::{VaultError, contents::CREDENTIALS};
use crate::domain::{Key, Region, SetKind};
use crate::files::exists;
use crate::secret_file::Storage;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// The file with the sets.
    pub path: PathBuf,
    /// The format of that file: 1 or 2.
    pub format: u32,
    /// The number of writes; 0 if the format does not count them.
    pub generation: u64,
    pub key: Storage,
    pub organizations: usize,
    pub secret_sets: usize,
    pub image_pull_secrets: usize,
    pub values: usize,
    /// The places and the problems.
    pub problems: Vec<(String, String)>,
    /// Files of interrupted changes, which the next change removes.
    pub leftovers: Vec<PathBuf>,
}

impl Home<'_> {
    /// Opens every value; `None` when there is no vault.
    pub fn verify(&self) -> Result<Option<Verified>, VaultError> {
        let Some(open) = self.open_unverified(Locked::No)? else {
            return Ok(None);
        };
        let mut problems = Vec::new();
        if !open.is_authentic {
            let problem = "it was changed without the vault's key";
            problems.push((open.path.display().to_string(), problem.to_owned()));
        }
        let mut values = 0;
        for (place, set) in &open.book.sets {
            let (organization, name) = place;
            if Region::parse(&set.region).is_err() {
                let what = format!("{organization}/{name}");
                problems.push((what, "its region is not valid".to_owned()));
            }
            for (key, sealed) in &set.values {
                let what = match set.kind {
                    SetKind::Secret => format!("{organization}/{name}/{key}"),
                    SetKind::ImagePullSecret | SetKind::Unknown => format!("{organization}/{name}"),
                };
                if key != CREDENTIALS && Key::parse(key).is_err() {
                    problems.push((what, "its name is not valid".to_owned()));
                } else if open.value(place, key, sealed).is_err() {
                    problems.push((what, "its value can't be opened".to_owned()));
                } else {
                    values += 1;
                }
            }
        }
        let sets = open.book.sets.values();
        let secret_sets = sets
            .clone()
            .filter(|set| set.kind == SetKind::Secret)
            .count();
        let organizations: BTreeSet<_> = open.book.sets.keys().map(|(name, _)| name).collect();
        Ok(Some(Verified {
            format: if open.is_legacy { 1 } else { 2 },
            generation: open.book.generation,
            key: self.key_file().place(),
            organizations: organizations.len(),
            secret_sets,
            image_pull_secrets: sets.len() - secret_sets,
            values,
            problems,
            leftovers: self.leftovers(open.is_legacy)?,
            path: open.path,
        }))
    }

    fn leftovers(&self, is_legacy: bool) -> Result<Vec<PathBuf>, VaultError> {
        let mut found = Vec::new();
        let legacy = (!is_legacy).then(|| self.legacy());
        let next = self.next_key_file().path().to_owned();
        for path in legacy.into_iter().chain([next]) {
            if exists(&path)? {
                found.push(path);
            }
        }
        Ok(found)
    }
}
