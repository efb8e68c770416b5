//! Finds secrets backends.

use std::path::PathBuf;

use super::Discovery;
use super::inspect::{Plugin, inspect};
use super::role::{self, Refused, judge};
use crate::compat::{Fit, User};
use bot_cli_protocol::{Manifest, Role};

/// The prefix of the name in a backend's manifest: `secrets-vault`.
pub const BACKEND_PREFIX: &str = "secrets-";

/// A secrets backend that was found.
#[derive(Debug, Clone)]
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
    pub fn backend(&self, name: &str, user: Option<&User>) -> Vec<FoundBackend> {
        let Ok(full) = role::full_name(name, BACKEND_PREFIX) else {
            return Vec::new();
        };
        let file = full.file();
        let files = self.folders.iter();
        let files = files.flat_map(|folder| self.endings.files(folder, &file));
        // A dangling link is there, too, and is worth a reason.
        let files = files.filter(|file| std::fs::symlink_metadata(file).is_ok());
        self.standings(name, files.collect(), user, &[])
    }

    /// Every secrets backend, by name and then in the order of search. `built_in` are names that no plugin can have.
    pub fn backends(&self, user: Option<&User>, built_in: &[&str]) -> Vec<FoundBackend> {
        self.named(BACKEND_PREFIX)
            .into_iter()
            .flat_map(|(name, files)| self.standings(&name, files, user, built_in))
            .collect()
    }

    fn standings(
        &self,
        name: &str,
        files: Vec<PathBuf>,
        user: Option<&User>,
        built_in: &[&str],
    ) -> Vec<FoundBackend> {
        let mut winner: Option<PathBuf> = None;
        let mut found = Vec::new();
        for file in files {
            let inspected = role::full_name(name, BACKEND_PREFIX).and_then(|full| {
                let inspected = inspect(&full, &file, self);
                inspected.map_err(|unusable| Refused::unusable(&unusable, &file))
            });
            let manifest = inspected.as_ref().ok().and_then(|it| it.manifest.clone());
            let standing = match (inspected, &winner) {
                (Err(refused), _) => BackendStanding::Refused(refused),
                (Ok(_), Some(winner)) => BackendStanding::Shadowed(winner.clone()),
                (Ok(_), None) if built_in.contains(&name) => {
                    winner = Some(file.clone());
                    let reason = format!("`{name}` is the name of a backend that is built in");
                    let refused = Refused::with_remedy(reason, "give it another name");
                    BackendStanding::Refused(refused)
                }
                (Ok(plugin), None) => {
                    winner = Some(file.clone());
                    match judge(&plugin, &Role::SecretsBackend, user) {
                        Ok((_, fit)) => BackendStanding::Usable(Box::new(plugin), fit),
                        Err(refused) => BackendStanding::Refused(refused),
                    }
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
