//! Finds secrets backends.

use std::path::PathBuf;

use super::Discovery;
use super::inspect::{Plugin, Wanted, inspect};
use super::role::{self, Refused, judge};
use super::trust::Folders;
use crate::compat::{Fit, User};
use crate::protocol::{Manifest, Role};

/// The prefix of the name in a backend's manifest: `secrets-vault`.
pub const BACKEND_PREFIX: &str = "secrets-";

/// A secrets backend that was found.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct FoundBackend {
    /// The name: `vault` for `bot-cli-secrets-vault`.
    pub name: String,
    /// The file.
    pub file: PathBuf,
    /// The declaration, as far as it can be read.
    pub manifest: Option<Manifest>,
    /// Whether it is used.
    pub standing: BackendStanding,
}

/// Whether a secrets backend is used.
#[derive(Debug, Clone)]
pub enum BackendStanding {
    /// It is used by its name.
    Usable(Box<Plugin>, Fit),
    /// That file is used by this name.
    Shadowed(PathBuf),
    /// It is not used.
    Refused(Refused),
}

impl Discovery {
    /// The backends of this name in the order of search: the first that is not shadowed is the one that is used, or refused. None:
    /// there is none.
    #[must_use]
    pub fn backend(&self, name: &str, user: Option<&User>) -> Vec<FoundBackend> {
        let Ok(full) = role::full_name(name, BACKEND_PREFIX) else {
            return Vec::new();
        };
        let files = self.folders.iter().map(|folder| folder.join(full.file()));
        // A dangling link is there, too, and is worth a reason.
        let files = files.filter(|file| std::fs::symlink_metadata(file).is_ok());
        self.standings(name, files.collect(), user, &[], &Folders::default())
    }

    /// Every secrets backend, by name and then in the order of search. `built_in` are names that nobody else can have.
    #[must_use]
    pub fn backends(&self, user: Option<&User>, built_in: &[&str]) -> Vec<FoundBackend> {
        let folders = Folders::default();
        self.named(BACKEND_PREFIX)
            .into_iter()
            .flat_map(|(name, files)| self.standings(&name, files, user, built_in, &folders))
            .collect()
    }

    fn standings(
        &self,
        name: &str,
        files: Vec<PathBuf>,
        user: Option<&User>,
        built_in: &[&str],
        folders: &Folders,
    ) -> Vec<FoundBackend> {
        let mut winner: Option<PathBuf> = None;
        let mut found = Vec::new();
        for file in files {
            let inspected = role::full_name(name, BACKEND_PREFIX).and_then(|full| {
                let inspected = inspect(&full, &file, Wanted::Whole, self, folders);
                inspected.map_err(|unusable| Refused::unusable(&unusable, &file))
            });
            let (manifest, standing) = match (inspected, &winner) {
                (Err(refused), _) => (None, BackendStanding::Refused(refused)),
                (Ok(plugin), Some(winner)) => {
                    (plugin.manifest, BackendStanding::Shadowed(winner.clone()))
                }
                (Ok(plugin), None) => {
                    winner = Some(file.clone());
                    let standing = if built_in.contains(&name) {
                        let reason = format!("`{name}` is the name of a backend that is built in");
                        let mend = Some("give it another name".to_owned());
                        BackendStanding::Refused(Refused::new(reason, mend))
                    } else {
                        match judge(&plugin, &Role::SecretsBackend, user) {
                            Ok((_, fit)) => BackendStanding::Usable(Box::new(plugin.clone()), fit),
                            Err(refused) => BackendStanding::Refused(refused),
                        }
                    };
                    (plugin.manifest, standing)
                }
            };
            found.push(FoundBackend {
                name: name.to_owned(),
                file,
                manifest,
                standing,
            });
        }
        found
    }
}
