//! Finds provider packs, executables and folders, and what each of them brings.

mod asking;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::pack::{self, Contents, Folder, Newer, Problem, Reader, Taken};
pub use asking::Reach;
use bot_cli_engine::compat::{Fit, User};
use bot_cli_engine::discovery::Discovery;
use bot_cli_engine::discovery::inspect::{Plugin, Unusable, inspect};
use bot_cli_engine::discovery::role::{self, Refused, fits, in_a_line, judge};
use bot_cli_engine::discovery::trust::Refusal;
use bot_cli_protocol::{self as protocol, Manifest, Role};

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

/// What a search knows when it comes to a candidate.
#[derive(Clone, Copy)]
struct Search<'a> {
    user: Option<&'a User>,
    /// The pack that has the name already.
    winner: Option<&'a PathBuf>,
}

/// A file or folder that may be a pack.
enum Candidate {
    Executable(PathBuf),
    Folder(PathBuf),
}

/// Finds packs in the places of a discovery.
struct Finder<'a>(&'a Discovery);

/// Returns every pack by its name, with what `user` can use of it beside what is `taken`. Where two packs want the same, the first
/// has it.
#[must_use]
pub fn find(
    discovery: &Discovery,
    user: Option<&User>,
    taken: impl FnOnce() -> Taken,
    reach: Reach<'_>,
) -> Vec<FoundPack> {
    Finder(discovery).packs(user, taken, reach)
}

impl Finder<'_> {
    fn packs(
        &self,
        user: Option<&User>,
        taken: impl FnOnce() -> Taken,
        mut reach: Reach<'_>,
    ) -> Vec<FoundPack> {
        let mut found = Vec::new();
        let candidates = self.candidates();
        if candidates.is_empty() {
            return found;
        }
        let taken = &mut taken();
        for (name, candidates) in candidates {
            let mut winner: Option<PathBuf> = None;
            for candidate in candidates {
                let search = Search {
                    user,
                    winner: winner.as_ref(),
                };
                let mut pack = match candidate {
                    Candidate::Executable(file) => {
                        self.executable(&name, file, search, taken, &mut reach)
                    }
                    Candidate::Folder(folder) => self.folder(&name, folder, search, taken),
                };
                // One whose manifest is in order has the name, even if it does not fit.
                if pack.manifest.is_some() && winner.is_none() {
                    winner = Some(pack.place.clone());
                }
                if let Some(manifest) = &pack.manifest {
                    pack.version = in_a_line(&manifest.version);
                    pack.about = in_a_line(&manifest.about);
                }
                found.push(pack);
            }
        }
        found
    }

    /// Folders first: they are the user's own.
    fn candidates(&self) -> BTreeMap<String, Vec<Candidate>> {
        let mut by_name: BTreeMap<String, Vec<Candidate>> = BTreeMap::new();
        for folder in &self.0.pack_folders {
            let Ok(entries) = fs::read_dir(folder) else {
                continue;
            };
            for entry in entries.flatten() {
                let path = entry.path();
                if let Some(name) = entry.file_name().to_str()
                    && !name.starts_with('.')
                    && is_folder(&entry)
                {
                    by_name
                        .entry(name.to_owned())
                        .or_default()
                        .push(Candidate::Folder(path));
                }
            }
        }
        for (name, files) in self.0.named(pack::PREFIX) {
            by_name
                .entry(name)
                .or_default()
                .extend(files.into_iter().map(Candidate::Executable));
        }
        by_name
    }

    fn executable(
        &self,
        name: &str,
        file: PathBuf,
        search: Search<'_>,
        taken: &mut Taken,
        reach: &mut Reach<'_>,
    ) -> FoundPack {
        let user = search.user;
        let mut pack = FoundPack::new(name, file, Form::Static);
        let plugin = match self.inspect_pack(name, &pack.place) {
            Ok(plugin) => plugin,
            Err(refused) => return pack.refused(refused),
        };
        pack.manifest.clone_from(&plugin.manifest);
        let providers = pack.manifest.as_mut().and_then(|it| it.providers.take());
        if providers == Some(Value::from("dynamic")) {
            pack.form = Form::Dynamic;
        }
        if let Some(winner) = search.winner {
            return pack.with(PackStanding::Shadowed(winner.clone()));
        }
        let (manifest, fit) = match judge(&plugin, &Role::ProviderPack, user) {
            Ok(judged) => judged,
            Err(refused) => return pack.refused(refused),
        };
        let providers = match (pack.form, providers) {
            (Form::Dynamic, _) => match asking::providers(&plugin, self.0, reach) {
                Ok(Some(providers)) => providers,
                Ok(None) => return pack.with(PackStanding::Unasked),
                Err(refused) => return pack.refused(refused),
            },
            (Form::Static | Form::Folder, Some(providers)) => providers,
            (Form::Static | Form::Folder, None) => {
                let mend = "its author adds them, or `\"providers\":\"dynamic\"`".to_owned();
                let refused = Refused::new("its manifest has no `providers`", Some(mend));
                return pack.refused(refused);
            }
        };
        match pack::read(name, providers, newer(&manifest, fit, user), taken) {
            Ok(contents) => pack.with(PackStanding::Used(contents)),
            Err(problem) => {
                let refused = refused(&problem);
                if pack.form == Form::Dynamic {
                    asking::keep_failure(&plugin, self.0, &refused);
                }
                pack.refused(refused)
            }
        }
    }

    fn inspect_pack(&self, name: &str, file: &Path) -> Result<Plugin, Refused> {
        let full = role::full_name(name, pack::PREFIX)?;
        inspect(&full, file, self.0).map_err(|unusable| Refused::unusable(&unusable, file))
    }

    fn folder(
        &self,
        name: &str,
        folder: PathBuf,
        search: Search<'_>,
        taken: &mut Taken,
    ) -> FoundPack {
        let user = search.user;
        let mut pack = FoundPack::new(name, folder, Form::Folder);
        if let Err(refused) = role::full_name(name, pack::PREFIX) {
            return pack.refused(refused);
        }
        let declared_in = pack.place.join(pack::FILE);
        if let Err(refusal) = self.0.trust.check_data(&declared_in) {
            let refused = not_read(&refusal, &pack.place);
            return pack.refused(refused);
        }
        let manifest = match Folder::declared(&pack.place, name, &|_| Ok(())) {
            Ok(manifest) => manifest,
            Err(problem) => return pack.refused(refused(&problem)),
        };
        let trusted = |file: &Path| {
            let checked = self.0.trust.check_data(file);
            checked
                .map(drop)
                .map_err(|refusal| format!("is not trusted: {}", refusal.reason()))
        };
        pack.manifest = Some(manifest.clone());
        if let Some(winner) = search.winner {
            return pack.with(PackStanding::Shadowed(winner.clone()));
        }
        if !protocol::serves(&manifest.protocol) {
            let unusable = Unusable::Protocol(manifest.protocol.clone());
            return pack.refused(Refused::unusable(&unusable, &declared_in));
        }
        let fit = match fits(&manifest, &Role::ProviderPack, user) {
            Ok(fit) => fit,
            Err(refused) => return pack.refused(refused),
        };
        let files = match Folder::providers(&pack.place, &trusted) {
            Ok(files) => files,
            Err(problem) => return pack.refused(refused(&problem)),
        };
        let mut reader = Reader::new(name, newer(&manifest, fit, user), taken);
        for (file, provider) in files {
            match provider {
                Ok(provider) => reader.provider(&file, provider),
                Err(problem) => reader.leave_out(file, vec![problem]),
            }
        }
        let contents = reader.finish();
        pack.with(PackStanding::Used(contents))
    }
}

