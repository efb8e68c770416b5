//! Finds provider packs, executables and folders, and what each of them brings.

mod asking;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::pack::{self, Contents, Folder, Problem, Reader, SCHEMA, Taken};
pub use asking::Reach;
use bot_cli_engine::compat::{Fit, User};
use bot_cli_engine::discovery::Discovery;
use bot_cli_engine::discovery::inspect::inspect;
use bot_cli_engine::discovery::role::{Refused, fits, full_name, in_a_line, judge};
use bot_cli_protocol::{Manifest, Role};

/// A provider pack that was found.
#[derive(Debug, Clone)]
pub struct FoundPack {
    /// The name: `acme` for `bot-cli-pack-acme`.
    pub name: String,
    /// The pack's own version, where it has a manifest.
    pub version: String,
    /// A description of a few words.
    pub about: String,
    /// The file or folder.
    pub place: PathBuf,
    /// The form.
    pub form: Form,
    /// The declaration, as far as it can be read, without the providers.
    pub manifest: Option<Manifest>,
    /// Whether it is used.
    pub standing: PackStanding,
}

/// The form of a pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// An executable whose manifest has the providers.
    Static,
    /// An executable that is asked for them.
    Dynamic,
    /// A folder of files.
    Folder,
}

/// Whether a pack is used.
#[derive(Debug, Clone, PartialEq)]
pub enum PackStanding {
    /// It is, with these services.
    Used(Contents),
    /// It would have to be started, which was not wanted.
    Unasked,
    /// That file or folder is the pack of this name.
    Shadowed(PathBuf),
    /// It is not used.
    Refused(Refused),
}

/// A search for packs.
struct Finder<'a> {
    discovery: &'a Discovery,
    user: Option<&'a User>,
    taken: Taken,
    reach: Reach<'a>,
}

/// Returns every pack by its name, with what `user` can use of it beside what is `taken`. Where two packs want the same, the first
/// has it.
#[must_use]
pub fn find(
    discovery: &Discovery,
    user: Option<&User>,
    taken: impl FnOnce() -> Taken,
    reach: Reach<'_>,
) -> Vec<FoundPack> {
    let candidates = candidates(discovery);
    if candidates.is_empty() {
        return Vec::new();
    }
    let mut finder = Finder {
        discovery,
        user,
        taken: taken(),
        reach,
    };
    let mut found = Vec::new();
    for (name, places) in candidates {
        let mut winner: Option<PathBuf> = None;
        for (form, place) in places {
            let mut pack = FoundPack {
                name: in_a_line(&name),
                version: String::new(),
                about: String::new(),
                place,
                form,
                manifest: None,
                standing: PackStanding::Unasked,
            };
            let standing = finder.standing(&name, &mut pack, winner.as_ref());
            pack.standing = standing.unwrap_or_else(PackStanding::Refused);
            // One whose manifest is in order has the name, even if it does not fit.
            if let Some(manifest) = &pack.manifest {
                winner.get_or_insert_with(|| pack.place.clone());
                pack.version = in_a_line(&manifest.version);
                pack.about = in_a_line(&manifest.about);
            }
            found.push(pack);
        }
    }
    found
}

/// Returns the files and folders that may be packs, by name. Folders come first: they are the user's own.
fn candidates(discovery: &Discovery) -> BTreeMap<String, Vec<(Form, PathBuf)>> {
    let mut by_name: BTreeMap<String, Vec<(Form, PathBuf)>> = BTreeMap::new();
    let entries = discovery.pack_folders.iter().map(fs::read_dir);
    for entry in entries.flatten().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name().to_str().map(str::to_owned);
        if let Some(name) = name.filter(|name| !name.starts_with('.') && path.is_dir()) {
            by_name.entry(name).or_default().push((Form::Folder, path));
        }
    }
    for (name, files) in discovery.named(pack::PREFIX) {
        let files = files.into_iter().map(|file| (Form::Static, file));
        by_name.entry(name).or_default().extend(files);
    }
    by_name
}

