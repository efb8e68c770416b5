//! Finds provider packs in executables and folders, and reads their services.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::pack::{self, Contents, Folder, SCHEMA, Taken};
use bot_cli_engine::compat::{Fit, User};
use bot_cli_engine::discovery::added::{self, Entry};
use bot_cli_engine::discovery::role::{Refused, fits, full_name, judge};
use bot_cli_engine::discovery::{Found, Search, Standing};
use bot_cli_protocol::{Manifest, Role};
use bot_cli_terminal::short_line;

/// A provider pack on this machine.
#[derive(Debug, Clone)]
pub struct FoundPack {
    /// The name, the file or folder, and the status.
    pub found: Found<Contents>,
    /// The manifest without the providers, if it can be read.
    pub manifest: Option<Manifest>,
    /// What `plugin add` has recorded, if it added the pack.
    pub added: Option<Entry>,
}

struct Finder<'a> {
    search: &'a Search<'a>,
    user: Option<&'a User>,
    taken: Taken,
}

/// Returns all packs, sorted by name, with the services that `user` can use. A service can't reuse a name in `taken`. If several packs have
/// the same name, the first one is used. No executable is started.
pub fn find(
    search: &Search<'_>,
    user: Option<&User>,
    taken: impl FnOnce() -> Taken,
) -> Vec<FoundPack> {
    let candidates = candidates(search);
    if candidates.is_empty() {
        return Vec::new();
    }
    let mut finder = Finder {
        search,
        user,
        taken: taken(),
    };
    let mut found = Vec::new();
    let folder = search
        .discovery
        .own_plugins
        .as_deref()
        .and_then(Path::parent);
    let added = folder.map_or_else(Vec::new, |folder| {
        // An unreadable record names no origin.
        let entries = added::read(&folder.join(added::RECORD)).unwrap_or_default();
        let placed = entries
            .into_iter()
            .map(|entry| (entry.place(folder), entry));
        placed.collect()
    });
    for (name, places) in candidates {
        let mut winner: Option<PathBuf> = None;
        for place in places {
            let mut manifest = None;
            let standing = finder.standing(&name, &place, winner.as_deref(), &mut manifest);
            // A pack with a valid manifest keeps the name, even if it isn't compatible.
            if manifest.is_some() {
                winner.get_or_insert_with(|| place.clone());
            }
            let of_record = added.iter().find(|(added, _)| *added == place);
            found.push(FoundPack {
                added: of_record.map(|(_, entry)| entry.clone()),
                found: Found {
                    name: short_line(&name, 300),
                    place,
                    standing: standing.unwrap_or_else(Standing::Refused),
                },
                manifest,
            });
        }
    }
    found
}

/// Returns the files and folders that may be packs, by name. Folders come first, because they belong to the user.
fn candidates(search: &Search<'_>) -> BTreeMap<String, Vec<PathBuf>> {
    let mut by_name: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    let folder = search
        .discovery
        .own_plugins
        .as_ref()
        .map(|plugins| plugins.with_file_name("packs"));
    let entries = folder.and_then(|folder| fs::read_dir(folder).ok());
    for entry in entries.into_iter().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name().to_str().map(str::to_owned);
        if let Some(name) = name.filter(|name| !name.starts_with('.') && path.is_dir()) {
            by_name.entry(name).or_default().push(path);
        }
    }
    for (name, files) in search.named(pack::PREFIX) {
        by_name.entry(name).or_default().extend(files);
    }
    by_name
}

impl Finder<'_> {
    fn standing(
        &mut self,
        name: &str,
        place: &Path,
        winner: Option<&Path>,
        manifest: &mut Option<Manifest>,
    ) -> Result<Standing<Contents>, Refused> {
        let full = full_name(name, pack::PREFIX)?;
        if place.is_dir() {
            return self.folder(name, place, winner, manifest);
        }
        let mut plugin = self.search.inspect(&full, place)?;
        let providers = plugin.manifest.as_mut().and_then(|it| it.providers.take());
        manifest.clone_from(&plugin.manifest);
        if let Some(winner) = winner {
            return Ok(Standing::shadowed_by(winner));
        }
        let fit = judge(&plugin, &Role::ProviderPack, self.user)?;
        let providers = providers.ok_or_else(|| {
            Refused::with_remedy("its manifest has no `providers`", "its author adds them")
        })?;
        let mut contents = pack::read(name, providers, &mut self.taken).map_err(refused)?;
        note_newer(manifest.as_ref(), fit, self.user, &mut contents);
        Ok(Standing::Used(contents))
    }

    fn folder(
        &mut self,
        name: &str,
        folder: &Path,
        winner: Option<&Path>,
        manifest: &mut Option<Manifest>,
    ) -> Result<Standing<Contents>, Refused> {
        // A dangling link counts as existing.
        if fs::symlink_metadata(folder.join(pack::FILE)).is_err() {
            return Err(Refused::new(format!("it has no `{}`", pack::FILE), None));
        }
        // For a link, the remedy names its target, because a copy can't replace the link.
        let real = fs::canonicalize(folder)?;
        let search = self.search;
        search.check_data(&folder.join(pack::FILE), &real)?;
        let trusted = |file: &Path| {
            let checked = search.check_data(file, &real);
            checked.map_err(|refused| format!("is not trusted: {}", refused.reason))
        };
        let declared = Folder::declared(folder, name, &trusted).map_err(refused)?;
        let declared = manifest.insert(declared);
        if let Some(winner) = winner {
            return Ok(Standing::shadowed_by(winner));
        }
        let fit = fits(declared, &Role::ProviderPack, self.user)?;
        let files = Folder::providers(folder, &trusted).map_err(refused)?;
        let mut contents = pack::read_files(name, files, &mut self.taken);
        note_newer(Some(declared), fit, self.user, &mut contents);
        Ok(Standing::Used(contents))
    }
}

fn refused(reason: String) -> Refused {
    Refused::new(reason, None)
}

/// Adds a note to each unknown key and value if the pack has a newer schema than the program that uses the pack supports.
fn note_newer(manifest: Option<&Manifest>, fit: Fit, user: Option<&User>, contents: &mut Contents) {
    let user = user.filter(|_| fit == Fit::Newer);
    let (Some(user), Some(catalogue)) = (user, manifest.and_then(|it| it.catalogue.as_ref()))
    else {
        return;
    };
    let (ours, version) = (&user.executable, &user.version);
    let note = format!(
        "; the pack has catalogue {catalogue}, {ours} {version} knows {SCHEMA}: install a newer {ours}"
    );
    let unknown = contents.left_out.iter_mut().filter(|it| it.is_unknown);
    for left_out in unknown {
        let problems = left_out.problems.iter_mut();
        problems.for_each(|it| it.push_str(&note));
    }
}
