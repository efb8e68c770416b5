//! Finds secrets backends.

use std::path::PathBuf;

use super::Search;
use super::found::{Found, Standing};
use super::inspect::Plugin;
use super::listing::existing_files;
use super::name::BACKEND_PREFIX;
use super::role::{self, Refused, judge};
use crate::compat::User;
use bot_cli_protocol::Role;

impl Search<'_> {
    /// Returns the backends with this name, in search order. At most one of them is usable.
    pub fn backend(&self, name: &str, user: Option<&User>) -> Vec<Found<Plugin>> {
        let Ok(full) = role::full_name(name, BACKEND_PREFIX) else {
            return Vec::new();
        };
        let file = full.file();
        let files = self.discovery.folders.iter();
        let files = files.flat_map(|folder| existing_files(folder, &file));
        self.standings(name, files.collect(), user, &[])
    }

    /// Returns every secrets backend, sorted by name and then by search order. Refuses plugins whose name is in `built_in`.
    pub fn backends(&self, user: Option<&User>, built_in: &[&str]) -> Vec<Found<Plugin>> {
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
    ) -> Vec<Found<Plugin>> {
        let mut winner: Option<PathBuf> = None;
        let mut found = Vec::new();
        for file in files {
            let inspected = role::full_name(name, BACKEND_PREFIX);
            let inspected = inspected.and_then(|full| self.inspect(&full, &file));
            let standing = match (inspected, &winner) {
                (Err(refused), _) => Standing::Refused(refused),
                (Ok(_), Some(winner)) => Standing::shadowed_by(winner),
                (Ok(plugin), None) => {
                    winner = Some(file.clone());
                    let judged = if built_in.contains(&name) {
                        let reason = format!("`{name}` is the name of a backend that is built in");
                        Err(Refused::with_remedy(reason, "give it another name"))
                    } else {
                        judge(&plugin, &Role::SecretsBackend, user).map(drop)
                    };
                    judged.map_or_else(Standing::Refused, |()| Standing::Used(plugin))
                }
            };
            found.push(Found {
                name: name.to_owned(),
                place: file,
                standing,
            });
        }
        found
    }
}