impl Finder<'_> {
    fn standing(
        &mut self,
        name: &str,
        pack: &mut FoundPack,
        winner: Option<&PathBuf>,
    ) -> Result<PackStanding, Refused> {
        if pack.form == Form::Folder {
            return self.folder(name, pack, winner);
        }
        let full = full_name(name, pack::PREFIX)?;
        let plugin = inspect(&full, &pack.place, self.discovery)
            .map_err(|unusable| Refused::unusable(&unusable, &pack.place))?;
        pack.manifest.clone_from(&plugin.manifest);
        let providers = pack.manifest.as_mut().and_then(|it| it.providers.take());
        if providers == Some(Value::from("dynamic")) {
            pack.form = Form::Dynamic;
        }
        if let Some(winner) = winner {
            return Ok(PackStanding::Shadowed(winner.clone()));
        }
        let (manifest, fit) = judge(&plugin, &Role::ProviderPack, self.user)?;
        let providers = match pack.form {
            Form::Dynamic => asking::providers(&plugin, self.discovery, &self.reach)?,
            Form::Static | Form::Folder => Some(providers.ok_or_else(|| {
                let mend = "its author adds them, or `\"providers\":\"dynamic\"`";
                Refused::with_remedy("its manifest has no `providers`", mend)
            })?),
        };
        let Some(providers) = providers else {
            return Ok(PackStanding::Unasked);
        };
        let newer = newer(&manifest, fit, self.user);
        let contents = pack::read(name, providers, newer, &mut self.taken).map_err(refused)?;
        Ok(PackStanding::Used(contents))
    }

    fn folder(
        &mut self,
        name: &str,
        pack: &mut FoundPack,
        winner: Option<&PathBuf>,
    ) -> Result<PackStanding, Refused> {
        full_name(name, pack::PREFIX)?;
        let folder = &pack.place;
        // A dangling link is there, too.
        if fs::symlink_metadata(folder.join(pack::FILE)).is_err() {
            return Err(Refused::new(format!("it has no `{}`", pack::FILE), None));
        }
        let trust = &self.discovery.trust;
        trust
            .check_data(&folder.join(pack::FILE))
            .map_err(|refusal| {
                // A copy can't be put where a link to the folder is.
                let real = fs::canonicalize(folder);
                Refused::untrusted(&refusal, real.as_deref().unwrap_or(folder))
            })?;
        let trusted = |file: &Path| {
            let checked = trust.check_data(file).map(drop);
            checked.map_err(|refusal| format!("is not trusted: {}", refusal.reason()))
        };
        let manifest = Folder::declared(folder, name, &trusted).map_err(refused)?;
        let manifest = pack.manifest.insert(manifest);
        if let Some(winner) = winner {
            return Ok(PackStanding::Shadowed(winner.clone()));
        }
        let fit = fits(manifest, &Role::ProviderPack, self.user)?;
        let files = Folder::providers(folder, &trusted).map_err(refused)?;
        let newer = newer(manifest, fit, self.user);
        let mut reader = Reader::new(name, newer, &mut self.taken);
        for (file, provider) in files {
            match provider {
                Ok(provider) => reader.provider(&file, provider),
                Err(problem) => reader.leave_out(file, vec![problem]),
            }
        }
        Ok(PackStanding::Used(reader.finish()))
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it maps an error")]
fn refused(problem: Problem) -> Refused {
    Refused::new(problem.reason(), None)
}

/// Returns what there is to say where a pack has a newer schema than its user.
fn newer(manifest: &Manifest, fit: Fit, user: Option<&User>) -> Option<String> {
    let user = user.filter(|_| fit == Fit::Newer)?;
    let (catalogue, ours) = (manifest.catalogue.as_ref()?, &user.executable);
    Some(format!(
        "the pack has catalogue {catalogue}, {ours} {} knows {SCHEMA}: install a newer {ours}",
        user.version
    ))
}