impl FoundPack {
    fn new(name: &str, place: PathBuf, form: Form) -> Self {
        Self {
            name: in_a_line(name),
            version: String::new(),
            about: String::new(),
            place,
            form,
            manifest: None,
            standing: PackStanding::Unasked,
        }
    }

    fn with(self, standing: PackStanding) -> Self {
        Self { standing, ..self }
    }

    fn refused(self, refused: Refused) -> Self {
        self.with(PackStanding::Refused(refused))
    }
}

fn refused(problem: &Problem) -> Refused {
    Refused::new(problem.reason(), Some(problem.rule.mend().to_owned()))
}

/// A link is followed.
fn is_folder(entry: &fs::DirEntry) -> bool {
    entry
        .file_type()
        .is_ok_and(|kind| kind.is_dir() || kind.is_symlink() && entry.path().is_dir())
}

/// Why `pack.toml` is not read: it is not there, or it can't be trusted.
fn not_read(refusal: &Refusal, folder: &Path) -> Refused {
    // A dangling link is there, too.
    if fs::symlink_metadata(folder.join(pack::FILE)).is_ok() {
        // A copy can't be put where a link to the folder is.
        let real = fs::canonicalize(folder);
        return Refused::untrusted(refusal, real.as_deref().unwrap_or(folder));
    }
    let mend = "section `A folder` of PACKS.md says what it holds".to_owned();
    Refused::new(format!("it has no `{}`", pack::FILE), Some(mend))
}

fn newer(manifest: &Manifest, fit: Fit, user: Option<&User>) -> Option<Newer> {
    let user = user.filter(|_| fit == Fit::Newer)?;
    Some(Newer {
        schema: manifest.catalogue.clone()?,
        executable: user.executable.clone(),
        version: user.version.clone(),
    })
}
