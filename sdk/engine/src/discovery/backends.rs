use std::path::PathBuf;

use super::Discovery;
use super::inspect::{Plugin, inspect};
use super::name::BACKEND_PREFIX;
use super::role::{self, Refused, judge};
use crate::compat::{Fit, User};
use crate::platform::folders::program_files;
use bot_cli_protocol::{Manifest, Role};

/// A secrets backend and its status.
#[derive(Debug, Clone)]
pub struct FoundBackend {
    /// The short name, such as `vault` for `bot-cli-secrets-vault`.
    pub name: String,
    /// The backend's file.
    pub file: PathBuf,
    /// The manifest, if the file has a valid one.
    pub manifest: Option<Manifest>,
    /// The status of the backend.
    pub standing: BackendStanding,
}

/// The status of a secrets backend.
#[derive(Debug, Clone)]
pub enum BackendStanding {
    /// The backend is used.
    Usable(Box<Plugin>, Fit),
    /// Another file with the same name is used instead.
    Shadowed(PathBuf),
    /// The backend is not used, for this reason.
    Refused(Refused),
}

impl Discovery {
    /// Returns the backends with this name, in search order. At most one of them is usable.
    pub fn backend(&self, name: &str, user: Option<&User>) -> Vec<FoundBackend> {
        let Ok(full) = role::full_name(name, BACKEND_PREFIX) else {
            return Vec::new();
        };
        let file = full.file();
        let files = self.folders.iter();
        let files = files.flat_map(|folder| program_files(folder, &file));
        // A dangling link is kept, because the user needs the reason why it is not used.
        let files = files.filter(|file| std::fs::symlink_metadata(file).is_ok());
        self.standings(name, files.collect(), user, &[])
    }

    /// Returns every secrets backend, sorted by name and then by search order. Refuses plugins whose name is in `built_in`.
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
            let inspected = role::full_name(name, BACKEND_PREFIX);
            let inspected = inspected.and_then(|full| inspect(&full, &file, self));
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
